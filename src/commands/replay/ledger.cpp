// Adds up what a replay did, and puts the sums into words.
#include "commands/replay/ledger.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ratectl::commands::replay {

namespace {

struct Part {
    std::string_view name;
    std::string_view words;
    std::uint64_t Counts::*number;
};

constexpr std::array<Part, 10> kParts{{
    {"counted", "counted", &Counts::counted},
    {"rejected", "rejected", &Counts::rejected},
    {"refused", "refused", &Counts::refused},
    {"unknown", "unknown", &Counts::unknown},
    {"not_attempted", "not attempted", &Counts::not_attempted},
    {"refunded", "refunded", &Counts::refunded},
    {"refunds_missed", "refunds not given", &Counts::refunds_missed},
    {"refunds_unknown", "refunds unknown", &Counts::refunds_unknown},
    {"over", "over the limit", &Counts::over},
    {"windows", "windows", &Counts::windows},
}};

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
    requests += other.requests;
    for (const Part& part : kParts) this->*part.number += other.*part.number;
    return *this;
}

bool KeyRecord::is_notable() const {
    return counts.over + counts.refused + counts.unknown + counts.refunds_unknown > 0;
}

KeyRecord* Ledger::find(std::string_view key) {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
}

KeyRecord& Ledger::add(KeyRecord record) {
    records_.push_back(std::make_unique<KeyRecord>(std::move(record)));
    KeyRecord& added = *records_.back();
    by_key_.emplace(added.key, &added);
    return added;
}

Counts Ledger::total() const {
    Counts total;
    for (const auto& record : records_) total += record->counts;
    return total;
}

std::vector<const KeyRecord*> Ledger::notable() const {
    std::vector<const KeyRecord*> found;
    for (const auto& record : records_) {
        if (record->is_notable()) found.push_back(record.get());
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const KeyRecord* a, const KeyRecord* b) { return a->counts.over > b->counts.over; });
    return found;
}

std::string words(const Counts& counts, std::size_t keys) {
    std::string text = fmt::format("{} {} of {} {}", counts.requests, counts.requests == 1 ? "request" : "requests",
                                   keys, keys == 1 ? "key" : "keys");
    const char* separator = ": ";
    for (const Part& part : kParts) {
        const std::uint64_t number = counts.*part.number;
        if (number == 0 && part.name != "counted" && part.name != "over") continue;
        std::string_view what = part.words;
        if (number == 1 && what.ends_with('s')) what.remove_suffix(1);
        text += fmt::format("{}{} {}", separator, number, what);
        separator = ", ";
    }
    return text;
}

std::vector<std::pair<std::string, std::int64_t>> named(const Counts& counts, std::size_t keys) {
    std::vector<std::pair<std::string, std::int64_t>> result{{"requests", static_cast<std::int64_t>(counts.requests)},
                                                             {"keys", static_cast<std::int64_t>(keys)}};
    for (const Part& part : kParts) {
        result.emplace_back(part.name, static_cast<std::int64_t>(counts.*part.number));
    }
    return result;
}

}  // namespace ratectl::commands::replay
