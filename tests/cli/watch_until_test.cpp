// watch as a wait for scripts: what it waits for, and the exit codes that tell how it ended.
#include "cli/watching.h"

namespace ratectl::test {
namespace {

std::vector<std::string> until(const std::string& condition, std::vector<std::string> keys = {kAlice}) {
    keys.insert(keys.end(), {"--every", "20ms", "--until", condition});
    return keys;
}

TEST_CASE("a condition that holds already ends a watch with its first look") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 40, seconds_from_now(1000));
    for (const char* condition : {"below:80%", "below:41", "ended,below:50"}) {
        INFO(condition);
        CHECK(box.run({"watch", kAlice, "--until", condition}).code == 0);
    }
    CHECK(box.run({"watch", kAlice, "--until", "exhausted", "--limit", "40"}).code == 0);
    CHECK(box.run({"watch", "core:nobody", "--until", "absent"}).code == 0);
    CHECK(box.run({"watch", "core:nobody", "--until", "below:1"}).code == 0);
}

TEST_CASE("a quiet watch prints nothing and waits all the same") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 10, seconds_from_now(1000));
    const auto result = box.run({"watch", kAlice, "--until", "below:80", "-q"});
    CHECK(result.code == 0);
    CHECK(result.out.empty());
    CHECK_FALSE(box.run({"watch", kAlice, "--until", "below:80", "-q", "-o", "ndjson"}).out.empty());
}

TEST_CASE("a condition that does not come by the deadline is exit code 1") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 80, seconds_from_now(1000));
    for (const char* condition : {"ended", "exhausted", "below:80%", "below:80", "absent", "changed"}) {
        const auto result = box.run({"watch", kAlice, "--every", "50ms", "--until", condition, "--deadline", "400ms"});
        INFO(condition << result.err);
        CHECK(result.code == 1);
        CHECK(result.err.find("the condition of --until does not hold yet") != std::string::npos);
    }
    CHECK(box.run({"watch", kAlice, "--until", "ended", "--rounds", "1"}).code == 1);
    CHECK(box.run({"watch", kAlice, "--deadline", "300ms"}).code == 0);  // nothing was waited for
}

TEST_CASE("waiting for the end of a window that is over or never was comes back at once") {
    WrittenDeployment box("");
    put_window(box.server(), kAlice, 80, seconds_from_now(-1));
    const std::vector<std::vector<std::string>> selections{{kAlice}, {"core:nobody"}, {"--match", "core:alice*"}};
    for (const auto& selection : selections) {
        std::vector<std::string> words{"watch"};
        words.insert(words.end(), selection.begin(), selection.end());
        words.insert(words.end(), {"--until", "ended", "--deadline", "60s", "--every", "30s"});
        const auto result = box.run(words);
        INFO(result.err);
        CHECK(result.code == 0);
    }
}

TEST_CASE("a watch that finds nothing to wait for does not say that its condition holds") {
    WrittenDeployment box("");
    box.set_window(kAlice, "40", seconds_from_now(1000));
    for (const char* condition : {"ended", "absent", "exhausted,ended"}) {
        const auto swept = box.run({"watch", "--match", "nosuch*", "--until", condition, "--deadline", "60s"});
        INFO(swept.err);
        CHECK(swept.code == 9);
        CHECK(swept.err.find("no window was found") != std::string::npos);
        CHECK(swept.err.find("holds") == std::string::npos);
        const auto named =
            box.run({"watch", kAlice, "--state", "exhausted", "--until", condition, "--deadline", "60s", "-o", "json"});
        INFO(named.err);
        CHECK(named.code == 9);
        CHECK(named.err.find("key 'core:alice' is left out by --state: its state is open") != std::string::npos);
        CHECK(named.err.find("condition of --until holds") == std::string::npos);
        CHECK(parse_json(named.out).at("left_out").at(0).at("key") == kAlice);
    }
    box.set_window("core:bob", "100", seconds_from_now(1000));
    const auto some = box.run({"watch", kAlice, "core:bob", "--state", "open", "--until", "below:50"});
    INFO(some.err);
    CHECK(some.code == 9);
    CHECK(some.err.find("condition of --until holds") != std::string::npos);
    CHECK(some.err.find("key 'core:bob' is left out by --state: its state is exhausted") != std::string::npos);
}

TEST_CASE("each condition ends a watch when it comes") {
    struct Case {
        const char* condition;
        std::function<void(RedisServer&)> act;
    };
    const std::vector<Case> cases{
        {"exhausted",
         [](RedisServer& server) {
             server.command({"INCRBY", kAlice, "15"});
         }},
        {"below:80%",
         [](RedisServer& server) {
             server.command({"DECRBY", kAlice, "11"});
         }},
        {"below:80",
         [](RedisServer& server) {
             server.command({"DECRBY", kAlice, "11"});
         }},
        {"absent", [](RedisServer& server) { remove_window(server, kAlice); }},
        {"ended", [](RedisServer& server) { remove_window(server, kAlice); }},
        {"changed",
         [](RedisServer& server) {
             server.command({"INCR", kAlice});
         }},
    };
    WrittenDeployment box("");
    for (const auto& [condition, act] : cases) {
        INFO(condition);
        put_window(box.server(), kAlice, 90, seconds_from_now(1000));
        Watching watching(box, until(condition));
        watching.wait_for("first");
        CHECK_FALSE(watching.has_ended());
        act(box.server());
        const auto& result = watching.end();
        CHECK(result.code == 0);
        CHECK(result.err.find("the condition of --until holds") != std::string::npos);
    }
}

TEST_CASE("a condition holds for all windows, or with any for one of them") {
    WrittenDeployment box("");
    put_window(box.server(), "core:a", 90, seconds_from_now(1000));
    put_window(box.server(), "core:b", 90, seconds_from_now(1000));
    Watching all(box, until("exhausted", {"core:a", "core:b"}));
    all.wait_for("first", 1);
    box.server().command({"INCRBY", "core:a", "10"});
    all.wait_for("exhausted");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK_FALSE(all.has_ended());
    box.server().command({"INCRBY", "core:b", "10"});
    CHECK(all.end().code == 0);
    auto arguments = until("below:50", {"core:a", "core:b"});
    arguments.emplace_back("--any");
    Watching any(box, arguments);
    any.wait_for("first", 1);
    box.server().command({"DECRBY", "core:b", "80"});
    CHECK(any.end().code == 0);
}

TEST_CASE("a watch that needs a limit which nobody knows names the key and ends with 3") {
    WrittenDeployment box("");
    put_window(box.server(), "other:alice", 5, seconds_from_now(1000));
    for (const char* condition : {"exhausted", "below:80%"}) {
        const auto result = box.run({"watch", "other:alice", "--until", condition});
        INFO(result.err);
        CHECK(result.code == 3);
        CHECK(result.err.find("'other:alice'") != std::string::npos);
        CHECK(result.err.find("--limit") != std::string::npos);
    }
    CHECK(box.run({"watch", "other:alice", "--until", "below:80"}).code == 0);
}

TEST_CASE("a shard that dies in mid-watch is named once, the others go on, and it is welcomed back") {
    WrittenDeployment box("timeout = \"1s\"", 2);
    // One key on each of the two shards, whatever the rule says.
    std::vector<std::string> keys(2);
    for (int i = 0; keys[0].empty() || keys[1].empty(); ++i) {
        const std::string key = "core:" + std::to_string(i);
        const auto located = parse_json(box.run({"locate", key, "-o", "ndjson"}).out);
        keys[located.at("shard") == "alpha" ? 0 : 1] = key;
    }
    for (std::size_t i = 0; i < 2; ++i) put_window(box.server(i), keys[i], 1, seconds_from_now(1000));
    Watching watching(box, {keys[0], keys[1], "--every", "20ms"});
    watching.wait_for("first", 1);
    box.server(1).kill();
    const auto failed = watching.wait_for("failed");
    CHECK(failed.at("shard") == "beta");
    CHECK(failed.at("key").is_null());
    CHECK_FALSE(failed.at("error").get<std::string>().empty());
    box.server(0).command({"INCR", keys[0]});
    CHECK(watching.wait_for("counted").at("key") == keys[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    box.server(1).start_again();
    CHECK(watching.wait_for("back").at("shard") == "beta");
    CHECK(watching.wait_for("removed").at("key") == keys[1]);  // it came back empty
    const auto& result = watching.interrupt();
    CHECK(result.code == 130);
    CHECK(watching.events() == "first first failed counted back removed");
    CHECK(result.err.find("shard 'beta'") == result.err.rfind("shard 'beta'"));  // said once
}

TEST_CASE("a watch that ends while a shard is silent says so by its exit code") {
    WrittenDeployment one("timeout = \"200ms\"");
    one.server().kill();
    const auto nobody = one.run({"watch", kAlice, "--every", "20ms", "--until", "absent", "--deadline", "500ms"});
    INFO(nobody.err << nobody.out);
    CHECK(nobody.code == 4);

    WrittenDeployment two("timeout = \"200ms\"", 2);
    two.server(1).kill();
    const auto some = two.run(
        {"watch", "--match", "core:*", "--until", "absent", "--every", "20ms", "--deadline", "2s", "-o", "ndjson"});
    INFO(some.err << some.out);
    CHECK(some.code == 9);
    CHECK(some.out.find("\"failed\"") == some.out.rfind("\"failed\""));
}

TEST_CASE("a watch that is not let in does not wait to be") {
    WrittenDeployment box("");
    box.server().command({"CONFIG", "SET", "requirepass", "secret"});
    const auto result = box.run({"watch", kAlice, "--every", "20ms"});
    INFO(result.err);
    CHECK_FALSE(result.timed_out);
    CHECK(result.code == 5);
}

}  // namespace
}  // namespace ratectl::test
