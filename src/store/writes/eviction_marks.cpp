// Reads INFO stats and INFO commandstats for signs that keys disappeared early, and INFO replication for whose they
// are.
#include "store/writes/eviction_marks.h"

#include <array>
#include <string_view>

#include "store/nodes/info_text.h"

namespace ratectl::store {
namespace {

constexpr std::array<std::string_view, 7> kRemovals{"flushall", "flushdb",  "swapdb",          "replicaof",
                                                    "slaveof",  "failover", "config|resetstat"};
constexpr std::array<std::string_view, 7> kDeletions{"del",      "unlink", "getdel", "rename",
                                                     "renamenx", "move",   "migrate"};

}  // namespace

void ask_eviction_marks(redis::Request& request) {
    request.add({"INFO", "stats"});
    request.add({"INFO", "commandstats"});
    request.add({"INFO", "replication"});
}

std::optional<EvictionMarks> read_eviction_marks(std::span<const redis::Reply> replies) {
    if (replies.size() != kEvictionMarkReplies || !replies[0].is_text() || !replies[1].is_text()) return std::nullopt;
    const auto evicted = InfoText(replies[0].text).number("evicted_keys");
    const InfoText calls(replies[1].text);
    // It counts INFO itself at least, or it counts nothing.
    if (!evicted || !calls.text("cmdstat_info")) return std::nullopt;
    const auto sum = [&calls](std::span<const std::string_view> commands) {
        std::int64_t total = 0;
        for (const auto command : commands) total += calls.calls_of(command);
        return total;
    };
    const auto commands = InfoText(replies[0].text).number("total_commands_processed");
    return EvictionMarks{*evicted, sum(kRemovals), sum(kDeletions), commands.value_or(0),
                         replies[2].is_text() ? history_in(InfoText(replies[2].text)) : domain::History{}};
}

bool may_have_lost_keys(const std::optional<EvictionMarks>& before, const std::optional<EvictionMarks>& after) {
    return !before || !after || before->evicted_keys != after->evicted_keys || before->removals != after->removals ||
           after->commands < before->commands;
}

bool may_have_deleted_keys(const EvictionMarks& before, const EvictionMarks& after) {
    return before.deletions != after.deletions;
}

}  // namespace ratectl::store
