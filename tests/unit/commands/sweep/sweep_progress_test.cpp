// What is said of a sweep that is under way, and how the share is read from SCAN's cursors.
#include "commands/sweep/sweep_progress.h"

#include "support/catch.h"

using ratectl::commands::passed_share;
using ratectl::commands::progress_line;
using ratectl::store::ShardProgress;
using ratectl::support::Milliseconds;

namespace {

ShardProgress at(const std::string& cursor, bool complete = false) {
    ShardProgress shard;
    shard.cursor = cursor;
    shard.complete = complete;
    return shard;
}

}  // namespace

TEST_CASE("the share that a sweep has passed grows as a server counts its cursors") {
    // The cursors of a table of eight slots, in the order in which a server gives them.
    double before = -1;
    for (const char* cursor : {"0", "4", "2", "6", "1", "5", "3", "7"}) {
        const double share = passed_share(at(cursor));
        CHECK(share > before);
        CHECK(share < 1);
        before = share;
    }
    CHECK(passed_share(at("1")) == 0.5);
    CHECK(passed_share(at("0", true)) == 1);
    CHECK(passed_share(at("nonsense")) == 0);
}

TEST_CASE("progress tells the share, what is left, the rate and the shards that are done") {
    CHECK(progress_line(std::vector{at("1"), at("0", true)}, 3000, Milliseconds{1500}) ==
          "[########  ] 75%, about 1s left, 3000 windows, 2000/s, 1 of 2 shards done");
    CHECK(progress_line(std::vector{at("0")}, 0, Milliseconds{0}, "4 findings") ==
          "[          ] 0%, 0 windows, 0/s, 4 findings, 0 of 1 shards done");
    CHECK(progress_line(std::vector{at("0", true)}, 10, Milliseconds{1000}) ==
          "[##########] 100%, 10 windows, 10/s, 1 of 1 shards done");
}
