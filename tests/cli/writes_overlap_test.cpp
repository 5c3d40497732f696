// Changes of several chunks: planned, sent, recorded and printed side by side, with the same results as one by one.
#include <map>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string input_of(int count, int different) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "core:" + std::to_string(i % different) + "\n";
    return text;
}

/// How often a server ran this command.
int calls_of(RedisServer& server, const std::string& command) {
    const auto stats = server.command({"INFO", "commandstats"});
    const auto at = stats.find("cmdstat_" + command + ":calls=");
    return at == std::string::npos ? 0 : std::stoi(stats.substr(stats.find('=', at) + 1));
}

}  // namespace

TEST_CASE("chunks that overlap keep the order of the input and of every key") {
    WrittenDeployment box(kFree, 3);
    const auto result = box.run_with_input(
        {"increment", "-", "-o", "ndjson", "--columns", "key,status,after_used,op_id"}, input_of(17'000, 6'000));
    CHECK(result.code == 0);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 17'000);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string number = rows[i].at("op_id").get<std::string>();
        const bool good = rows[i].at("key") == "core:" + std::to_string(i % 6'000) &&
                          rows[i].at("status") == "applied" && rows[i].at("after_used") == i / 6'000 + 1 &&
                          number.substr(number.find('/') + 1) == std::to_string(i + 1);
        if (!good) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(contains(result.err, "17000 applied"));
}

TEST_CASE("the history of overlapping chunks has every row with its outcome in order") {
    WrittenDeployment box(kFree, 2);
    const auto written = box.run_with_input({"increment", "-", "-q", "--op-id", "many"}, input_of(12'000, 12'000));
    CHECK(written.code == 0);
    const auto rows = rows_of(box.run({"history", "many", "-o", "ndjson", "--columns", "key,status"}).out);
    REQUIRE(rows.size() == 12'000);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].at("key") != "core:" + std::to_string(i) || rows[i].at("status") != "applied") ++wrong;
    }
    CHECK(wrong == 0);
    const auto again =
        box.run_with_input({"increment", "-", "--op-id", "many", "-o", "ndjson"}, input_of(12'000, 12'000));
    CHECK(again.code == 0);
    CHECK(contains(again.err, "12000 already-applied"));
    const auto undone = box.run({"undo", "many", "-y", "-o", "ndjson", "--columns", "key,status,after_used"});
    CHECK(undone.code == 0);
    CHECK(rows_of(undone.out).size() == 12'000);
    CHECK(rows_of(undone.out).back().at("after_used").is_null());
}

TEST_CASE("increments and resets that a policy matches are sent without a look") {
    WrittenDeployment box(kFree);
    const auto input = input_of(50, 50);
    CHECK(box.run_with_input({"increment", "-", "-o", "name"}, input).code == 0);
    CHECK(box.run_with_input({"reset", "-", "-o", "name"}, input).code == 0);
    CHECK(calls_of(box.server(), "exec") == 0);
    CHECK(calls_of(box.server(), "evalsha") + calls_of(box.server(), "eval") <= 4);
    CHECK(box.run_with_input({"increment", "-", "-o", "name"}, input).code == 0);
    // Refunds look first, and what no policy matches is looked at by every change.
    CHECK(box.run_with_input({"refund", "-", "--amount", "1", "-o", "name"}, input).code == 0);
    CHECK(calls_of(box.server(), "exec") > 0);
}

TEST_CASE("a key that no policy matches is looked at before it is changed") {
    WrittenDeployment box(kFree);
    box.server().command({"SET", "other:1", "5"});
    const auto result = box.run({"increment", "other:1", "--period", "1h", "-o", "ndjson"});
    CHECK(result.code == 7);
    CHECK(contains(result.out, "not-a-window"));
    CHECK(box.stored("other:1") == "5");
}

TEST_CASE("windows that are refused say so without a look as they would with one") {
    WrittenDeployment box(kFree);
    box.set_window("core:text", "many", seconds_from_now(600));
    box.server().command({"RPUSH", "core:list", "a"});
    const auto rows = rows_of(box.run({"increment", "core:text", "core:list", "core:fine", "-o", "ndjson"}).out);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("status") == "refused");
    CHECK(rows[0].at("reason") == "not-an-integer");
    CHECK(rows[1].at("reason") == "wrong-type");
    CHECK(rows[2].at("status") == "applied");
    const auto gone = rows_of(box.run({"reset", "core:absent", "core:fine", "-o", "ndjson"}).out);
    CHECK(gone[0].at("status") == "skipped");
    CHECK(gone[0].at("reason") == "absent");
    CHECK(gone[1].at("status") == "applied");
}
