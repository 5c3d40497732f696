// scan --resume on real servers: interrupted, and taken up until every window has come.
#include <algorithm>
#include <csignal>
#include <map>
#include <sstream>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

constexpr int kWindowsAShard = 4000;  // on each shard

void fill(RedisServer& server, const std::string& shard) {
    server.command({"EVAL",
                    "for i = 1, tonumber(ARGV[1]) do local key = 'core:' .. ARGV[3] .. i "
                    "redis.call('SET', key, i, 'EXAT', ARGV[2] + 1) "
                    "redis.call('SET', key .. ':exp', ARGV[2], 'EXAT', ARGV[2] + 1) end return 1",
                    "0", std::to_string(kWindowsAShard), std::to_string(seconds_from_now(3000)), shard});
}

/// How often each line came.
void count_lines(const std::string& text, std::map<std::string, int>& times) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) ++times[line];
}

}  // namespace

TEST_CASE("an interrupted scan is taken up where its file says and no window is lost") {
    WrittenDeployment box("writes = \"deny\"", 2);
    fill(box.server(0), "a");
    fill(box.server(1), "b");
    const std::vector<std::string> scan{"scan", "-o", "name", "--resume", box.file("scan.json")};
    std::map<std::string, int> times;

    auto slow = scan;
    slow.insert(slow.end(), {"--ops", "20/s"});
    RunOptions options;
    options.signal_number = SIGINT;
    options.signal_after = std::chrono::milliseconds{1000};
    const auto interrupted = box.run(slow, options);
    CHECK(interrupted.code == 130);
    CHECK(contains(interrupted.err, "; shards 'alpha' and 'beta' are incomplete"));
    count_lines(interrupted.out, times);
    CHECK(times.size() < 2 * kWindowsAShard);

    const auto rest = box.run(scan);
    CHECK(rest.code == 0);
    CHECK(contains(rest.err, "notice: going on where"));
    count_lines(rest.out, times);
    CHECK(times.size() == 2 * kWindowsAShard);

    const auto again = box.run(scan);
    CHECK(again.code == 0);
    CHECK(again.out.empty());
    CHECK(contains(again.err, "is finished, and nothing is left to do"));
}

TEST_CASE("a scan of some rows at a time comes to its end and prints every window once") {
    WrittenDeployment box("writes = \"deny\"", 2);
    fill(box.server(0), "a");
    fill(box.server(1), "b");
    const std::vector<std::string> scan{"scan", "-o", "name", "--first", "400", "--resume", box.file("scan.json")};
    std::map<std::string, int> times;
    int runs = 0;
    for (; times.size() < 2 * kWindowsAShard && runs < 100; ++runs) {
        const auto some = box.run(scan);
        REQUIRE(some.code == 0);
        count_lines(some.out, times);
    }
    CHECK(runs > 1);
    CHECK(times.size() == 2 * kWindowsAShard);
    CHECK(std::all_of(times.begin(), times.end(), [](const auto& each) { return each.second == 1; }));
}

// What had been read but never reached the reader was once noted as done.
TEST_CASE("rows that a slow reader never got come again when the scan is taken up") {
    WrittenDeployment box("writes = \"deny\"", 2);
    fill(box.server(0), "a");
    fill(box.server(1), "b");
    const std::string scan =
        "'" + ratectl_binary() + "' scan -o ndjson --columns key --resume '" + box.file("scan.json") + "'";
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    const auto cut = run_program(
        "/bin/bash",
        {"-c", "timeout --preserve-status -s INT 0.7 " + scan + " | (sleep 1.5; cat); exit ${PIPESTATUS[0]}"}, options);
    INFO(cut.err);
    CHECK(cut.code == 130);
    std::map<std::string, int> times;
    count_lines(cut.out.substr(0, cut.out.rfind('\n') + 1), times);  // the last line may be torn
    CHECK(times.size() < 2 * kWindowsAShard);

    const auto rest = run_program("/bin/bash", {"-c", scan}, options);
    CHECK(rest.code == 0);
    count_lines(rest.out, times);
    CHECK(times.size() == 2 * kWindowsAShard);
}

// It named the shard alone: what one database had shown was taken for all of another one.
TEST_CASE("the file of a scan of another database or another server is refused") {
    WrittenDeployment box(kFree, 2);
    box.set_window("core:1", "5", seconds_from_now(1000));
    const auto here = box.server(0).endpoint();
    auto database = here;
    database.db = 1;
    const auto scan = [&box](const std::string& config) {
        return box.run({"scan", "*", "-o", "name", "--resume", box.file("scan.json"), "-c", config});
    };
    const auto own = box.write_alone("own.toml", here);
    const auto first = scan(own);
    INFO(first.err);
    CHECK(first.code == 0);
    CHECK(first.out == "core:1\n");
    for (const auto& other : {database, box.server(1).endpoint()}) {
        const auto refused = scan(box.write_alone("other.toml", other));
        INFO(refused.err);
        CHECK(refused.code == 2);
        CHECK(contains(refused.err, "is about another scan: the primary of shard 'alpha' was '" + here.url() +
                                        "' and is '" + other.url() + "'"));
    }
    CHECK(contains(scan(own).err, "is finished, and nothing is left to do"));
}
