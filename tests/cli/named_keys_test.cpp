// What was named is never left out in silence, what is unknown never looks like fine, and a policy's name means that
// policy alone.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cli/recorded_box.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

const std::string kNamedKey = "core:alice";

/// Three shards; core (with organisations), search, and ip, which is for addresses only.
class NamesBox : public RecordedBox {
public:
    explicit NamesBox(std::size_t shards = 1) : RecordedBox(kFree, shards) {
        std::ofstream config(config_file(), std::ios::app);
        config << "org_key = \"org:{org}:core\"\norg_factor = 3\n"
                  "[[deployments.box.policies]]\nname = \"search\"\nkey = \"search:{client}\"\nlimit = 30\n"
                  "period = \"1m\"\n"
                  "[[deployments.box.policies]]\nname = \"ip\"\nkey = \"ip:{client}\"\nlimit = 60\nperiod = \"1h\"\n"
                  "clients = \"*.*.*.*\"\n";
    }
    std::string shard_of(const std::string& key) const {
        return parse_json(run({"locate", key, "-o", "ndjson"}).out).at("shard");
    }
    std::string another_shard_than(const std::string& shard) const { return shard == "alpha" ? "beta" : "alpha"; }
    std::set<std::string> keys(std::vector<std::string> arguments, int code = 0) const {
        arguments.insert(arguments.end(), {"-o", "name"});
        const auto result = run(arguments);
        INFO(result.err << result.out);
        CHECK(result.code == code);
        std::istringstream lines(result.out);
        std::set<std::string> found;
        for (std::string line; std::getline(lines, line);) found.insert(line);
        return found;
    }
    std::int64_t end = seconds_from_now(3000);
};

void check_left_out(const RunResult& result, const std::string& flag, const std::string& why) {
    INFO(result.err << result.out);
    CHECK(result.code == 9);
    CHECK(contains(result.err, "ratectl: key 'core:alice' is left out by " + flag));
    CHECK(contains(result.err, why));
}

std::vector<std::string> and_also(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace

TEST_CASE("a named key that a filter leaves out is named with the filter and the command ends with nine") {
    // --shard and --policy dropped a named key without a word, and --exit-status said that all was well.
    const NamesBox box(3);
    const std::string home = box.shard_of(kNamedKey);
    const std::string other = box.another_shard_than(home);
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"check", kNamedKey, "--exit-status"},
                                               {"check", kNamedKey, "-q", "--exit-status"},
                                               {"check", kNamedKey, "--from", "all"},
                                               {"client", "alice", "--policy", "core", "--exit-status"},
                                               {"explain", kNamedKey, "--exit-status"},
                                               {"headers", kNamedKey},
                                               {"client", "alice", "--policy", "core", "-o", "github"},
                                               {"compare", kNamedKey},
                                               {"watch", kNamedKey, "--rounds", "1"},
                                               {"increment", kNamedKey},
                                               {"refund", kNamedKey, "--amount", "1"},
                                               {"reset", kNamedKey},
                                               {"reset", kNamedKey, "-n"}}) {
        check_left_out(box.run(and_also(command, {"--shard", other})), "--shard", "it is on shard '" + home + "'");
        if (command[0] == "client") continue;  // policies say which keys a client has
        check_left_out(box.run(and_also(command, {"--policy", "search"})), "--policy", "it is of policy 'core'");
    }
    check_left_out(box.run({"locate", kNamedKey, "--policy", "search"}), "--policy", "it is of policy 'core'");
    const auto both = box.run({"check", kNamedKey, "search:bob", "--policy", "search", "--json"});
    check_left_out(both, "--policy", "it is of policy 'core'");
    const auto document = parse_json(both.out);
    CHECK(document.at("rows").size() == 1);
    CHECK(document.at("complete") == false);
    CHECK(contains(box.run({"check", "core:alice", "core:bob", "--policy", "search"}).err,
                   "2 named keys are left out by --policy, first 'core:alice'"));
    const auto redacted = box.run({"explain", kNamedKey, "--policy", "search", "--redact"});
    CHECK(redacted.code == 9);
    CHECK(contains(redacted.err, "1 named key is left out by --policy"));
    CHECK_FALSE(contains(redacted.err, "alice"));
}

TEST_CASE("a named window whose state a filter leaves out is named as well and a sweep's are not") {
    NamesBox box;
    box.set_window(kNamedKey, "7", box.end);
    for (const char* command : {"check", "explain", "compare", "reset", "headers"}) {
        check_left_out(box.run({command, kNamedKey, "--state", "exhausted"}), "--state", "its state is open");
        check_left_out(box.run({command, kNamedKey, "--min-used", "50%"}), "--min-used", "7 requests are used");
    }
    check_left_out(box.run({"check", kNamedKey, "--resets-within", "1s"}), "--resets-within", "it ends at 20");
    const auto nothing = box.run({"check", "core:nobody", "--min-used", "1"});
    CHECK(contains(nothing.err, "there is no open window, its state is absent"));
    check_left_out(box.run({"check", "--client", "alice", "--policy", "core", "--resets-within", "1s"}),
                   "--resets-within", "");
    check_left_out(box.run_with_input({"check", "-", "--state", "exhausted"}, kNamedKey + "\n"), "--state", "");
    CHECK(box.used(kNamedKey) == "7");
    CHECK(box.run({"check", kNamedKey, "--state", "open"}).code == 0);
    CHECK(box.run({"check", "--match", "core:*", "--state", "exhausted"}).code == 0);
    CHECK(box.run({"reset", kNamedKey, "--state", "open"}).code == 0);
}

TEST_CASE("a json document lists the named keys that filters left out") {
    NamesBox box;
    box.set_window(kNamedKey, "7", box.end);
    const auto listed = [](const RunResult& result) {
        INFO(result.err << result.out);
        CHECK(result.code == 9);
        const auto document = parse_json(result.out);
        CHECK(document.at("complete") == false);
        CHECK(document.at("left_out_count") == document.at("left_out").size());
        return document.at("left_out");
    };
    for (const std::vector<std::string>& command : {std::vector<std::string>{"check", kNamedKey},
                                                    {"explain", kNamedKey},
                                                    {"compare", kNamedKey},
                                                    {"headers", kNamedKey},
                                                    {"watch", kNamedKey, "--rounds", "1"},
                                                    {"reset", kNamedKey},
                                                    {"increment", kNamedKey, "-n"}}) {
        CAPTURE(command.front());
        const auto left_out = listed(box.run(and_also(command, {"--state", "exhausted", "-o", "json"})));
        REQUIRE(left_out.size() == 1);
        CHECK(left_out[0] == json{{"key", kNamedKey}, {"by", "--state"}, {"why", "its state is open"}});
    }
    const auto located = listed(box.run({"locate", "core:a\xff", "search:b", "--policy", "search", "-o", "json"}));
    CHECK(located.at(0).at("key_b64") == "Y29yZTph/w==");
    CHECK(located.at(0).at("by") == "--policy");
    CHECK(parse_json(box.run({"check", kNamedKey, "-o", "json"}).out).at("left_out").empty());
    const auto redacted = box.run({"explain", kNamedKey, "--policy", "search", "--redact", "-o", "json"});
    CHECK_FALSE(contains(redacted.out, "alice"));
    CHECK(parse_json(redacted.out).at("left_out_count") == 1);
    const auto document = box.run({"check", kNamedKey, "--policy", "search", "-o", "json"}).out;
    CHECK(box.run_with_input({"check", "-", "-o", "name"}, document).out.empty());
}

TEST_CASE("a key whose limit is unknown is three under exit status whether it has a window or not") {
    const NamesBox box;
    for (const char* command : {"check", "explain"}) {
        const auto result = box.run({command, "foo", "--exit-status"});
        INFO(result.err << result.out);
        CHECK(result.code == 3);
        CHECK(contains(result.err, "the limit of key 'foo' is unknown"));
        CHECK_FALSE(contains(result.out, "allowed"));
        CHECK(box.run({command, "foo"}).code == 0);
        // The document had no failure and was complete.
        const auto document = parse_json(box.run({command, "foo", kNamedKey, "--exit-status", "-o", "json"}).out);
        REQUIRE(document.at("failures").size() == 1);
        CHECK(document.at("failures").at(0).at("code") == 3);
        CHECK(contains(document.at("failures").at(0).at("message"), "the limit of key 'foo' is unknown"));
        CHECK(document.at("rows").size() == 2);
        CHECK(document.at("complete") == false);
        CHECK(box.run({command, "foo", "--exit-status", "--limit", "5"}).code == 0);
        CHECK(box.run({command, kNamedKey, "--exit-status"}).code == 0);
    }
    CHECK(contains(box.run({"explain", "foo"}).out,
                   "It is unknown whether 'foo' is limited: it has no window, and its limit is unknown."));
}

TEST_CASE("a client given as a key, a key given as a client and a pattern given as a key are told what was meant") {
    const NamesBox box;
    for (const char* command : {"check", "explain", "reset"}) {
        const auto result = box.run({command, "75.97.9.59"});
        INFO(result.err);
        CHECK(contains(result.err, "did you mean core:75.97.9.59, or ratectl client 75.97.9.59?"));
        CHECK(contains(result.err, "so that its limit is unknown"));
    }
    CHECK_FALSE(contains(box.run({"check", "75.97.9.59", "--limit", "5"}).err, "limit is unknown"));
    for (const std::vector<std::string>& command : {std::vector<std::string>{"client", kNamedKey},
                                                    {"explain", "--client", kNamedKey},
                                                    {"reset", "--client", kNamedKey}}) {
        const auto result = box.run(command);
        INFO(result.err);
        CHECK(contains(result.err, "did you mean ratectl client alice, or ratectl check core:alice?"));
    }
    for (const char* command : {"reset", "check", "explain"})
        CHECK(contains(box.run({command, "core:*"}).err, "--match 'core:*' takes it for a pattern"));
    CHECK(box.run({"check", kNamedKey}).err.empty());
    CHECK(box.run({"client", "alice"}).err.empty());
}

TEST_CASE("a key given as a client is three under exit status unless the client has a window") {
    // It was only asked whether another one was meant, and the client that is in the key passed for fine.
    NamesBox box;
    for (const std::vector<std::string>& command : {std::vector<std::string>{"client", kNamedKey},
                                                    {"client", kNamedKey, "-o", "github"},
                                                    {"check", "--client", "bob", "--client", kNamedKey, "-o", "json"},
                                                    {"explain", "--client", kNamedKey}}) {
        auto strict = command;
        strict.push_back("--exit-status");
        const auto result = box.run(strict);
        INFO(result.err << result.out);
        CHECK(result.code == 3);
        CHECK(contains(result.err, "is written like a key and has no window"));
        CHECK(contains(result.out, "complete") == contains(result.out, "\"complete\":false"));
        CHECK(box.run(command).code == 0);
    }
    CHECK(box.run({"client", "bob", "--exit-status"}).code == 0);
    box.set_window("core:core:alice", "1", box.end);
    CHECK(box.run({"client", kNamedKey, "--exit-status"}).code == 0);
    CHECK(box.run({"explain", "--client", kNamedKey, "--exit-status"}).code == 0);
    CHECK(box.run({"check", "--client", kNamedKey, "--client", "search:bob", "--exit-status"}).code == 3);
}

TEST_CASE("a policy's name means that policy in looks and in writes and not the one of its organisations") {
    // scan, stats and check took core/org for a part of core, reset and refund did not.
    NamesBox box;
    box.set_window(kNamedKey, "7", box.end);
    box.set_window("org:acme:core", "9", box.end);
    const std::set<std::string> own{kNamedKey};
    const std::set<std::string> shared{"org:acme:core"};
    for (const auto& [policy, expected] : {std::pair{"core", own}, std::pair{"core/org", shared}}) {
        for (const char* command : {"scan", "check", "explain"})
            CHECK(box.keys({command, "--policy", policy}) == expected);
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"reset", "-n"}, {"refund", "--amount", "1", "-n"}})
            CHECK(box.keys(and_also(command, {"--policy", policy})) == expected);
        const auto stats = parse_json(box.run({"stats", "--policy", policy, "-o", "json"}).out);
        CHECK(stats.at("windows") == 1);
    }
    CHECK(box.keys({"scan", "--policy", "core,core/org"}) == std::set<std::string>{kNamedKey, "org:acme:core"});
    const auto named = box.run({"client", "alice", "--org", "acme", "--policy", "core", "-o", "name"});
    CHECK(named.code == 9);
    CHECK(named.out == kNamedKey + "\n");
    CHECK(contains(named.err, "organisation 'acme' is left out by --policy"));
}

// Only what could not be built for another reason was said.
TEST_CASE("a policy that is named and has windows of no one who is named is said") {
    NamesBox box;
    box.set_window(kNamedKey, "7", box.end);
    box.set_window("org:acme:core", "9", box.end);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"client", "alice"},
                                                    {"check", "--client", "alice"},
                                                    {"explain", "--client", "alice"},
                                                    {"headers", "--client", "alice"},
                                                    {"increment", "--client", "alice", "-n"},
                                                    {"reset", "--client", "alice", "-n"}}) {
        const auto result = box.run(and_also(command, {"--policy", "core,core/org"}));
        INFO(command.front() << ": " << result.err << result.out);
        CHECK(result.code == 9);
        CHECK(contains(result.err, "left out: policy 'core/org' has the windows of organisations, and none is named"));
        CHECK(contains(result.err, "hint: --org ID"));
        CHECK(box.run(and_also(command, {"--policy", "core,core/org", "--org", "acme"})).code == 0);
    }
    CHECK(box.run({"check", "--client", "alice", "--policy", "core/org"}).code == 2);
    const auto shared = box.run({"check", "--org", "acme", "--policy", "core,core/org"});
    CHECK(shared.code == 9);
    CHECK(contains(shared.err, "left out: policy 'core' has the windows of clients, and none is named"));
    CHECK(box.run({"check", "--org", "acme"}).code == 0);
}

// It was believed to say which windows are meant, and chose none; beside --org it was not looked at.
TEST_CASE("an organisation is named by its flag alone") {
    NamesBox box;
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--org", "acme"}}) {
        const auto result = box.run(and_also({"increment", "--client", "alice", "--set", "org=zz", "-n"}, more));
        CHECK(result.code == 2);
        CHECK(contains(result.err, "--set org=... does not say whose windows are meant"));
        CHECK(contains(result.err, "hint: --org ID"));
    }
}

TEST_CASE("policies and classes alone are a selection for looks as they are for writes") {
    NamesBox box;
    box.set_window(kNamedKey, "100", box.end);
    box.set_window("core:bob", "7", box.end);
    CHECK(box.keys({"check", "--policy", "core", "--state", "exhausted"}) == std::set<std::string>{kNamedKey});
    CHECK(box.keys({"explain", "--policy", "core", "--state", "exhausted"}) == std::set<std::string>{kNamedKey});
    CHECK(box.run({"watch", "--policy", "core", "--rounds", "1"}).code == 0);
    CHECK(box.run({"check", "--policy", "core", "--state", "exhausted", "--exit-status"}).code == 1);
    CHECK(box.run({"check", "--state", "exhausted"}).code == 2);
}

TEST_CASE("an organisation alone selects its own windows") {
    NamesBox box;
    box.set_window("org:acme:core", "9", box.end);
    CHECK(box.keys({"check", "--org", "acme"}) == std::set<std::string>{"org:acme:core"});
    CHECK(box.keys({"check", "--org", "acme", "--from", "all"}) == std::set<std::string>{"org:acme:core"});
    CHECK(contains(box.run({"explain", "--org", "acme"}).out, "9 of 300 requests used"));
    CHECK(box.run({"check", "--org", "acme", "--policy", "search"}).code == 2);
    CHECK(box.keys({"reset", "--org", "acme"}) == std::set<std::string>{"org:acme:core"});
    CHECK(box.used("org:acme:core") == "(nil)");
}

TEST_CASE("a policy that is for some clients answers for no others") {
    NamesBox box;
    box.set_window("ip:75.97.9.59", "3", box.end);
    box.set_window("ip:alice", "3", box.end);
    CHECK(box.keys({"client", "alice"}) == std::set<std::string>{kNamedKey, "search:alice"});
    CHECK(box.keys({"client", "75.97.9.59"}) ==
          std::set<std::string>{"core:75.97.9.59", "search:75.97.9.59", "ip:75.97.9.59"});
    CHECK(box.keys({"scan", "--policy", "ip"}) == std::set<std::string>{"ip:75.97.9.59"});
    CHECK(box.run({"check", "ip:alice", "--exit-status"}).code == 3);
    const auto none = box.run({"client", "alice", "--policy", "ip"});
    CHECK(none.code == 9);
    CHECK(contains(none.err, "no policy is for client 'alice'"));
    CHECK(contains(box.run({"config", "show"}).out, "*.*.*.*"));
}

// check said 0 of a window that explain called broken: 1 in every command now.
TEST_CASE("a corrupt window is never fine under exit status") {
    RecordedBox box;
    box.set_window("core:odd", "abc", seconds_from_now(600));
    box.server().command({"RPUSH", "core:list", "x"});
    for (const std::string client : {"odd", "list"}) {
        const std::string key = "core:" + client;
        for (const auto& arguments : std::vector<std::vector<std::string>>{{"check", key, "--exit-status"},
                                                                           {"check", key, "--exit-status", "-q"},
                                                                           {"client", client, "--exit-status"},
                                                                           {"client", client, "-o", "github"},
                                                                           {"explain", key, "--exit-status"},
                                                                           {"headers", key}}) {
            const auto result = box.run(arguments);
            INFO(arguments.front() << " " << key << ": " << result.out << result.err);
            CHECK(result.code == 1);
        }
    }
    CHECK(box.run({"check", "other:odd", "--exit-status"}).code == 3);
    box.set_window("other:odd", "abc", seconds_from_now(600));
    for (const char* command : {"check", "explain"}) CHECK(box.run({command, "other:odd", "--exit-status"}).code == 1);
    CHECK(box.run({"check", "--match", "core:*", "--exit-status"}).code == 1);
    CHECK(box.run({"stats", "--exit-status"}).code == 1);
    CHECK(box.run({"check", "core:odd"}).code == 0);
}
