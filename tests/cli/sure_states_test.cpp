// A state is what a full look shows: of keys from standard input as of arguments, and wherever --state chooses.
#include <map>
#include <string>
#include <vector>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

/// core:hash is of another type, core:leaked is used up and never goes, core:full is used up, core:open is not.
struct FaultyBox : WrittenDeployment {
    FaultyBox() : WrittenDeployment(kFree) {
        server().command({"HSET", "core:hash", "a", "b"});
        server().command({"HSET", "core:hash:exp", "a", "b"});
        set_window("core:full", "100", seconds_from_now(3000));
        set_window("core:open", "5", seconds_from_now(3000));
        set_window("core:leaked", "100", seconds_from_now(3000));
        server().command({"PERSIST", "core:leaked"});
    }
    std::string names(std::vector<std::string> arguments, const std::string& input = {}) {
        arguments.insert(arguments.end(), {"-o", "name"});
        return run_with_input(arguments, input).out;
    }
};

std::string many_keys(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "core:" + std::to_string(i) + "\n";
    return text;
}

}  // namespace

TEST_CASE("keys of standard input are looked at as fully as arguments") {
    // A hash was absent and a window that never goes was exhausted, because `-` took the light look.
    FaultyBox box;
    for (const std::vector<std::string>& from : {std::vector<std::string>{"check", "-"}, {"check", "--client", "-"}}) {
        const bool clients = from.size() > 2;
        auto arguments = from;
        arguments.insert(arguments.end(), {"-o", "ndjson"});
        const auto rows = rows_of(
            box.run_with_input(arguments, clients ? "hash\nleaked\nfull\n" : "core:hash\ncore:leaked\ncore:full\n")
                .out);
        REQUIRE(rows.size() == 3);
        CHECK(rows[0].at("state") == "corrupt");
        CHECK(rows[1].at("state") == "leaked");
        CHECK(rows[2].at("state") == "exhausted");
        CHECK(rows[2].at("look") == "full");
    }
    CHECK(contains(box.run_with_input({"check", "-", "--look", "light"}, "core:hash\n").out, "absent"));
    CHECK(box.run_with_input({"headers", "-"}, "core:hash\n").code == 1);
}

TEST_CASE("of many keys the first hundred get the full look in their order") {
    FaultyBox box;
    const auto rows = rows_of(box.run_with_input({"check", "-", "-o", "ndjson"}, many_keys(2500)).out);
    REQUIRE(rows.size() == 2500);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool right =
            rows[i].at("key") == "core:" + std::to_string(i) && rows[i].at("look") == (i < 100 ? "full" : "light");
        if (!right) ++wrong;
    }
    CHECK(wrong == 0);
    const auto full = rows_of(box.run_with_input({"check", "-", "-o", "ndjson", "--look", "full"}, many_keys(150)).out);
    CHECK(full.back().at("look") == "full");
}

TEST_CASE("a state that is asked for is the one that a full look shows in every command") {
    // --state exhausted took a window that never goes, and --state absent took a hash.
    FaultyBox box;
    const std::string keys = "core:hash\ncore:leaked\ncore:full\ncore:open\n";
    CHECK(box.names({"scan", "--state", "exhausted"}) == "core:full\n");
    CHECK(box.names({"scan", "--state", "absent,orphan-counter,orphan-expiry"}).empty());
    CHECK(box.names({"scan", "--state", "open"}) == "core:open\n");
    CHECK(box.names({"scan", "--state", "leaked"}) == "core:leaked\n");
    CHECK(box.names({"check", "--match", "core:*", "--state", "exhausted"}) == "core:full\n");
    CHECK(box.names({"explain", "--match", "core:*", "--state", "exhausted"}) == "core:full\n");
    CHECK(box.names({"check", "-", "--state", "exhausted"}, keys + many_keys(150)) == "core:full\n");
    CHECK(box.names({"check", "-", "--state", "exhausted", "--look", "light"}, keys) == "core:full\n");
    CHECK(box.names({"top", "--state", "exhausted"}) == "core:full\n");
    CHECK(box.names({"watch", "--match", "core:*", "--state", "exhausted", "--rounds", "1"}) == "core:full\n");
    const auto stats = parse_json(box.run({"stats", "--state", "exhausted", "-o", "json"}).out);
    CHECK(stats.at("windows") == 1);
    CHECK(box.names({"reset", "--match", "core:*", "--state", "absent", "-n"}).empty());
    CHECK(box.names({"reset", "core:hash", "--state", "absent", "-n"}).empty());
    CHECK(box.names({"reset", "--match", "core:*", "--state", "exhausted", "-n"}) == "core:full\n");
    CHECK(box.names({"reset", "core:leaked", "core:full", "--state", "exhausted"}) == "core:full\n");
    CHECK(box.stored("core:leaked") == "100");
}

// A sweep that names no state called it orphan-expiry: a light look shows nothing of another type.
TEST_CASE("a half that a light sweep misses is looked for by its type before it is said to be missing") {
    FaultyBox box;
    box.server().command({"SET", "core:list:exp", std::to_string(seconds_from_now(3000))});
    box.server().command({"RPUSH", "core:list", "a", "b"});
    box.server().command({"SET", "core:half:exp", std::to_string(seconds_from_now(3000))});
    box.server().command({"SET", "core:lone", "7"});
    box.server().command({"SET", "core:odd", "7"});
    box.server().command({"RPUSH", "core:odd:exp", "a"});
    const std::map<std::string, std::string> states{{"core:full", "exhausted"},     {"core:open", "open"},
                                                    {"core:leaked", "exhausted"},   {"core:list", "corrupt"},
                                                    {"core:half", "orphan-expiry"}, {"core:odd", "corrupt"}};
    // Counters first, and those of `core:odd` and `core:lone` look alike then: one of them is no window.
    const std::vector<std::vector<std::string>> sweeps{
        {"scan"}, {"scan", "core:*"}, {"top"}, {"scan", "--top", "9"}, {"scan", "--sort", "used", "--reverse"}};
    for (const auto& sweep : sweeps) {
        auto arguments = sweep;
        arguments.insert(arguments.end(), {"-o", "ndjson"});
        std::map<std::string, std::string> found;
        for (const auto& row : rows_of(box.run(arguments).out)) {
            found[row.at("key")] = row.at("state");
            const bool sound = row.at("state") == "open" || row.at("state") == "exhausted";
            CHECK(row.at("look") == (sound ? "light" : "full"));
        }
        INFO(sweep.front() << sweep.size());
        CHECK(found == states);
    }
    CHECK(only_row(box.run({"scan", "--orphans", "--json", "core:lone"})).at("state") == "orphan-counter");
    const auto stats = parse_json(box.run({"stats", "-o", "json"}).out);
    for (const auto& count : stats.at("states")) {
        if (count.at("state") == "corrupt") CHECK(count.at("windows") == 2);
        if (count.at("state") == "orphan-expiry") CHECK(count.at("windows") == 1);
    }
}

// A condition held at once for a hash, sweeps found no faults under --look light, and --exit-status was 0 beside one.
TEST_CASE("a key of another type never makes a condition hold and never looks fine") {
    FaultyBox box;
    for (const std::string condition : {"below:5", "below:50%", "ended", "absent", "exhausted", "changed"}) {
        for (const std::string look : {"light", "full"}) {
            const auto result = box.run(
                {"watch", "core:hash", "--until", condition, "--every", "20ms", "--rounds", "2", "--look", look});
            INFO(condition << result.err);
            CHECK(result.code == 1);
            CHECK(contains(result.err, "does not hold yet"));
        }
    }
    CHECK(box.names({"scan", "--look", "light", "--state", "leaked"}) == "core:leaked\n");
    CHECK(box.names({"scan", "--look", "light", "--state", "corrupt"}) == "core:hash\n");
    CHECK(box.names({"check", "--all", "--look", "light", "--state", "corrupt"}) == "core:hash\n");
    box.server().command({"DEL", "core:full", "core:full:exp", "core:leaked", "core:leaked:exp"});
    for (const std::string look : {"", "light"}) {
        std::vector<std::string> more{"--exit-status"};
        if (!look.empty()) more.insert(more.end(), {"--look", look});
        const auto code = [&](std::vector<std::string> command, const std::string& input = {}) {
            command.insert(command.end(), more.begin(), more.end());
            return box.run_with_input(command, input).code;
        };
        CHECK(code({"stats"}) == 1);
        CHECK(code({"check", "--all"}) == 1);
        CHECK(code({"check", "core:hash"}) == 1);
        CHECK(code({"check", "-"}, many_keys(150) + "core:hash\n") == 1);
        CHECK(code({"check", "-"}, many_keys(150)) == 0);
    }
    box.server().command({"DEL", "core:hash", "core:hash:exp"});
    CHECK(box.run({"stats", "--exit-status"}).code == 0);
}

TEST_CASE("a key of another type is called so by every change with and without a dry run") {
    FaultyBox box;
    for (const std::vector<std::string>& change :
         {std::vector<std::string>{"reset"}, {"increment"}, {"refund", "--amount", "1"}}) {
        for (const bool dry : {false, true}) {
            CAPTURE(change.front(), dry);
            auto arguments = change;
            arguments.insert(arguments.end(), {"core:hash", "-o", "ndjson"});
            if (dry) arguments.emplace_back("-n");
            const auto result = box.run(arguments);
            CHECK(result.code == 7);
            CHECK(first_row(result.out).at("why_not") == "wrong-type");
        }
    }
    const auto foreign = box.run({"reset", "other", "-o", "ndjson"});
    CHECK(foreign.code == 1);
    box.server().command({"HSET", "other", "a", "b"});
    const auto refused = box.run({"reset", "other", "-o", "ndjson"});
    CHECK(first_row(refused.out).at("why_not") == "wrong-type");
    CHECK_FALSE(contains(refused.err, "--state corrupt"));
}

// Behind a hundred keys the look was a light one, and a refund skipped a hash as absent.
TEST_CASE("a key of another type is called so among many keys, too") {
    FaultyBox box;
    const std::string keys = many_keys(150) + "core:hash\ncore:open\n";
    for (const auto& change : {std::vector<std::string>{"refund", "-", "--amount", "1"},
                               {"reset", "-"},
                               {"increment", "-", "-n"},
                               {"refund", "-", "--amount", "1", "-n"},
                               {"increment", "-"}}) {
        auto arguments = change;
        arguments.insert(arguments.end(), {"-o", "ndjson"});
        const auto result = box.run_with_input(arguments, keys);
        INFO(change.front() << result.err);
        CHECK(result.code == 9);
        const auto rows = rows_of(result.out);
        REQUIRE(rows.size() == 152);
        CHECK(rows[150].at("key") == "core:hash");
        CHECK(rows[150].at("status") == "refused");
        CHECK(rows[150].at("why_not") == "wrong-type");
        if (change.front() == "refund") CHECK(rows[0].at("why_not") == "absent");
    }
    const auto left_out = box.run_with_input({"refund", "-", "--amount", "1", "--min-used", "1"}, keys);
    CHECK(
        contains(left_out.err, "core:hash' is left out by --min-used: there is no open window, its state is corrupt"));
}

// It was said that no window is called so.
TEST_CASE("a sweep of one key by its name shows it whatever types its halves are of") {
    WrittenDeployment box(kFree);
    box.server().command({"RPUSH", "core:both", "q"});
    box.server().command({"HSET", "core:both:exp", "a", "b"});
    const auto swept = box.run({"scan", "core:both", "-o", "json"});
    INFO(swept.out << swept.err);
    CHECK(swept.code == 0);
    const auto rows = parse_json(swept.out).at("rows");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("state") == "corrupt");
    CHECK(!contains(swept.err, "no window is called exactly so"));
}
