// Every command with a limiter that the program itself does not know.
#include <nlohmann/json.hpp>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

class CounterDeployment {
public:
    explicit CounterDeployment(std::size_t shards = 1) : box_(std::string(kFree) + "\nscheme = \"counter\"", shards) {}

    RunResult run(const std::vector<std::string>& arguments, const std::string& input = "") {
        RunOptions options;
        options.program = RATECTL_WITH_COUNTERS;
        options.input = input;
        return box_.run(arguments, options);
    }
    json rows(const std::vector<std::string>& arguments, const std::string& input = "") {
        auto asked = arguments;
        asked.insert(asked.end(), {"-o", "json"});
        const auto result = run(asked, input);
        INFO(result.out << result.err);
        return json::parse(result.out).at("rows");
    }
    /// As its limiter would have left it: it expires a second after its last one.
    void set(const std::string& key, const std::string& used, std::int64_t reset_at) {
        server().command({"SET", key, used});
        server().command({"EXPIREAT", key, std::to_string(reset_at + 1)});
    }
    RedisServer& server() { return box_.server(); }
    std::string stored(const std::string& key) { return box_.stored(key); }
    std::string count(const std::string& key) { return server().command({"EXISTS", key}); }
    std::string expires(const std::string& key) { return server().command({"EXPIRETIME", key}); }
    WrittenDeployment& box() { return box_; }

private:
    WrittenDeployment box_;
};

}  // namespace

TEST_CASE("a counter's window is judged by what is stored and when it expires") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    box.set("core:open", "7", end);
    box.set("core:full", "100", end);
    box.server().command({"SET", "core:endless", "3"});
    box.set("core:odd", "many", end);
    box.server().command({"LPUSH", "core:list", "x"});
    const auto rows =
        box.rows({"check", "core:open", "core:full", "core:endless", "core:odd", "core:list", "core:none"});
    REQUIRE(rows.size() == 6);
    const char* const states[] = {"open", "exhausted", "orphan-counter", "corrupt", "corrupt", "absent"};
    for (std::size_t i = 0; i < 6; ++i) CHECK(rows[i].at("state") == states[i]);
    CHECK(rows[0].at("used") == 7);
    CHECK(rows[0].at("remaining") == 93);
    CHECK(rows[0].at("reset_at") == end);
    CHECK(box.run({"check", "core:full", "--exit-status"}).code == 1);
    CHECK(box.run({"check", "core:open", "--exit-status"}).code == 0);
    CHECK(contains(box.run({"explain", "core:full"}).out, "100"));
}

TEST_CASE("sweeps find a scheme's windows whatever they are asked for") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    for (int i = 1; i <= 200; ++i) box.set("core:" + std::to_string(i), std::to_string(i), end);
    box.server().command({"SET", "core:endless", "3"});
    box.set("other:1", "50", end);
    CHECK(box.rows({"scan", "--state", "open,exhausted", "--min-used", "3"}).size() >= 198);
    CHECK(box.rows({"scan", "--min-used", "150"}).size() == 51);
    CHECK(box.rows({"scan", "--state", "exhausted"}).size() == 101);
    CHECK(box.rows({"scan", "--state", "orphan-counter"}).size() == 1);
    CHECK(box.rows({"scan", "core:1*", "--min-used", "100"}).size() == 100);
    CHECK(box.rows({"scan", "*", "--resets-within", "1h"}).size() == 201);
    const auto top = box.rows({"top", "-N", "3"});
    REQUIRE(top.size() == 3);
    CHECK(top[0].at("key") == "core:200");
    const auto stats = json::parse(box.run({"stats", "-o", "json"}).out);
    CHECK(contains(stats.dump(), "\"exhausted\":101"));
    const auto found = box.rows({"doctor"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("class") == "orphan-counter");
    CHECK(box.run({"doctor", "--fix", "orphan-counter", "-y"}).code == 0);
    CHECK(box.count("core:endless") == "0");
    CHECK(box.run({"scan", "-o", "csv"}).code == 0);
    CHECK(contains(box.run({"scan", "-o", "name"}).out, "core:77\n"));
}

TEST_CASE("counts go into a scheme's open windows and open others") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    box.set("core:1", "7", end);
    const auto rows = box.rows({"increment", "core:1", "core:2", "--amount", "5"});
    CHECK(rows[0].at("before_used") == 7);
    CHECK(rows[0].at("after_used") == 12);
    CHECK(rows[0].at("reset_at") == end);
    CHECK(rows[1].at("after_used") == 5);
    CHECK(box.stored("core:1") == "12");
    CHECK(box.stored("core:2") == "5");
    CHECK(box.expires("core:1") == std::to_string(end + 1));
    CHECK(box.expires("core:2") == std::to_string(rows[1].at("after_reset_at").get<std::int64_t>() + 1));
    CHECK(box.run({"increment", "core:1", "--if-window", std::to_string(end + 5)}).code == 7);
    CHECK(box.stored("core:1") == "12");
    CHECK(box.run({"refund", "core:1", "--amount", "4"}).code == 0);
    CHECK(box.stored("core:1") == "8");
    CHECK(box.expires("core:1") == std::to_string(end + 1));
    CHECK(box.run({"refund", "core:1", "--amount", "40"}).code == 7);
    CHECK(box.run({"refund", "core:1", "--amount", "40", "--clamp"}).code == 0);
    CHECK(box.stored("core:1") == "0");
}

TEST_CASE("what was done to a scheme's windows is told and taken back") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    for (const char* key : {"core:1", "core:2", "core:3"}) box.set(key, "60", end);
    CHECK(box.run({"reset", "core:1", "core:2", "--op-id", "RESET"}).code == 0);
    CHECK(box.count("core:1") == "0");
    CHECK(box.run({"increment", "core:3", "--amount", "5", "--op-id", "COUNT"}).code == 0);
    CHECK(box.run({"increment", "core:4", "--amount", "5", "--op-id", "OPEN"}).code == 0);
    CHECK(box.run({"refund", "core:3", "--amount", "2", "--op-id", "GIVE"}).code == 0);
    CHECK(box.rows({"history", "RESET"}).size() == 2);
    CHECK(box.rows({"history", "--on-servers", "RESET"})[0].at("before_used") == 60);
    for (const char* operation : {"GIVE", "OPEN", "COUNT", "RESET"}) {
        const auto undone = box.run({"undo", operation});
        INFO(operation << undone.err);
        CHECK(undone.code == 0);
    }
    CHECK(box.stored("core:1") == "60");
    CHECK(box.expires("core:2") == std::to_string(end + 1));
    CHECK(box.stored("core:3") == "60");
    CHECK(box.count("core:4") == "0");
    CHECK(box.rows({"undo", "RESET"})[0].at("status") == "already-applied");
}

TEST_CASE("rows of a scheme's windows are guards and a selection is pinned to them") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    box.set("core:1", "60", end);
    box.server().command({"SET", "core:endless", "3"});
    const auto seen = box.run({"check", "core:1", "core:endless", "-o", "ndjson"});
    box.set("core:1", "1", end + 60);
    box.server().command({"SET", "core:endless", "4"});
    const auto refused = box.run({"reset", "-"}, seen.out);
    INFO(seen.out << refused.err);
    CHECK(refused.code == 7);
    CHECK(box.stored("core:1") == "1");
    CHECK(box.stored("core:endless") == "4");
    const auto plan = box.box().file("plan");
    CHECK(box.run({"increment", "core:1", "--amount", "2", "--plan", plan}).code == 0);
    CHECK(box.run({"apply", plan}).code == 0);
    CHECK(box.stored("core:1") == "3");
}

TEST_CASE("a watch sees a scheme's windows end and begin") {
    CounterDeployment box;
    box.set("core:1", "99", seconds_from_now(600));
    CHECK(box.run({"watch", "core:1", "--until", "below:100", "--every", "100ms", "--deadline", "20s"}).code == 0);
    box.set("core:1", "5", seconds_from_now(1));
    const auto watched = box.run({"watch", "core:1", "--until", "ended", "--every", "100ms", "--deadline", "20s"});
    INFO(watched.out << watched.err);
    CHECK(watched.code == 0);
}

TEST_CASE("a scheme that is not there is named with those that are") {
    WrittenDeployment box("scheme = \"bucket\"");
    const auto result = box.run({"check", "core:1"});
    CHECK(result.code == 3);
    CHECK(contains(result.err, "ratectl.toml:4: no scheme is called 'bucket'"));
    CHECK(contains(result.err, "window"));
}

TEST_CASE("a dump file shows a scheme's windows as its server did") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    for (int i = 1; i <= 50; ++i) box.set("core:" + std::to_string(i), std::to_string(i), end);
    box.server().command({"SAVE"});
    const auto file = box.server().folder() + "/dump.rdb";
    CHECK(box.rows({"scan", "--rdb", "alpha=" + file, "--min-used", "41"}).size() == 10);
}
