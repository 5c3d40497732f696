// watch on real servers: every change that another client makes, as it happens, and how the watch ends.
#include "cli/watching.h"

namespace ratectl::test {
namespace {

std::vector<std::string> quick(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--every", "20ms"});
    return arguments;
}

TEST_CASE("watch tells every change of a window as it happens") {
    WrittenDeployment box("");
    auto& server = box.server();
    Watching watching(box, quick({kAlice}));
    CHECK(watching.wait_for("first").at("state") == "absent");

    const auto reset = seconds_from_now(1000);
    put_window(server, kAlice, 90, reset);
    const auto opened = watching.wait_for("opened");
    CHECK(opened.at("used") == 90);
    CHECK(opened.at("delta") == 90);
    CHECK(opened.at("reset_at") == reset);
    CHECK(opened.at("limit") == 100);
    CHECK(opened.at("remaining") == 10);
    CHECK(opened.at("shard") == "alpha");
    CHECK(opened.at("role") == "primary");

    server.command({"INCRBY", kAlice, "12"});
    const auto exhausted = watching.wait_for("exhausted");
    CHECK(exhausted.at("used") == 102);
    CHECK(exhausted.at("remaining") == 0);
    CHECK(exhausted.at("state") == "exhausted");
    CHECK(watching.wait_for("counted").at("delta") == 12);

    server.command({"DECRBY", kAlice, "40"});
    const auto refunded = watching.wait_for("refunded");
    CHECK(refunded.at("used") == 62);
    CHECK(refunded.at("delta") == -40);

    server.command({"SET", kAlice + ":exp", std::to_string(reset - 10)});
    CHECK(watching.wait_for("changed").at("reset_at") == reset - 10);

    remove_window(server, kAlice);
    const auto removed = watching.wait_for("removed");
    CHECK(removed.at("used").is_null());
    CHECK(removed.at("delta") == -62);

    const auto before = watching.rows().size();
    put_window(server, kAlice, 7, seconds_from_now(2));
    watching.wait_for("opened", before);
    CHECK(watching.wait_for("ended").at("delta") == -7);

    const auto& result = watching.interrupt();
    CHECK(result.code == 130);
    CHECK(watching.events() == "first opened counted exhausted refunded changed removed opened ended");
    CHECK(result.err.find("1 window watched for ") != std::string::npos);
    CHECK(result.err.find(": 8 changes, ") != std::string::npos);
}

TEST_CASE("watch shows a window that was replaced between two looks as two events") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 50, seconds_from_now(1000));
    Watching watching(box, quick({kAlice}));
    watching.wait_for("first");
    put_window(box.server(), kAlice, 3, seconds_from_now(1100));
    watching.wait_for("opened");
    const auto rows = watching.rows();
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].at("event") == "removed");
    CHECK(rows[1].at("used").is_null());  // the look shows the other one
    CHECK(rows[1].at("delta") == -50);
    CHECK(rows[2].at("used") == 3);
    watching.interrupt();
}

TEST_CASE("watch says how fast a window is used and when its limit will be reached") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 0, seconds_from_now(3000));
    Watching watching(box, {kAlice, "--every", "100ms", "--limit", "1000000"});
    CHECK(watching.wait_for("first").at("rate").is_null());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    box.server().command({"INCRBY", kAlice, "5000"});
    const auto counted = watching.wait_for("counted");
    const double rate = counted.at("rate").get<double>();
    CHECK(rate > 0);
    CHECK(rate <= 50'000);
    const auto in_ms = counted.at("exhausts_in_ms").get<double>();
    CHECK(in_ms > 995'000 / rate * 1000 * 0.9);
    CHECK(in_ms < 995'000 / rate * 1000 * 1.1);
    CHECK(counted.at("exhausts_before_reset_ms").get<double>() + in_ms < 3'001'000);
    CHECK(watching.interrupt().err.find("requests/s, exhausted in ") != std::string::npos);
}

TEST_CASE("watch starts the application's clock where now says and lets it run") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 5, 1'700'000'002);
    Watching watching(box, quick({kAlice, "--now", "1700000000", "--until", "ended"}));
    CHECK(watching.wait_for("first").at("state") == "open");
    CHECK(watching.end().code == 0);
    CHECK(watching.events() == "first ended");
}

TEST_CASE("watch with a pattern tells of windows that come and go") {
    WrittenDeployment box("", 2);
    put_window(box.server(0), "core:zero", 1, seconds_from_now(1000));
    Watching watching(box, quick({"--match", "core:*"}));
    CHECK(watching.wait_for("first").at("key") == "core:zero");
    put_window(box.server(1), "core:one", 4, seconds_from_now(1000));
    const auto opened = watching.wait_for("opened");
    CHECK(opened.at("key") == "core:one");
    CHECK(opened.at("shard") == "beta");
    CHECK(opened.at("delta") == 4);
    box.server(0).command({"INCRBY", "core:zero", "2"});
    CHECK(watching.wait_for("counted").at("used") == 3);
    remove_window(box.server(0), "core:zero");
    CHECK(watching.wait_for("removed").at("key") == "core:zero");
    const auto& result = watching.interrupt();
    CHECK(watching.events() == "first opened counted removed");
    CHECK(result.err.find("1 window watched") != std::string::npos);  // the one that is left
}

TEST_CASE("watch with a pattern tells once of a window that is over but still stored") {
    WrittenDeployment box("");
    put_window(box.server(), "core:leaked", 5, seconds_from_now(-100));
    put_window(box.server(), "core:short", 5, seconds_from_now(3));
    Watching watching(box, quick({"--match", "core:*"}));
    watching.wait_for("ended");
    put_window(box.server(), "core:short", 6, seconds_from_now(1000));  // its old values never went away
    watching.wait_for("opened");
    watching.interrupt();
    CHECK(watching.events() == "first first ended opened");
}

TEST_CASE("watch of windows in a state begins with each as soon as it is in it") {
    WrittenDeployment box("");
    put_window(box.server(), "core:low", 10, seconds_from_now(1000));
    put_window(box.server(), "core:high", 85, seconds_from_now(1000));
    Watching watching(box, quick({"core:low", "core:high", "--min-used", "80%"}));
    CHECK(watching.wait_for("first").at("key") == "core:high");
    box.server().command({"INCRBY", "core:low", "5"});
    box.server().command({"INCRBY", "core:high", "5"});
    CHECK(watching.wait_for("counted").at("key") == "core:high");
    box.server().command({"INCRBY", "core:low", "70"});
    const auto joined = watching.wait_for("counted", 2);
    CHECK(joined.at("key") == "core:low");
    CHECK(joined.at("used") == 85);
    watching.interrupt();
}

TEST_CASE("watch ends at once when nobody reads its output any more, although nothing changes") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 1, seconds_from_now(1000));
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.timeout = std::chrono::seconds(60);
    const auto result = run_program(
        "/bin/bash",
        {"-c", "'" + ratectl_binary() + "' watch " + kAlice + " --every 1h -o ndjson | head -1; echo ${PIPESTATUS[0]}"},
        options);
    CHECK_FALSE(result.timed_out);
    CHECK(result.out.find("\"first\"") != std::string::npos);
    CHECK(result.out.ends_with("\n141\n"));
    CHECK(result.err.empty());
}

TEST_CASE("a watch that is killed leaves whole lines only") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 0, seconds_from_now(1000));
    Watching watching(box, {kAlice, "--every", "10ms"});
    watching.wait_for("first");
    for (int i = 0; i < 30; ++i) {
        box.server().command({"INCR", kAlice});
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    watching.wait_for("counted");
    watching.send(SIGKILL);
    CHECK(watching.end().signal == SIGKILL);
    const auto text = watching.text();
    REQUIRE_FALSE(text.empty());
    CHECK(text.back() == '\n');
    std::int64_t sum = 0;
    std::int64_t used = 0;
    for (const auto& row : watching.rows()) {
        if (row.at("event") == "counted") sum += row.at("delta").get<std::int64_t>();
        used = row.at("used").get<std::int64_t>();
    }
    CHECK(sum == used);
}

TEST_CASE("a signal ends a watch between two rounds at once") {
    WrittenDeployment box("");
    for (const auto& [number, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
        Watching watching(box, {kAlice, "--every", "1h"});
        watching.wait_for("first");
        const auto sent = std::chrono::steady_clock::now();
        watching.send(number);
        CHECK(watching.end().code == code);
        CHECK(std::chrono::steady_clock::now() - sent < std::chrono::seconds(20));
    }
}

TEST_CASE("a document of changes says that it is complete when its rounds are over") {
    WrittenDeployment box("");
    const auto result = box.run({"watch", kAlice, "--rounds", "3", "--every", "10ms", "--json"});
    CHECK(result.code == 0);
    const auto document = parse_json(result.out);
    CHECK(document.at("schema") == "ratectl.changes.v1");
    CHECK(document.at("complete") == true);
    CHECK(document.at("rows").size() == 1);
    CHECK(result.err.find(": 0 changes, 3 looks") != std::string::npos);
    const auto quiet = box.run({"watch", kAlice, "--rounds", "1", "-q", "-o", "csv", "--columns", "key,event,used"});
    CHECK(quiet.out == "key,key_b64,event,used\n" + kAlice + ",,first,\n");
    CHECK(quiet.err.empty());
}

TEST_CASE("what watch cannot do is a usage error") {
    WrittenDeployment box("");
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"watch"},
                                                      {"watch", kAlice, "--until", "exausted"},
                                                      {"watch", kAlice, "--until", "below:0"},
                                                      {"watch", kAlice, "--any"},
                                                      {"watch", kAlice, "--every", "1ms"},
                                                      {"watch", kAlice, "--rounds", "0"},
                                                      {"watch", kAlice, "--match", "core:*"},
                                                      {"watch", kAlice, "--policy", "other"}}) {
        const auto result = box.run(arguments);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
    }
}

}  // namespace
}  // namespace ratectl::test
