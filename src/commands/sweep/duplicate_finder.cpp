// The hash table that finds duplicate keys: FNV-1a with a finish that spreads its bits; open addressing.
#include "commands/sweep/duplicate_finder.h"

#include <algorithm>
#include <utility>

#include "commands/context.h"
#include "support/fnv.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kFirstFinderSlots = 1024;
constexpr std::size_t kSuspectsAtOnce = 200;
constexpr std::uint64_t kReported = 1;

}  // namespace

std::uint64_t sighting_of(std::string_view key) {
    std::uint64_t hash = support::fnv1a_64(key);
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebULL;
    hash = (hash ^ (hash >> 31U)) & ~kReported;
    return hash == 0 ? 2 : hash;
}

DuplicateFilter::DuplicateFilter(std::size_t most_slots)
    : most_slots_(most_slots), slots_(std::min(kFirstFinderSlots, most_slots)) {}

bool DuplicateFilter::again(std::uint64_t hash) {
    if (!is_mine(hash)) return false;
    std::uint64_t* slot = &slot_of(hash);
    if (*slot == 0) {
        if ((used_ + 1) * 4 > slots_.size() * 3) {
            make_room();
            if (!is_mine(hash)) return false;
            slot = &slot_of(hash);
        }
        *slot = hash;
        ++used_;
        return false;
    }
    const bool first = (*slot & kReported) == 0;
    *slot |= kReported;
    return first;
}

std::uint64_t& DuplicateFilter::slot_of(std::uint64_t hash) {
    std::size_t at = (hash >> 1U) & (slots_.size() - 1);
    while (slots_[at] != 0 && (slots_[at] & ~kReported) != hash) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
}

void DuplicateFilter::make_room() {
    while ((used_ + 1) * 4 > slots_.size() * 3) {
        std::size_t size = slots_.size() * 2;
        if (size > most_slots_) {
            size = slots_.size();
            later_.push_back({part_.parts * 2, part_.number + part_.parts});
            part_.parts *= 2;
        }
        const auto old = std::exchange(slots_, std::vector<std::uint64_t>(size));
        used_ = 0;
        for (const std::uint64_t entry : old) {
            if (entry == 0 || !is_mine(entry)) continue;
            slot_of(entry & ~kReported) = entry;
            ++used_;
        }
    }
}

bool DuplicateFilter::next_part() {
    if (later_.empty()) return false;
    part_ = later_.back();
    later_.pop_back();
    std::fill(slots_.begin(), slots_.end(), 0);
    used_ = 0;
    return true;
}

DuplicateFinder::DuplicateFinder(Context& context, const domain::ReadFrom& from, WindowReport& report)
    : context_(context), from_(from), report_(report), duplicates_(context) {}

void DuplicateFinder::take(const std::string& key) {
    if (!filter_.again(sighting_of(key))) return;
    suspects_.push_back(key);
    if (suspects_.size() >= kSuspectsAtOnce) look();
}

bool DuplicateFinder::needs_another_sweep() {
    look();
    if (filter_.next_part()) return true;
    duplicates_.finish();
    return false;
}

void DuplicateFinder::look() {
    if (suspects_.empty()) return;
    const std::size_t shards = context_.settings().shards.size();
    std::vector<store::KeyAt> question;
    for (const std::string& key : suspects_) {
        for (std::size_t shard = 0; shard < shards; ++shard) question.push_back({key, shard});
    }
    const auto answers = context_.store().look({question, from_, domain::LookDepth::full, false});
    for (const auto& [node, error] : context_.store().look_failures()) report_.outcome().fail_once(node, error);
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
        deliver(std::span<const store::LookAnswer>(answers).subspan(i * shards, shards));
    }
    suspects_.clear();
}

void DuplicateFinder::deliver(std::span<const store::LookAnswer> answers) {
    std::vector<Copy> copies;
    for (const auto& answer : answers) {
        if (!answer.look) {
            if (!context_.stop()) report_.outcome().fail_once(answer.node, answer.look.error());
        } else if (!domain::is_absent(*answer.look)) {
            copies.push_back({answer.node.shard, &*answer.look,
                              context_.settings().now.value_or(support::to_instant(answer.read_at))});
        }
    }
    if (copies.size() < 2) return;
    for (const auto& answer : answers) {
        if (!answer.look || domain::is_absent(*answer.look)) continue;
        report_.take(*answer.look, meaning_of(answer.look->key, context_.settings()), &answer.node, answer.read_at,
                     answer.stale);
    }
    duplicates_.report(copies.front().look->key, copies);
}

}  // namespace ratectl::commands
