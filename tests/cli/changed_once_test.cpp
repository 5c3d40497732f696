// A command changes a window once: keys that come again, rows of every node, header or change that are about one
// window.
#include <fstream>
#include <string>
#include <vector>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/built_programs.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

struct ReplicatedBox : WrittenDeployment {
    ReplicatedBox() : WrittenDeployment(kFree) {
        set_window("core:1", "50", seconds_from_now(3000));
        replica.make_replica_of(server());
        replica.await_replication_of(server());
        add_replica(0, replica.endpoint());
    }
    RedisServer replica;
};

std::vector<std::vector<std::string>> counted() { return {{"increment", "-"}, {"refund", "-", "--amount", "1"}}; }

std::string used_after(const std::vector<std::string>& change) { return change.front() == "refund" ? "49" : "51"; }

std::vector<std::string> and_then(std::vector<std::string> some, const std::vector<std::string>& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

}  // namespace

TEST_CASE("rows of one window change it once however many there are") {
    // Each row of --from all, compare and headers was written: up to five times for one window.
    const std::vector<std::vector<std::string>> looks{{"check", "core:1", "--from", "all"},
                                                      {"compare", "core:1", "--show-same"},
                                                      {"headers", "core:1"},
                                                      {"headers", "core:1", "--dialect", "legacy"}};
    for (const auto& look : looks) {
        for (const std::string format : {"ndjson", "csv"}) {
            for (const auto& change : counted()) {
                CAPTURE(look, format, change);
                ReplicatedBox box;
                const auto rows = box.run(and_then(look, {"-o", format}));
                REQUIRE(rows.code == 0);
                const auto result = box.run_with_input(and_then(change, {"--input", format}), rows.out);
                INFO(result.err);
                CHECK(result.code == 0);
                CHECK(box.stored("core:1") == used_after(change));
                CHECK(contains(result.err, "dropped: a command changes a window once"));
            }
        }
    }
}

TEST_CASE("a reset that was skipped under an id is skipped under it again whatever has been opened since") {
    WrittenDeployment box(kFree);
    const std::vector<std::string> words{"reset", "core:new", "--op-id", "FIRST"};
    CHECK(box.run(words).code == 1);
    box.set_window("core:new", "9", seconds_from_now(3000));
    const auto again = box.run(words);
    INFO(again.out << again.err);
    CHECK(again.code == 1);
    CHECK(contains(again.out, "absent"));
    CHECK(box.stored("core:new") == "9");
}

TEST_CASE("a refund that found no window under an id gives back in none under it whatever has been opened since") {
    WrittenDeployment box(kFree);
    for (const std::string scheme : {"window", "counter", "koa", "discourse"}) {
        const auto key = "core:" + scheme;
        const auto with_scheme = [&](std::vector<std::string> words) {
            words.insert(words.end(), {"--scheme", scheme});
            return box.run(words);
        };
        const std::vector<std::string> words{"refund", key, "--amount", "1", "--op-id", "FIRST-" + scheme};
        const auto first = with_scheme(words);
        INFO(first.out << first.err);
        CHECK(first.code == 1);
        CHECK(contains(first.out, "absent"));
        CHECK(with_scheme({"increment", key, "--amount", "9"}).code == 0);
        const auto again = with_scheme(words);
        INFO(again.out << again.err);
        CHECK(again.code == 1);
        CHECK(contains(again.out, "absent"));
        CHECK(first_row(with_scheme({"check", key, "-o", "ndjson"}).out).at("used") == 9);
        CHECK(with_scheme({"refund", key, "--amount", "1", "--op-id", "SECOND-" + scheme}).code == 0);
    }
}

TEST_CASE("the journal remembers what was asked under an id where no operation key does") {
    WrittenDeployment box(kFree);
    const auto change = [&box](std::vector<std::string> words) {
        words.insert(words.end(), {"core:1", "--no-op-key", "-o", "csv", "--columns", "status,reason"});
        return box.run(words);
    };
    const std::vector<std::string> refund{"refund", "--amount", "1", "--op-id", "given"};
    const std::vector<std::string> reset{"reset", "--op-id", "removed"};
    for (const auto& words : {refund, reset}) CHECK(change(words).code == 1);
    CHECK(change({"increment", "--amount", "5", "--op-id", "counted"}).code == 0);
    for (const auto& words : {refund, reset}) {
        CHECK(contains(change(words).out, "skipped,absent"));
        CHECK(box.stored("core:1") == "5");
    }
    CHECK(change({"refund", "--amount", "2", "--op-id", "given"}).code == 7);
    CHECK(change({"increment", "--amount", "50", "--op-id", "counted"}).code == 7);
    CHECK(contains(change({"increment", "--amount", "5", "--op-id", "counted"}).out, "already-applied"));
    CHECK(box.stored("core:1") == "5");
}

TEST_CASE("rows that contradict one another about a window are refused before anything is written") {
    WrittenDeployment box(kFree);
    const auto end = seconds_from_now(3000);
    box.set_window("core:1", "50", end);
    const auto row = [&](int amount, std::int64_t reset_at) {
        return R"({"key":"core:1","amount":)" + std::to_string(amount) + R"(,"reset_at":)" + std::to_string(reset_at) +
               "}\n";
    };
    for (const std::string& rows : {row(1, end) + row(2, end), row(1, end) + row(1, end + 60)}) {
        for (const char* command : {"increment", "refund", "reset"}) {
            const auto result =
                box.run_with_input(and_then({command, "-", "--input", "ndjson"},
                                            command == std::string("refund") ? std::vector<std::string>{"--amount", "1"}
                                                                             : std::vector<std::string>{}),
                                   rows);
            CHECK(result.code == 2);
            CHECK(contains(result.err, "the rows of key 'core:1' contradict one another"));
            CHECK(box.stored("core:1") == "50");
        }
    }
    const auto same = box.run_with_input({"refund", "-", "--input", "ndjson"}, row(3, end) + row(3, end));
    CHECK(same.code == 0);
    CHECK(box.stored("core:1") == "47");
}

// The one demanded its window, and the other was counted into whatever window stood there.
TEST_CASE("a row that demands a window and one of the same key that does not are refused before anything is written") {
    WrittenDeployment box(kFree);
    const auto end = seconds_from_now(3000);
    box.set_window("core:1", "50", end);
    const std::string guarded = R"({"key":"core:1","amount":1,"reset_at":)" + std::to_string(end) + "}\n";
    const std::string seen_absent = "{\"key\":\"core:1\",\"state\":\"absent\"}\n";
    const std::string other = "{\"key\":\"core:2\"}\n";
    for (const std::string& free :
         {std::string("{\"key\":\"core:1\"}\n"), std::string("{\"key\":\"core:1\",\"amount\":2}\n"),
          std::string("{\"client\":\"1\"}\n")}) {
        for (const auto& demanding : {guarded, seen_absent}) {
            for (const std::string& rows :
                 {other + free + demanding, other + demanding + free, free + free + demanding}) {
                const auto result = box.run_with_input({"increment", "-", "--input", "ndjson"}, rows);
                INFO(rows << result.err);
                CHECK(result.code == 2);
                CHECK(contains(result.err, "the rows of key 'core:1' contradict one another"));
                CHECK(contains(result.err, "only some of them name one"));
                CHECK(box.stored("core:1") == "50");
                CHECK(box.stored("core:2") == "(nil)");
            }
        }
    }
    CHECK(box.run_with_input({"increment", "-", "--input", "ndjson"}, guarded + other + guarded + other).code == 0);
    CHECK(box.stored("core:1") == "51");
    CHECK(box.stored("core:2") == "2");
}

TEST_CASE("arguments that are named twice are one, and what tells of no look counts for increment alone") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(3000));
    const auto twice = box.run({"refund", "core:1", "core:1", "--amount", "10"});
    CHECK(twice.code == 0);
    CHECK(box.stored("core:1") == "40");
    CHECK(contains(twice.err, "1 key that came again was dropped"));
    CHECK(box.run({"increment", "core:1", "core:1"}).code == 0);
    CHECK(box.stored("core:1") == "41");
    CHECK(box.run_with_input({"refund", "-", "--amount", "1"}, "core:1\ncore:1\n").code == 0);
    CHECK(box.stored("core:1") == "40");
    CHECK(box.run_with_input({"increment", "-"}, "core:1\ncore:1\n").code == 0);
    CHECK(box.stored("core:1") == "42");
    CHECK(box.run_with_input({"increment", "--client", "-"}, "1\n1\n").code == 0);
    CHECK(box.stored("core:1") == "44");
    const std::string amounts = "{\"key\":\"core:1\",\"amount\":5}\n{\"key\":\"core:1\",\"amount\":7}\n";
    CHECK(box.run_with_input({"increment", "-"}, amounts).code == 0);
    CHECK(box.stored("core:1") == "56");
    CHECK(box.run_with_input({"refund", "-", "--input", "ndjson"}, amounts).code == 2);
    CHECK(box.stored("core:1") == "56");
}

TEST_CASE("a row of headers is the guard of its window and a row that only places a key is refused") {
    for (const auto& change : counted()) {
        WrittenDeployment box(kFree);
        box.set_window("core:1", "50", seconds_from_now(3000));
        const auto headers = box.run({"headers", "core:1", "core:2", "-o", "ndjson"}).out;
        const auto places = box.run({"locate", "core:1", "-o", "ndjson"}).out;
        REQUIRE(box.run({"increment", "core:9"}).code == 0);
        const auto past = box.run({"history", "core:9", "-o", "ndjson"}).out;
        box.server().command({"DEL", "core:1", "core:1:exp"});
        box.set_window("core:1", "7", seconds_from_now(9000));
        box.set_window("core:2", "7", seconds_from_now(9000));
        const auto result = box.run_with_input(change, headers);
        CHECK(result.code == 7);
        CHECK(contains(result.out, "window-changed"));
        for (const auto& rows : {places, past}) {
            const auto refused = box.run_with_input(change, rows);
            CHECK(refused.code == 2);
            CHECK(contains(refused.err, "names its shard, but not what was stored"));
        }
        CHECK(box.stored("core:1") == "7");
        CHECK(box.stored("core:2") == "7");
        CHECK(box.stored("core:9") == "1");
        CHECK(box.run_with_input({"check", "-"}, places).code == 0);
    }
}

// The first of the two had been applied when the second was read.
TEST_CASE("rows that contradict one another far apart are refused before anything is written") {
    WrittenDeployment box(kFree);
    std::string rows;
    for (int i = 0; i < 12'000; ++i)
        rows += R"({"key":"core:)" + std::to_string(i) + R"(","amount":)" + std::to_string(i % 7 + 1) + "}\n";
    rows += R"({"key":"core:0","amount":5})"
            "\n";
    std::ofstream(box.file("rows")) << rows;
    for (int i : {0, 1, 11'999}) box.set_window("core:" + std::to_string(i), "50", seconds_from_now(900));
    for (const auto& from : {" < '" + box.file("rows") + "'", std::string()}) {
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = box.config_file();
        options.environment["XDG_STATE_HOME"] = box.file("state");
        const std::string cat = from.empty() ? "cat '" + box.file("rows") + "' | " : "";
        const auto result = run_program(
            "/bin/bash", {"-c", cat + "'" + ratectl_binary() + "' refund - --input ndjson" + from}, options);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK(contains(result.err, "the rows of key 'core:0' contradict one another"));
        CHECK(box.stored("core:0") == "50");
        CHECK(box.stored("core:11999") == "50");
    }
}

TEST_CASE("a row that contradicts an earlier one after a pause is refused and what was applied is said") {
    WrittenDeployment box(kFree);
    box.set_window("core:0", "50", seconds_from_now(900));
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.environment["XDG_STATE_HOME"] = box.file("state");
    options.folder = box.file("");
    const std::string script = R"({ echo '{"key":"core:0","amount":1}'; while [ ! -s out ]; do sleep 0.05; done; )"
                               R"(echo '{"key":"core:0","amount":2}'; } | ')" +
                               ratectl_binary() + "' refund - --input ndjson -o ndjson > out";
    const auto result = run_program("/bin/bash", {"-c", script}, options);
    INFO(result.err);
    CHECK(result.code == 9);
    CHECK(contains(result.err, "contradict one another"));
    CHECK(contains(result.err, "what came before it was carried out: 1 applied"));
    CHECK(box.stored("core:0") == "49");
}
