// The command: flags, dry runs, consent, reports and endings.
#include "commands/all_commands.h"

#include <string>

#include <fmt/format.h>

#include "support/catch.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using support::ExitCode;
using test::FakeContext;

namespace {

/// `clients`, a request each, a second apart; a capital letter's answer is 304.
std::string log_of(const std::string& clients) {
    std::string text;
    int second = 0;
    for (const char c : clients) {
        const bool modified = c >= 'a';
        text += fmt::format("{} - - [17/May/2015:10:{:02}:{:02} +0000] \"GET /p HTTP/1.1\" {} 5 \"-\" \"agent\"\n",
                            static_cast<char>(modified ? c : c - 'A' + 'a'), second / 60, second % 60,
                            modified ? 200 : 304);
        ++second;
    }
    return text;
}

ExitCode replay_in(FakeContext& context, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "-");
    return context.run(commands::replay_command(), std::move(arguments));
}

}  // namespace

TEST_CASE("A dry run of a log says who would have been limited and writes nothing") {
    FakeContext context(3, log_of("aaabbAabc"));
    context.given.dry_run = true;
    context.given.output = "ndjson";
    context.configured.limit = 3;
    CHECK(replay_in(context, {"--policy", "core", "--refund-status", "304"}) == ExitCode::done);
    CHECK(context.output().find(R"("key":"core:a")") != std::string::npos);
    CHECK(context.output().find(R"("status":"planned")") != std::string::npos);
    CHECK(context.output().find(R"("limit":3,"requests":5,"counted":5,"refunded":1,"over":2)") != std::string::npos);
    CHECK(context.output().find("core:b") == std::string::npos);
    CHECK(context.output().find("core:c") == std::string::npos);
    CHECK(context.errors().find("9 requests of 3 keys: 9 counted, 1 refunded, 2 over the limit, 3 windows") !=
          std::string::npos);
    CHECK(context.errors().find("dry run: nothing was written") != std::string::npos);
}

TEST_CASE("A row says how often and since when a key was over its limit") {
    FakeContext context(1, log_of("aaaaa"));
    context.given.dry_run = true;
    context.given.output = "ndjson";
    context.configured.limit = 3;
    CHECK(replay_in(context, {"--policy", "core"}) == ExitCode::done);
    CHECK(
        context.output().find(R"("limit":3,"requests":5,"counted":5,"refunded":0,"over":2,"rejected":0,"windows":1)") !=
        std::string::npos);
    CHECK(context.output().find(R"("first_over_at":1431856803,)") != std::string::npos);
    CHECK(context.output().find(R"("first_over_at_iso":"2015-05-17T10:00:03Z")") != std::string::npos);
    CHECK(context.output().find(R"("first_over_line":4)") != std::string::npos);
}

TEST_CASE("With enforce what is over the limit is rejected") {
    FakeContext context(1, log_of("aaaaa"));
    context.given.dry_run = true;
    context.given.output = "ndjson";
    context.configured.limit = 3;
    CHECK(replay_in(context, {"--policy", "core", "--enforce"}) == ExitCode::done);
    CHECK(context.output().find(R"("counted":3,"refunded":0,"over":2,"rejected":2)") != std::string::npos);
    CHECK(context.errors().find("3 counted, 2 rejected") != std::string::npos);
}

TEST_CASE("The limit of a class is the limit of its clients") {
    std::string log;
    for (int i = 0; i < 51; ++i) log += log_of("x").replace(0, 1, "midas");
    for (int i = 0; i < 21; ++i) log += log_of("x").replace(0, 1, "other");
    FakeContext context(1, log);
    context.given.dry_run = true;
    context.given.output = "ndjson";
    CHECK(replay_in(context, {"--policy", "core"}) == ExitCode::done);
    CHECK(context.output().find(R"("limit":50,"requests":51,"counted":51,"refunded":0,"over":1)") != std::string::npos);
    CHECK(context.output().find(R"("limit":20,"requests":21,"counted":21,"refunded":0,"over":1)") != std::string::npos);
}

TEST_CASE("The first malformed lines are shown and all are counted") {
    FakeContext context(1, "one\ntwo\nthree\nfour\n" + log_of("ab"));
    context.given.dry_run = true;
    CHECK(replay_in(context, {"--policy", "core"}) == ExitCode::done);
    CHECK(context.errors().find("standard input, line 3: not counted: there is no time in brackets: three") !=
          std::string::npos);
    CHECK(context.errors().find("line 4:") == std::string::npos);
    CHECK(context.errors().find("4 lines malformed") != std::string::npos);
}

TEST_CASE("A file that is no access log is an error and an empty one has nothing to change") {
    FakeContext wrong(1, "one\ntwo\n");
    wrong.given.dry_run = true;
    CHECK(replay_in(wrong, {"--policy", "core"}) == ExitCode::local_io);
    CHECK(wrong.errors().find("no line of standard input could be counted") != std::string::npos);
    FakeContext empty(1, "");
    empty.given.dry_run = true;
    CHECK(replay_in(empty, {"--policy", "core"}) == ExitCode::attention);
}

TEST_CASE("A log that is not there is named") {
    FakeContext context;
    context.given.dry_run = true;
    CHECK(context.run(commands::replay_command(), {"/nowhere/access.log", "--policy", "core"}) == ExitCode::local_io);
    CHECK(context.errors().find("/nowhere/access.log") != std::string::npos);
}

TEST_CASE("Without a yes a replay writes nothing and says how to answer") {
    FakeContext context(3, log_of("abc"));
    CHECK(replay_in(context, {"--policy", "core"}) == ExitCode::guard);
    CHECK(context.errors().find("-y") != std::string::npos);
    CHECK(context.errors().find("count requests in each of 3 windows") != std::string::npos);
    FakeContext many(1, log_of("abcdef"));
    many.given.yes = true;
    many.configured.max_keys = 5;
    CHECK(replay_in(many, {"--policy", "core"}) == ExitCode::guard);
    CHECK(many.errors().find("--confirm test") != std::string::npos);
}

TEST_CASE("What a replay has to know is asked for by name") {
    FakeContext no_key(1, log_of("a"));
    CHECK(replay_in(no_key, {}) == ExitCode::usage);
    FakeContext unknown(1, log_of("a"));
    CHECK(replay_in(unknown, {"--policy", "corr"}) == ExitCode::usage);
    CHECK(unknown.errors().find("did you mean 'core'?") != std::string::npos);
    FakeContext hole(1, log_of("a"));
    CHECK(replay_in(hole, {"--policy", "repo"}) == ExitCode::usage);
    CHECK(hole.errors().find("'owner'") != std::string::npos);
    FakeContext no_limit(1, log_of("a"));
    CHECK(replay_in(no_limit, {"--policy", "search"}) == ExitCode::configuration);
    CHECK(no_limit.errors().find("--limit") != std::string::npos);
    FakeContext both(1, log_of("a"));
    both.given.overrides.key = "k:{client}";
    CHECK(replay_in(both, {"--policy", "core"}) == ExitCode::usage);
    for (const std::string status : {"3O4", "99", "1000", "0304"}) {
        FakeContext bad(1, log_of("a"));
        CHECK(replay_in(bad, {"--policy", "core", "--refund-status=" + status}) == ExitCode::usage);
    }
    FakeContext since(1, log_of("a"));
    CHECK(replay_in(since, {"--policy", "core", "--since", "tomorrow"}) == ExitCode::usage);
    CHECK(since.errors().find("--since") != std::string::npos);
}

TEST_CASE("Keys that have no known shard are not counted") {
    FakeContext context(3, log_of("a"));
    context.configured.sharding.reset();
    context.given.yes = true;
    CHECK(replay_in(context, {"--policy", "core"}) == ExitCode::configuration);
    CHECK(context.errors().find("nothing was written") != std::string::npos);
}

TEST_CASE("A server that cannot be reached is told once and nothing is counted") {
    FakeContext context(1, log_of("ab"));
    context.given.yes = true;
    context.kill_primary(0);
    CHECK(replay_in(context, {"--policy", "core"}) == ExitCode::unavailable);
    CHECK(context.errors().find("0 counted, 2 not attempted") != std::string::npos);
}
