// check and client over pretended servers: rows, what is unknown, what is missing, and exit codes.
#include "commands/look/check.h"

#include "commands/all_commands.h"
#include "commands/request/selection.h"
#include "output/row_sink.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using support::ExitCode;
using test::contains;
using test::FakeContext;

namespace {

ExitCode check(FakeContext& context, std::vector<std::string> arguments) {
    arguments.push_back("--look=light");
    return context.run(commands::check_command(), std::move(arguments));
}

}  // namespace

TEST_CASE("check prints a row per key in the order asked and duplicates twice") {
    FakeContext context(3);
    context.put("core:alice", "7", "1600");
    context.put("core:bob", "20", "1010");
    CHECK(check(context, {"core:bob", "core:nobody", "core:alice", "core:bob"}) == ExitCode::done);
    CHECK(context.output() ==
          "KEY          STATE      USED  LIMIT  REMAINING  RESET AT              SHARD\n"
          "core:bob     exhausted    20     20          0  1970-01-01T00:16:50Z  " +
              context.settings().shards[context.shard_map()->shard_of("core:bob")].shard.name +
              "\n"
              "core:nobody  absent        -     20         20  -                     " +
              context.settings().shards[context.shard_map()->shard_of("core:nobody")].shard.name +
              "\n"
              "core:alice   open          7     20         13  1970-01-01T00:26:40Z  " +
              context.settings().shards[context.shard_map()->shard_of("core:alice")].shard.name +
              "\n"
              "core:bob     exhausted    20     20          0  1970-01-01T00:16:50Z  " +
              context.settings().shards[context.shard_map()->shard_of("core:bob")].shard.name + "\n");
    CHECK(context.errors().empty());
}

TEST_CASE("check in json says where each number comes from and null for what is unknown") {
    FakeContext context;
    context.put("core:midas", "9007199254740993", "1600");
    context.put("search:x", "3", "1600");
    context.given.output = "ndjson";
    context.given.columns = "key,state,used,limit,remaining,percent,limited,client_class,limit_source,stored_used";
    CHECK(check(context, {"core:midas", "search:x", "core:none"}) == ExitCode::done);
    CHECK(
        context.output() ==
        R"({"key":"core:midas","state":"exhausted","used":9007199254740993,"limit":50,"remaining":0,"percent":18014398509481984,"limited":true,"client_class":"gold","limit_source":"class:gold","stored_used":"9007199254740993"})"
        "\n"
        R"({"key":"search:x","state":"open","used":3,"limit":null,"remaining":null,"percent":null,"limited":null,"client_class":null,"limit_source":null,"stored_used":"3"})"
        "\n"
        R"({"key":"core:none","state":"absent","used":null,"limit":20,"remaining":20,"percent":null,"limited":false,"client_class":null,"limit_source":"policy:core","stored_used":null})"
        "\n");
}

TEST_CASE("a corrupt window is neither limited nor free and says what is wrong") {
    FakeContext context;
    context.put("core:alice", "seven", "1600");
    context.put("core:bob", "7", "soon\x1b");
    context.given.output = "ndjson";
    context.given.columns = "key,state,used,remaining,limited,stored_used,stored_reset_at,error";
    CHECK(check(context, {"core:alice", "core:bob"}) == ExitCode::done);
    CHECK(
        context.output() ==
        R"({"key":"core:alice","state":"corrupt","used":null,"remaining":null,"limited":null,"stored_used":"seven","stored_reset_at":"1600","error":"the counter is not an integer"})"
        "\n"
        R"({"key":"core:bob","state":"corrupt","used":null,"remaining":null,"limited":null,"stored_used":"7","stored_reset_at":"soon\u001b","error":"the reset time is not an epoch second"})"
        "\n");
}

TEST_CASE("exit status is one when a checked window is exhausted and zero when none is") {
    FakeContext context;
    context.put("core:alice", "7", "1600");
    context.put("core:bob", "21", "1600");
    CHECK(check(context, {"--exit-status", "core:alice"}) == ExitCode::done);
    CHECK(check(context, {"--exit-status", "core:alice", "core:bob"}) == ExitCode::attention);
    CHECK(check(context, {"core:bob"}) == ExitCode::done);
}

TEST_CASE("an unknown limit under exit status ends with three and names the key after printing every row") {
    FakeContext context;
    context.put("search:x", "3", "1600");
    context.put("core:alice", "7", "1600");
    CHECK(check(context, {"--exit-status", "search:x", "core:alice"}) == ExitCode::configuration);
    CHECK(contains(context.output(), "search:x"));
    CHECK(contains(context.output(), "core:alice"));
    CHECK(contains(context.errors(), "the limit of key 'search:x' is unknown"));
    context.configured.limit = 3;
    CHECK(check(context, {"--exit-status", "search:x"}) == ExitCode::attention);
}

TEST_CASE("an unknown limit that a filter needs ends with three and a whole json document") {
    for (const std::string filter : {"--state=exhausted", "--min-used=80%"}) {
        FakeContext context;
        context.put("search:x", "3", "1600");
        context.given.output = "json";
        CHECK(check(context, {"search:x", filter}) == ExitCode::configuration);
        CHECK(contains(context.errors(), "'search:x'"));
        CHECK(contains(context.output(), "\"complete\":false}"));
    }
}

TEST_CASE("a dead shard costs only its own keys and the code says partial") {
    FakeContext context(3);
    std::vector<std::string> keys;
    std::size_t dead = 0;
    for (int i = 0; i < 10; ++i) {
        keys.push_back("core:" + std::to_string(i * i * 977));
        context.put(keys.back(), "1", "1600");
        dead += context.shard_map()->shard_of(keys.back()) == 1 ? 1 : 0;
    }
    REQUIRE(dead > 1);
    REQUIRE(dead < 10);
    context.kill_primary(1);
    context.given.output = "name";
    CHECK(check(context, keys) == ExitCode::partial);
    CHECK(static_cast<std::size_t>(std::count(context.output().begin(), context.output().end(), '\n')) == 10 - dead);
    CHECK(std::count(context.errors().begin(), context.errors().end(), '\n') == 2);
    CHECK(contains(context.errors(), "connection refused"));
    CHECK(contains(context.errors(), std::to_string(dead) + " of 10 keys could not be looked at"));
}

TEST_CASE("keys that could not be looked at are counted as asked, and each is named once") {
    const auto said = [](const std::vector<std::string>& keys) {
        FakeContext context;
        context.kill_primary(0);
        CHECK(check(context, keys) == ExitCode::unavailable);
        return context.errors();
    };
    CHECK(contains(said({"core:a", "core:a", "core:a", "core:b"}),
                   "4 of 4 keys could not be looked at, 'core:a', 'core:b'; what"));
    CHECK(contains(said({"core:a", "core:b", "core:a", "core:c", "core:d"}),
                   "5 of 5 keys could not be looked at, first 'core:a', 'core:b', 'core:c'; what"));
    std::vector<std::string> many(1500, "core:a");  // more than have a row of their own
    CHECK(contains(said(many), "1500 of 1500 keys could not be looked at, first 'core:a'; what"));
}

TEST_CASE("a key whose only shard is dead ends with four and no row") {
    FakeContext context;
    context.kill_primary(0);
    context.given.output = "json";
    CHECK(check(context, {"core:alice"}) == ExitCode::unavailable);
    CHECK(contains(context.output(),
                   "\"rows\":[],\"failures\":[\n{\"shard\":\"alpha\",\"node\":\"10.0.0.1:6379\",\"code\":4,"));
    CHECK_FALSE(contains(context.output(), "absent"));
}

TEST_CASE("from all gives a row per node and a dead replica makes it partial") {
    FakeContext context;
    context.put("core:alice", "7", "1600");
    context.configured.read_from = domain::parse_read_from("all");
    CHECK(check(context, {"core:alice"}) == ExitCode::done);
    CHECK(contains(context.output(), "core:alice  10.0.0.1:6379  primary  open"));
    CHECK(contains(context.output(), "core:alice  10.0.1.1:6379  replica  open"));
    FakeContext broken;
    broken.put("core:alice", "7", "1600");
    broken.configured.read_from = domain::parse_read_from("all");
    broken.kill_replica(0);
    CHECK(check(broken, {"core:alice"}) == ExitCode::partial);
    CHECK(contains(broken.output(), "primary"));
    CHECK_FALSE(contains(broken.output(), "10.0.1.1"));
}

TEST_CASE("a stale replica answers for its dead primary and the code says partial") {
    FakeContext context;
    context.put("core:alice", "7", "1600");
    context.configured.read_from = domain::parse_read_from("replica");
    context.kill_primary(0);
    context.replica(0).facts.link_up = false;
    CHECK(check(context, {"core:alice"}) == ExitCode::partial);
    CHECK(contains(context.output(), "alpha (stale)\n"));
    CHECK(contains(context.errors(), "connection refused"));
}

TEST_CASE("a client of overlapping policies is named once") {
    FakeContext context;
    auto policies = context.configured.policies.policies();
    policies.push_back(policies.front());
    policies.back().name = "core-again";
    context.configured.policies = domain::PolicyBook(policies);
    context.given.output = "name";
    CHECK(context.run(commands::client_command(), {"alice", "--look=light"}) == ExitCode::done);
    CHECK(context.output() == "core:alice\nsearch:alice\n");
    // Of the later one alone it is nothing.
    CHECK(context.run(commands::client_command(), {"alice", "--policy=core-again"}) == ExitCode::partial);
    CHECK(contains(context.errors(), "policy 'core' comes before 'core-again' and takes it"));
}

TEST_CASE("without sharding every shard is asked and only those that have the window answer") {
    FakeContext context(3);
    context.configured.sharding.reset();
    context.put_raw(2, "core:alice", "7");
    context.put_raw(2, "core:alice:exp", "1600");
    CHECK(check(context, {"core:alice", "core:nobody"}) == ExitCode::done);
    CHECK(contains(context.errors(), "every shard is asked"));
    CHECK(contains(context.output(), "gamma\n"));
    CHECK_FALSE(contains(context.output(), "alpha"));
    CHECK(contains(context.output(), "core:nobody  -"));
}

TEST_CASE("while a shard is silent a key found nowhere is not called absent") {
    FakeContext context(2);
    context.configured.sharding.reset();
    context.kill_primary(1);
    CHECK(check(context, {"core:alice"}) == ExitCode::unavailable);
    CHECK_FALSE(contains(context.output(), "absent"));
}

TEST_CASE("filters narrow named keys before and after the look and the code says that some are left out") {
    FakeContext context;
    context.put("core:alice", "7", "1600");
    context.put("core:midas", "30", "1600");
    context.put("search:x", "3", "1001");
    context.given.output = "name";
    const auto shown = [&](const std::string& filter) {
        const std::size_t before = context.output().size();
        CHECK(check(context, {"core:alice", "core:midas", "search:x", "core:none", filter}) == ExitCode::partial);
        return context.output().substr(before);
    };
    CHECK(shown("--policy=search") == "search:x\n");
    CHECK(shown("--class=gold") == "core:midas\n");
    CHECK(shown("--min-used=7") == "core:alice\ncore:midas\n");
    CHECK(shown("--resets-within=1s") == "search:x\n");
    CHECK(shown("--state=absent") == "core:none\n");
    CHECK(contains(context.errors(),
                   "3 named keys are left out by --policy, first 'core:alice': it is of policy 'core'"));
    CHECK(contains(context.errors(), "3 named keys are left out by --state, first 'core:alice': its state is open"));
}

TEST_CASE("keys come from standard input and a carriage return is refused with its line") {
    FakeContext context(1, "core:a\n\ncore:b\n");
    context.given.output = "name";
    CHECK(check(context, {"-"}) == ExitCode::done);
    CHECK(context.output() == "core:a\ncore:b\n");
    FakeContext windows(1, "core:a\r\n");
    CHECK(check(windows, {"-"}) == ExitCode::local_io);
    CHECK(contains(windows.errors(), "line 1"));
}

TEST_CASE("a quiet check prints no row and only its exit code answers") {
    FakeContext context;
    context.put("core:bob", "20", "1600");
    context.given.quiet = true;
    CHECK(check(context, {"core:bob", "--exit-status"}) == ExitCode::attention);
    CHECK(context.output().empty());
    CHECK(context.errors().empty());
    context.given.output = "name";
    CHECK(check(context, {"core:bob"}) == ExitCode::done);
    CHECK(context.output() == "core:bob\n");
}

TEST_CASE("rows of another format are not taken for keys") {
    for (const std::string line :
         {"{\"key\":\"core:b\",\"used\":1}", "key,key_b64,used", "core:b,,1,20", "core:b\t\t1\t20",
          "core:b     exhausted    20     20          0  1970-01-01T00:16:50Z  s0", "KEY  core:b"}) {
        CAPTURE(line);
        FakeContext context(1, "core:a\n" + line + "\n");
        CHECK(check(context, {"-"}) == ExitCode::local_io);
        CHECK(contains(context.errors(), "standard input, line 2: this is a"));
        CHECK(contains(context.errors(), "--input keys takes every line as a key"));
        FakeContext said(1, line + "\n");
        said.given.output = "name";
        CHECK(check(said, {"--input=keys", "-"}) ==
              (line.find('\t') == std::string::npos ? ExitCode::done : ExitCode::partial));
    }
}

TEST_CASE("a table on standard input is refused and never read as keys that are absent") {
    for (const std::string output : {"table", "wide"}) {
        FakeContext first;
        first.put("core:a", "7", "1600");
        first.given.output = output;
        CHECK(check(first, {"core:a", "core:b"}) == ExitCode::done);
        FakeContext second(1, first.output());
        CHECK(check(second, {"-"}) == ExitCode::local_io);
        CHECK(second.output().empty());
        CHECK(contains(second.errors(), "standard input holds a table"));
        CHECK(contains(second.errors(), "-o name, json, ndjson, csv and tsv"));
    }
    FakeContext alone(1, "KEY\ncore:a\n");
    CHECK(check(alone, {"-"}) == ExitCode::local_io);
}

TEST_CASE("keys ended by NULs without -0 and lines with it are refused") {
    FakeContext nul(1, std::string("core:a\0core:b\0", 14));
    CHECK(check(nul, {"-"}) == ExitCode::local_io);
    CHECK(contains(nul.errors(), "NUL"));
    CHECK(contains(nul.errors(), "-0"));
    CHECK(nul.output().empty());
    FakeContext lines(1, "core:a\ncore:b\n");
    lines.given.nul = true;
    CHECK(check(lines, {"-"}) == ExitCode::local_io);
    CHECK(contains(lines.errors(), "without -0"));
}

TEST_CASE("rows for --client - are refused whether their format is said or seen") {
    FakeContext context(1, "client,used\nalice,3\n");
    CHECK(check(context, {"--client=-"}) == ExitCode::usage);
    CHECK(contains(context.errors(), "give `-` as the key"));
}

TEST_CASE("rows that ratectl printed are recognised and read back whatever their keys hold") {
    for (const std::string key :
         {"core:a\n\xff\"'", "core:\ta\\n", "core:a,b", "=core", "core:\xe2\x80\xae{\"x\":[1]}"}) {
        for (const std::string output : {"json", "ndjson", "csv", "tsv"}) {
            for (const std::string key_format : {"raw", "escaped", "hex"}) {
                CAPTURE(key, output, key_format);
                FakeContext first;
                first.given.output = output;
                const auto format = support::value_or_throw(output::parse_key_format(key_format));
                first.given.key_format = key_format;
                CHECK(check(first, {output::encode_key(format, key)}) == ExitCode::done);
                FakeContext second(1, first.output());
                second.given.key_format = first.given.key_format;
                commands::Selection selection;
                selection.keys = {"-"};
                const auto keys = commands::KeyStream(selection, second).next(9);
                REQUIRE(keys.size() == 1);
                CHECK(keys[0].key == key);
            }
        }
    }
}

TEST_CASE("client looks at every policy that a client alone can name and tells of the others") {
    FakeContext context;
    context.put("core:alice", "7", "1600");
    context.given.output = "name";
    CHECK(context.run(commands::client_command(), {"alice", "--look=light"}) == ExitCode::done);
    CHECK(context.output() == "core:alice\nsearch:alice\n");
    CHECK(contains(context.errors(), "left out: policy 'repo'"));
}

TEST_CASE("client in the shape of the api") {
    FakeContext context;
    context.put("core:alice", "7", "1600");
    context.given.output = "github";
    CHECK(context.run(commands::client_command(), {"alice"}) == ExitCode::done);
    CHECK(
        context.output() ==
        R"({"resources":{"core":{"limit":20,"used":7,"remaining":13,"reset":1600},)"
        R"("search":{"limit":null,"used":0,"remaining":null,"reset":4600}},"rate":{"limit":20,"used":7,"remaining":13,"reset":1600}})"
        "\n");
}

TEST_CASE("the shape of the api is one answer and not one a node") {
    FakeContext context;
    context.given.output = "github";
    context.configured.read_from.which = domain::ReadFrom::Which::all;
    CHECK(context.run(commands::client_command(), {"alice"}) == ExitCode::usage);
    CHECK(context.output().empty());
}

TEST_CASE("a stale replica in place of a dead primary is shown and the answer is partial") {
    for (const std::string output : {"table", "github"}) {
        FakeContext context;
        context.put("core:alice", "7", "1600");
        context.replica(0).facts.link_up = false;
        context.kill_primary(0);
        context.given.output = output;
        context.configured.read_from.which = domain::ReadFrom::Which::replica;
        std::vector<std::string> arguments{"alice"};
        if (output == "table") arguments.push_back("--look=light");
        CHECK(context.run(commands::client_command(), arguments) == ExitCode::partial);
        CHECK(contains(context.output(), "core"));
        CHECK(contains(context.errors(), "connection refused"));
    }
}

TEST_CASE("what check cannot mean is a usage error before anything is asked") {
    const std::vector<std::vector<std::string>> wrong = {{},
                                                         {""},
                                                         {"a", "-"},
                                                         {"a", "--match=b*"},

                                                         {"a", "--state=opne"},
                                                         {"a", "--policy=cor"},
                                                         {"a", "--class=silver"},
                                                         {"a", "--shard=x"},
                                                         {"a", "--min-used=010"},
                                                         {"a", "--min-used=5%%"},
                                                         {"a", "--min-used=-%"},
                                                         {"a", "--resets-within=5"},
                                                         {"a", "--sort=nothing"},
                                                         {"a", "--reverse"},
                                                         {"a", "--input=csv"},
                                                         {"-", "--client=-"},
                                                         {"--match=a*", "--as-script"}};
    for (const auto& arguments : wrong) {
        FakeContext context;
        INFO((arguments.empty() ? std::string("no argument") : arguments.back()));
        CHECK(check(context, arguments) == ExitCode::usage);
        CHECK(context.output().empty());
        CHECK(context.primary(0).opened() == 0);
    }
}

TEST_CASE("a near name is suggested for a filter's typo") {
    FakeContext context;
    check(context, {"a", "--state=exhuasted"});
    CHECK(contains(context.errors(), "hint: did you mean 'exhausted'?"));
}

TEST_CASE("rows can be ordered by any column with nulls last either way") {
    FakeContext context;
    context.put("core:a", "7", "1600");
    context.put("core:b", "9", "1600");
    context.put("core:c", "8", "1600");
    context.given.output = "name";
    CHECK(check(context, {"core:a", "core:none", "core:b", "core:c", "--sort=used"}) == ExitCode::done);
    CHECK(context.output() == "core:a\ncore:c\ncore:b\ncore:none\n");
    CHECK(check(context, {"core:a", "core:none", "core:b", "core:c", "--sort=used", "--reverse"}) == ExitCode::done);
    CHECK(context.output() == "core:a\ncore:c\ncore:b\ncore:none\ncore:b\ncore:c\ncore:a\ncore:none\n");
}

TEST_CASE("name leaves out unsafe keys and ends with partial") {
    FakeContext context;
    context.given.output = "name";
    CHECK(check(context, {"core:a\nb", "core:c"}) == ExitCode::partial);
    CHECK(context.output() == "core:c\n");
    CHECK(contains(context.errors(), "key 'core:a\\nb' is left out"));
}

TEST_CASE("columns help lists every column without asking anybody") {
    FakeContext context;
    context.given.columns = "help";
    CHECK(check(context, {"a"}) == ExitCode::done);
    CHECK(contains(context.output(), "limit_source"));
    CHECK(context.primary(0).opened() == 0);
}
