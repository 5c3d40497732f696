// doctor on real servers: what it finds, what it repairs, and what it leaves alone.
#include <string>

#include "cli/doctor_box.h"
#include "cli/printed_rows.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/time.h"
#include "support/time_text.h"

using namespace ratectl::test;

namespace {

std::string field(const std::string& ndjson, const std::string& name) {
    const auto row = first_row(ndjson);
    return row.at(name).is_string() ? row.at(name).get<std::string>() : row.at(name).dump();
}

}  // namespace

TEST_CASE("doctor finds a thousand planted faults among sound windows and repairs what can be") {
    DoctorBox planted(few_if_sanitized(20'000), few_if_sanitized(1'001));
    examine_and_repair(planted);
}

TEST_CASE("doctor finds nothing in a sound deployment and says so") {
    auto box = one_shard();
    box.set_window("core:42", "7", seconds_from_now(600));
    const auto result = box.run({"doctor"});
    CHECK(result.code == 0);
    CHECK(contains(result.err, "nothing found in 1 window on 1 shard"));
}

TEST_CASE("a table shows some examples of each class and counts the rest") {
    auto box = one_shard();
    for (int i = 0; i < 9; ++i) box.server().command({"SET", "core:c" + std::to_string(i), "7"});
    const auto result = box.run({"doctor", "--examples", "2"});
    CHECK(result.code == 1);
    CHECK(DoctorBox::findings(box.run({"doctor", "-o", "ndjson"}).out).size() == 9);
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 3);
    CHECK(contains(result.err, "7 more of them are not shown"));
    CHECK(contains(result.err, "9 orphan-counter"));
    const auto all = box.run({"doctor", "--all-findings"});
    CHECK(std::count(all.out.begin(), all.out.end(), '\n') == 10);
    const auto summary = box.run({"doctor", "--summary", "-o", "ndjson"});
    CHECK(field(summary.out, "class") == "orphan-counter");
    CHECK(field(summary.out, "count") == "9");
}

// -q showed five of each class, and that there were more was one of the things that it does not say.
TEST_CASE("a quiet doctor shows every finding and a quiet repair no row") {
    auto box = one_shard();
    for (int i = 0; i < 9; ++i) box.server().command({"SET", "core:c" + std::to_string(i), "7"});
    const auto rows = [&](const std::vector<std::string>& arguments) {
        const auto result = box.run(arguments);
        CHECK(result.err.empty());
        return std::count(result.out.begin(), result.out.end(), '\n');
    };
    CHECK(rows({"doctor", "-q", "--no-header"}) == 9);
    CHECK(rows({"doctor", "-q", "--examples", "2", "--no-header"}) == 2);  // as asked
    CHECK(rows({"doctor", "-q", "--fix", "orphan-counter", "-n"}) == 0);
    CHECK(rows({"doctor", "-q", "--fix", "orphan-counter", "-n", "-o", "table", "--no-header"}) == 9);
    CHECK(rows({"doctor", "-q", "--fix", "orphan-counter"}) == 0);
    CHECK(box.halves() == "0");
}

TEST_CASE("only and skip choose the classes") {
    auto box = one_shard();
    box.server().command({"SET", "core:orphan", "7"});
    box.set_window("core:leaked", "7", seconds_from_now(600));
    box.server().command({"PERSIST", "core:leaked"});
    CHECK(DoctorBox::findings(box.run({"doctor", "--only", "leaked", "-o", "ndjson"}).out) ==
          DoctorBox::Findings{{"leaked", "core:leaked"}});
    CHECK(DoctorBox::findings(box.run({"doctor", "--skip", "leaked", "-o", "ndjson"}).out) ==
          DoctorBox::Findings{{"orphan-counter", "core:orphan"}});
    const auto wrong = box.run({"doctor", "--only", "leeked"});
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, "leaked"));
}

TEST_CASE("what a late EXPIREAT leaves is told as that") {
    auto box = one_shard();
    // What the limiter's script does when its next reset is already past on the server's clock.
    box.server().command({"SET", "core:42", "0"});
    box.server().command({"SET", "core:42:exp", std::to_string(seconds_from_now(-5))});
    box.server().command({"EXPIREAT", "core:42", std::to_string(seconds_from_now(-4))});
    box.server().command({"EXPIREAT", "core:42:exp", std::to_string(seconds_from_now(-4))});
    box.server().command({"INCRBY", "core:42", "1"});
    const auto result = box.run({"doctor", "-o", "ndjson"});
    CHECK(field(result.out, "class") == "orphan-counter");
    CHECK(field(result.out, "detail") == "1 used, no expiry half and no TTL: a late EXPIREAT leaves this");
    const auto all = box.run({"doctor", "--fix", "all", "-y"});
    CHECK(all.code == 1);
    CHECK(contains(all.err, "--fix all has not touched 1 orphan-counter"));
    CHECK(contains(all.err, "--fix orphan-counter removes it"));
    CHECK(box.stored("core:42") == "1");
    CHECK(box.run({"doctor", "--fix", "orphan-counter", "-y"}).code == 0);
    CHECK(box.stored("core:42") == "(nil)");
}

TEST_CASE("windows that a new shard took over are misplaced where they were") {
    WrittenDeployment box("writes = \"allow\"", 3);
    // All on the first shard, as before the others were added.
    for (int i = 0; i < 60; ++i) box.set_window("core:" + std::to_string(i), "7", seconds_from_now(600));
    const auto result = box.run({"doctor", "-o", "ndjson"});
    const auto found = DoctorBox::findings(result.out);
    CHECK(found.size() > 20);
    CHECK(found == of_classes(found, {"misplaced"}));
    CHECK(contains(field(result.out, "detail"), "the application looks for it on shard '"));
    const auto refused = box.run({"doctor", "--fix", "misplaced", "-y"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "reset KEY --all-shards --shard NAME"));
}

// The advice was a usage error (`reshard apply` of nothing), or was left out by --shard.
TEST_CASE("what doctor advises about misplaced and duplicate windows removes them") {
    WrittenDeployment box("writes = \"allow\"", 3);
    std::string key = "core:0";
    const auto home = [&] { return first_row(box.run({"locate", key, "-o", "ndjson"}).out).at("shard"); };
    for (int i = 1; home() == "alpha"; ++i) key = "core:" + std::to_string(i);
    const auto advice = [&](const char* what) {
        for (const auto& row : rows_of(box.run({"doctor", "--classes", "-o", "ndjson"}).out)) {
            if (row.at("class") == what) return row.at("advice").get<std::string>();
        }
        return std::string();
    };
    const std::vector<std::string> reset{"reset", key, "--all-shards", "--shard", "alpha"};
    for (const char* what : {"misplaced", "duplicate"}) {
        INFO(what);
        CHECK(contains(advice(what), "`ratectl reset KEY --all-shards --shard NAME`"));
        box.set_window(key, "7", seconds_from_now(600));
        if (what == std::string("duplicate")) CHECK(box.run({"increment", key}).code == 0);
        CHECK(contains(box.run({"doctor"}).out, what));
        CHECK(box.run(reset).code == 0);
        CHECK(box.run({"doctor"}).code == 0);
    }
}

TEST_CASE("a repair sets expiries and undo puts the earlier ones back") {
    auto box = one_shard();
    const auto end = seconds_from_now(600);
    const auto right = std::to_string((end + 1) * 1000);
    const auto early = std::to_string((end - 60) * 1000);
    box.set_window("core:42", "7", end);
    box.server().command({"PEXPIREAT", "core:42", early});
    box.server().command({"PERSIST", "core:42:exp"});
    CHECK(contains(box.run({"doctor", "--fix", "all", "-n"}).out, "planned"));
    CHECK(box.server().command({"PEXPIRETIME", "core:42"}) == early);

    const auto fixed = box.run({"doctor", "--fix", "leaked", "-y", "-o", "ndjson"});
    INFO(fixed.err);
    CHECK(fixed.code == 0);
    CHECK(field(fixed.out, "status") == "applied");
    CHECK(box.server().command({"PEXPIRETIME", "core:42"}) == right);
    CHECK(box.server().command({"PEXPIRETIME", "core:42:exp"}) == right);
    CHECK(box.stored("core:42") == "7");
    const auto id = field(fixed.out, "op_id");
    const auto operation = id.substr(0, id.find('/'));
    const auto second = [](std::int64_t at) { return ratectl::support::format_time(ratectl::support::from_epoch(at)); };
    const auto earlier = second(end - 60) + " and never";
    CHECK(contains(box.run({"history", operation}).out, "doctor"));
    CHECK(contains(box.run({"history", operation}).out, "expires " + earlier + " -> " + second(end + 1)));
    CHECK(contains(box.run({"history", operation, "--on-servers"}).out, "expires " + earlier + " -> changed"));
    CHECK(contains(box.run({"undo", operation, "-n"}).out, "expires " + second(end + 1) + " -> " + earlier));
    CHECK(box.server().command({"PEXPIRETIME", "core:42"}) == right);

    const auto undone = box.run({"undo", operation, "-y"});
    INFO(undone.err);
    CHECK(undone.code == 0);
    CHECK(box.server().command({"PEXPIRETIME", "core:42"}) == early);
    CHECK(box.server().command({"PEXPIRETIME", "core:42:exp"}) == "-1");
    CHECK(box.stored("core:42") == "7");
    CHECK(contains(undone.out, "expires " + second(end + 1) + " -> " + earlier));
    CHECK(contains(box.run({"history", "--last", "1"}).out, "expires " + second(end + 1) + " -> " + earlier));
    const auto again = box.run({"undo", operation, "-y"});
    CHECK(contains(again.out, "already-applied"));
    CHECK(contains(again.out, " -> " + earlier));
}

TEST_CASE("the question before a mixed repair says how many of each there are") {
    WrittenDeployment box("writes = \"confirm\"");
    for (int i = 0; i < 3; ++i) {
        box.set_window("core:" + std::to_string(i), "7", seconds_from_now(600));
        box.server().command({"PERSIST", "core:" + std::to_string(i)});
    }
    box.server().command({"SET", "core:orphan", "7"});
    RunOptions options;
    options.terminal_only_for_questions = true;
    options.typed = "n\n";
    const auto asked = box.run({"doctor", "--fix", "all,orphan-counter"}, options);
    INFO(asked.err << asked.terminal);
    CHECK(asked.code == 7);
    CHECK(contains(asked.err,
                   "about to repair 4 windows of deployment 'box' (3 get other expiries, 1 is removed): alpha 4"));
    CHECK(box.stored("core:orphan") == "7");
}

TEST_CASE("a pattern without a wildcard that finds nothing gets a hint and one that finds half a window does not") {
    auto box = one_shard();
    const auto nothing = box.run({"doctor", "core:nothere"});
    CHECK(nothing.code == 0);
    CHECK(contains(nothing.err, "'core:nothere' has no wildcard and no window is called exactly so"));
    box.server().command({"SET", "core:nothere", "7"});
    const auto half = box.run({"doctor", "core:nothere"});
    CHECK(half.code == 1);
    CHECK_FALSE(contains(half.err, "no wildcard"));
    CHECK_FALSE(contains(box.run({"doctor", "core:elsewhere*"}).err, "no wildcard"));
}

TEST_CASE("one of a kind is told in the singular") {
    auto box = one_shard();
    for (int i = 0; i < 3; ++i) box.server().command({"SET", "core:c" + std::to_string(i), "7"});
    box.server().command({"SET", "other:1:exp", std::to_string(seconds_from_now(600))});
    const auto result = box.run({"doctor", "--examples", "2"});
    CHECK(contains(result.err, "1 more of them is not shown"));
    CHECK(contains(result.err, "1 key that no policy matches is left out"));
}

TEST_CASE("a repair asks and is refused where nobody answers") {
    WrittenDeployment box("writes = \"confirm\"");
    for (int i = 0; i < 2; ++i) {
        box.set_window("core:" + std::to_string(i), "7", seconds_from_now(600));
        box.server().command({"PERSIST", "core:" + std::to_string(i)});
    }
    const auto refused = box.run({"doctor", "--fix", "all", "-o", "ndjson"});
    CHECK(refused.code == 7);
    CHECK(field(refused.out, "class") == "leaked");  // not repaired, and found all the same
    CHECK(field(refused.out, "status") == "not-attempted");
    CHECK(box.server().command({"PTTL", "core:0"}) == "-1");
    CHECK(box.run({"doctor", "--fix", "all", "--read-only"}).code == 7);
    CHECK(box.run({"doctor", "--fix", "all", "-y"}).code == 0);
    CHECK(box.server().command({"PTTL", "core:0"}) != "-1");
}

TEST_CASE("a sample looks at so many windows and says that it did") {
    auto box = one_shard();
    for (int i = 0; i < 400; ++i) box.set_window("core:" + std::to_string(i), "7", seconds_from_now(600));
    CHECK(contains(box.run({"doctor", "--sample", "50"}).err, "50 windows of a sample"));
    CHECK(contains(box.run({"doctor", "--sample", "10%"}).err, "40 windows of a sample"));
    CHECK(box.run({"doctor", "--sample", "0"}).code == 2);
    CHECK(box.run({"doctor", "--sample", "101%"}).code == 2);
}

TEST_CASE("the classes are listed with what each means and whether it can be repaired") {
    const auto result = run_ratectl({"doctor", "--classes", "-o", "csv"});
    CHECK(result.code == 0);
    for (const char* name : {"orphan-counter", "orphan-expiry", "leaked", "ttl-short", "ttl-long", "expiry-past",
                             "expiry-absurd", "corrupt", "negative", "misplaced", "duplicate", "suffix-clash"}) {
        CHECK(contains(result.out, std::string("\n") + name + ","));
    }
}

TEST_CASE("dump files show the same faults as the servers that wrote them") {
    DoctorBox planted(1'300, 130);
    auto& box = planted.box();
    std::vector<std::string> arguments{"doctor", "-o", "ndjson"};
    const char* names[] = {"alpha", "beta", "gamma"};
    for (std::size_t shard = 0; shard < 3; ++shard) {
        box.server(shard).command({"SAVE"});
        arguments.insert(arguments.end(),
                         {"--rdb", std::string(names[shard]) + "=" + box.server(shard).folder() + "/dump.rdb"});
    }
    const auto result = box.run(arguments);
    INFO(result.err);
    CHECK(result.code == 1);
    CHECK(difference(DoctorBox::findings(result.out), planted.planted()) == "");
    arguments.insert(arguments.end(), {"--fix", "all", "-y"});
    CHECK(box.run(arguments).code == 2);
}
