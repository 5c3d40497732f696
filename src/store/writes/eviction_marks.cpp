// Reads INFO stats and INFO commandstats for signs that keys disappeared early, and INFO replication for whose they
// are.
#include "store/writes/eviction_marks.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ratectl::store {
namespace {

constexpr std::array<std::string_view, 7> kRemovals{"flushall", "flushdb",  "swapdb",          "replicaof",
                                                    "slaveof",  "failover", "config|resetstat"};
constexpr std::array<std::string_view, 7> kDeletions{"del",      "unlink", "getdel", "rename",
                                                     "renamenx", "move",   "migrate"};

// A RESETSTAT shows in its own counter only where it is the first, and the sum of all comes back with our own
// questions.
bool have_begun_anew(const CallCounts& before, const CallCounts& after) {
    return std::ranges::any_of(before, [&after](const auto& counted) {
        const auto now = after.find(counted.first);
        return now == after.end() || now->second < counted.second;
    });
}

}  // namespace

void ask_eviction_marks(redis::Request& request) {
    request.add({"INFO", "stats"});
    request.add({"INFO", "commandstats"});
    request.add({"INFO", "replication"});
}

std::optional<EvictionMarks> read_eviction_marks(std::span<const redis::Reply> replies) {
    if (replies.size() != kEvictionMarkReplies || !replies[0].is_text() || !replies[1].is_text()) return std::nullopt;
    const auto evicted = InfoText(replies[0].text).number("evicted_keys");
    auto calls = InfoText(replies[1].text).calls();
    // It counts INFO itself at least, or it counts nothing.
    if (!evicted || !calls.contains("info")) return std::nullopt;
    const auto sum = [&calls](std::span<const std::string_view> commands) {
        std::int64_t total = 0;
        for (const auto command : commands) {
            const auto counted = calls.find(command);
            total += counted == calls.end() ? 0 : counted->second;
        }
        return total;
    };
    const auto removals = sum(kRemovals);
    const auto deletions = sum(kDeletions);
    return EvictionMarks{*evicted, removals, deletions, std::move(calls),
                         replies[2].is_text() ? history_in(InfoText(replies[2].text)) : domain::History{}};
}

bool may_have_lost_keys(const std::optional<EvictionMarks>& before, const std::optional<EvictionMarks>& after) {
    return !before || !after || before->evicted_keys != after->evicted_keys || before->removals != after->removals ||
           have_begun_anew(before->calls, after->calls);
}

bool may_have_deleted_keys(const EvictionMarks& before, const EvictionMarks& after) {
    return before.deletions != after.deletions;
}

}  // namespace ratectl::store
