// Estimates a sweep's progress: the share from the cursors, the time that is left from the share.
#include "commands/sweep/sweep_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "output/formats/human_cell.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kBar = 10;
constexpr double kTooEarly = 0.02;  // what is left would be a guess

std::uint64_t backwards(std::uint64_t bits) {
    std::uint64_t turned = 0;
    for (int i = 0; i < 64; ++i, bits >>= 1U) turned = turned << 1U | (bits & 1U);
    return turned;
}

std::string time_left(double share, support::Milliseconds passed) {
    if (share < kTooEarly || share >= 1) return "";
    const double left = static_cast<double>(passed.count()) * (1 - share) / share;
    const auto seconds = std::chrono::ceil<support::Seconds>(std::chrono::duration<double, std::milli>(left));
    return ", about " + support::format_duration(seconds) + " left";
}

}  // namespace

double passed_share(const store::ShardProgress& shard) {
    if (shard.complete) return 1;
    std::uint64_t cursor = 0;
    const char* end = shard.cursor.data() + shard.cursor.size();
    const auto read = std::from_chars(shard.cursor.data(), end, cursor);
    if (read.ec != std::errc{} || read.ptr != end) return 0;
    return static_cast<double>(backwards(cursor)) / 18446744073709551616.0;
}

std::string swept_name(const store::ShardProgress& shard, const store::Directory& directory) {
    return shard.node ? shard.node->shard : directory.name_of(shard.shard);
}

std::string progress_line(std::span<const store::ShardProgress> shards, std::uint64_t windows,
                          support::Milliseconds passed, const std::string& more) {
    double share = 0;
    std::size_t done = 0;
    for (const store::ShardProgress& shard : shards) {
        share += passed_share(shard) / static_cast<double>(shards.size());
        if (shard.complete) ++done;
    }
    const double seconds = static_cast<double>(std::max<std::int64_t>(passed.count(), 1)) / 1000;
    return fmt::format("[{}] {}%{}, {} windows, {:.0f}/s{}, {} of {} shards done", output::bar(share * 100, kBar, true),
                       support::percent_text(std::min(share, 1.0) * 100, 0), time_left(share, passed), windows,
                       static_cast<double>(windows) / seconds, more.empty() ? "" : ", " + more, done, shards.size());
}

}  // namespace ratectl::commands
