// Finds keys that come a second time by their hashes: FNV-1a with a finish that spreads its bits.
#include "commands/sweep/duplicate_finder.h"

#include <algorithm>
#include <utility>

#include "commands/context.h"
#include "support/fnv.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kSuspectsAtOnce = 200;
constexpr std::size_t kFirstFinderSlots = 1024;

}  // namespace

std::uint64_t sighting_of(std::string_view key) {
    std::uint64_t hash = support::fnv1a_64(key);
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebULL;
    return hash ^ (hash >> 31U);
}

DuplicateFilter::DuplicateFilter(std::size_t most_slots)
    : seen_(kFirstFinderSlots, most_slots), reported_(kFirstFinderSlots) {}

bool DuplicateFilter::again(std::uint64_t hash) {
    if (!is_mine(hash)) return false;
    if (seen_.contains(hash)) return reported_.insert(hash);
    while (seen_.is_full()) halve();
    if (is_mine(hash)) seen_.insert(hash);
    return false;
}

void DuplicateFilter::halve() {
    later_.push_back({part_.parts * 2, part_.number + part_.parts});
    part_.parts *= 2;
    seen_.keep([this](std::uint64_t each) { return is_mine(each); });
    reported_.keep([this](std::uint64_t each) { return is_mine(each); });
}

bool DuplicateFilter::next_part() {
    if (later_.empty()) return false;
    part_ = later_.back();
    later_.pop_back();
    seen_.clear();
    reported_.clear();
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
    const std::size_t shards = context_.directory().places().size();
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
            copies.push_back({answer.node.shard, &*answer.look, context_.settings().clock_at(answer.read_at)});
        }
    }
    if (copies.size() < 2) return;
    for (const auto& answer : answers) {
        if (!answer.look || domain::is_absent(*answer.look)) continue;
        const auto meaning = meaning_of(*answer.look, context_.settings());
        report_.take({*answer.look, meaning, &answer.node, answer.read_at, answer.stale});
    }
    duplicates_.report(copies.front().look->key, copies);
}

}  // namespace ratectl::commands
