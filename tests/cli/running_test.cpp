// Running counters: the sum of their last buckets, and those of a group.
#include <vector>

#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// A minute in six buckets, at a moment in the middle of one.
class RunningDeployment : public LimiterDeployment {
public:
    explicit RunningDeployment(std::size_t shards = 1)
        : LimiterDeployment("", shards), bucket_(seconds_from_now(0) / kInterval) {}

    /// As the counter would have left it, so many buckets ago.
    void put(const std::string& name, std::int64_t ago, const std::string& value, std::size_t shard = 0) {
        const auto key = "rc:" + name + ":" + std::to_string(bucket_ - ago);
        box().server(shard).command({"SET", key, value, "EX", "75"});
    }
    void member(const std::string& group, const std::string& name, const std::string& at) {
        server().command({"ZADD", "rc:" + group + ":group_keys", at, name});
    }
    std::vector<json> rows_of(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "running");
        arguments.insert(arguments.end(),
                         {"--interval", "10s", "--buckets", "6", "--now", std::to_string(bucket_ * kInterval + 5)});
        return rows(arguments).get<std::vector<json>>();
    }

private:
    static constexpr std::int64_t kInterval = 10;
    std::int64_t bucket_;
};

}  // namespace

TEST_CASE("a running counter is the sum of its last buckets") {
    RunningDeployment box;
    box.put("queries", 0, "3.5");
    box.put("queries", 1, "2");
    box.put("queries", 5, "0.25");
    box.put("queries", 6, "100");   // of no bucket that counts
    box.put("queries", -1, "100");  // not begun
    const auto rows = box.rows_of({"queries", "none"});
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("count") == 5.75);
    CHECK(rows[0].at("newest") == 3.5);
    CHECK(rows[0].at("buckets") == 3);
    CHECK(rows[0].at("span_ms") == 60'000);
    CHECK(rows[0].at("rate") == 0.096);
    CHECK(rows[0].at("counted_at_ms").is_null());
    CHECK(rows[1].at("count") == 0);
    CHECK(rows[1].at("buckets") == 0);
}

TEST_CASE("the running counters of a group are listed with when they were counted into") {
    RunningDeployment box;
    box.put("store:read", 0, "7");
    box.put("store:write", 2, "1.5");
    for (int i = 0; i < 20; ++i) box.member("store", "idle" + std::to_string(i), "1795000000.25");
    box.member("store", "read", "1795000001.5");
    box.member("store", "write", "1795000002");
    auto rows = box.rows_of({"--group", "store", "--sort", "count", "--reverse"});
    REQUIRE(rows.size() == 22);
    CHECK(rows[0].at("name") == "read");
    CHECK(rows[0].at("group") == "store");
    CHECK(rows[0].at("count") == 7);
    CHECK(rows[0].at("counted_at_ms") == 1'795'000'001'500);
    CHECK(rows[1].at("count") == 1.5);
    rows = box.rows_of({"write", "--group", "store"});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("counted_at_ms") == 1'795'000'002'000);
    const auto nothing = box.run({"running", "--group", "nothing", "--interval", "1m", "--buckets", "2"});
    CHECK(nothing.code == 0);
    CHECK(contains(nothing.err, "has no counter"));
    box.server().command({"SET", "rc:odd:group_keys", "x"});
    const auto odd = box.run({"running", "--group", "odd", "--interval", "1m", "--buckets", "2"});
    CHECK(odd.code == 7);
    CHECK(contains(odd.err, "no group of running counters"));
}

TEST_CASE("a running counter whose bucket is no number has no count") {
    RunningDeployment box;
    for (const char* value : {"many", "nan", "inf", "", "3,5", "0x10", "1 "}) {
        INFO(value);
        box.put("a", 0, "2");
        box.put("a", 1, value);
        const auto row = box.rows_of({"a"}).at(0);
        CHECK(row.at("count").is_null());
        CHECK(row.at("newest") == 2);
        CHECK(contains(row.at("error").get<std::string>(), "holds no number"));
    }
    const auto told = box.run({"running", "a", "--interval", "10s", "--buckets", "6"});
    CHECK(told.code == 9);
}

TEST_CASE("running counters are found on whatever shards their buckets are") {
    RunningDeployment box(3);
    // On all of them, and each is read where it belongs.
    for (std::size_t shard = 0; shard < 3; ++shard) {
        for (int ago = 0; ago < 6; ++ago) box.put("a", ago, "1", shard);
    }
    CHECK(box.rows_of({"a"}).at(0).at("count") == 6);
}

TEST_CASE("what running cannot know has to be said") {
    RunningDeployment box;
    const auto code = [&](const std::vector<std::string>& words) { return box.run(words).code; };
    CHECK(code({"running", "a", "--interval", "1m"}) == 2);
    CHECK(code({"running", "a", "--buckets", "3"}) == 2);
    CHECK(code({"running", "--interval", "1m", "--buckets", "3"}) == 2);
    for (const char* interval : {"0s", "500ms", "1500ms", "-1m", "soon", ""})
        CHECK(code({"running", "a", "--interval", interval, "--buckets", "3"}) == 2);
    for (const char* buckets : {"0", "-1", "1001", "many", ""})
        CHECK(code({"running", "a", "--interval", "1m", "--buckets", buckets}) == 2);
}
