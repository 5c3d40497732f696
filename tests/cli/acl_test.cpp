// Accounts with the rules that `ratectl acl` prints: they are enough for every command, and none of them can be left
// out.
#include "cli/acl_box.h"

using namespace ratectl::test;

namespace {

struct Run {
    Words arguments;
    std::string input = {};
};

/// Every command that asks servers and changes nothing.
std::vector<Run> looks() {
    return {{{"check", "core:1", "lim:1:hour"}},
            {{"check", "core:1", "--from", "all"}},
            {{"check", "core:1", "--as-script"}},
            {{"check", "-"}, "core:1\ncore:2\ncore:none\n"},
            {{"client", "1"}},
            {{"compare", "core:1"}},
            {{"explain", "core:1"}},
            {{"headers", "core:1"}},
            {{"scan"}},
            {{"scan", "--from", "primary"}},
            {{"scan", "core:*", "--look", "full"}},
            {{"scan", "--orphans"}},
            {{"scan", "--min-used", "1", "--top", "2"}},
            {{"history", "--on-servers"}},
            {{"locate", "core:1"}},
            {{"identify", "core:1", "lim:1:hour"}},
            {{"identify", "--sample", "10"}},
            {{"nodes"}},
            {{"doctor"}},
            {{"doctor", "--from", "primary"}},
            {{"sharding", "verify"}},
            {{"sharding", "guess", "-d", "two"}},
            {{"config", "check", "--connect"}}};
}

/// Every way to change windows, in an order in which each finds what it needs.
std::vector<Run> changes(AclBox& box) {
    return {{{"increment", "core:new"}},
            {{"increment", "core:1", "--amount", "3", "--wait-replicas", "1"}},
            {{"refund", "core:1", "--amount", "1"}},
            {{"reset", "core:2"}},
            {{"undo", "NEWEST"}},
            {{"apply", box.file("plan")}},
            {{"increment", "-"}, "core:a\ncore:b\n"},
            {{"doctor", "--fix", "leaked", "-y"}},
            {{"undo", "NEWEST", "-y"}},
            {{"nodes", "--probe", "--rounds", "2"}}};
}

/// A window that leaks, a plan that can be applied, and an operation that can be taken back.
void prepare_changes(AclBox& box) {
    box.put("core:leaking", "5", true);
    box.put("core:planned", "5");
    box.put("core:gone", "5");
    REQUIRE(box.run("", {"reset", "core:planned", "--plan", box.file("plan")}).code == 0);
    REQUIRE(box.run("", {"reset", "core:gone"}).code == 0);
}

std::string said_by(const Run& run, const RunResult& result) {
    std::string text = "ratectl";
    for (const auto& word : run.arguments) text += " " + word;
    return text + "\n" + result.out + result.err;
}

/// What identify sends as ann where other limiters keep lists, sets and hashes, which go again.
std::set<std::string> calls_of_identify(AclBox& box) {
    box.alpha.command({"RPUSH", "core:list", "1"});
    box.alpha.command({"ZADD", "core:sorted", "1", "a"});
    box.alpha.command({"SADD", "core:set", "1"});
    box.alpha.command({"HSET", "core:hash", "tokens", "1"});
    AclBox::forget_calls(box.alpha);
    const auto result = box.run("ann", {"identify", "core:list", "core:sorted", "core:set", "core:hash"});
    INFO(result.err);
    CHECK(result.code == 0);
    auto calls = AclBox::calls_of(box.alpha);
    box.alpha.command({"DEL", "core:list", "core:sorted", "core:set", "core:hash"});
    box.replica.await_replication_of(box.alpha);
    return calls;
}

RunResult as_ann(AclBox& box, Run& run, const std::string& newest) {
    for (auto& word : run.arguments) {
        if (word == "NEWEST") word = newest;
    }
    return box.run("ann", run.arguments, run.input);
}

/// So few keys prove no rule.
bool may_find_something(const Run& look) { return look.arguments[0] == "sharding"; }

bool is_command(const std::string& rule) { return rule.starts_with("+"); }

std::set<std::string> commands_in(const Words& rules) {
    std::set<std::string> names;
    for (const auto& rule : rules) {
        if (is_command(rule)) names.insert(rule.substr(1));
    }
    return names;
}

Words without(const Words& rules, const std::string& rule) {
    Words rest = rules;
    std::erase(rest, rule);
    return rest;
}

}  // namespace

TEST_CASE("an account with the rules of acl reader can look at everything and sees what anybody sees") {
    AclBox box;
    const auto rules = AclBox::rules_of(box.line("reader"));
    // So many that some counter is met before its expiry half, in whatever order the server names them.
    for (int i = 10; i < 40; ++i) box.put("core:" + std::to_string(i), "1");
    REQUIRE(box.run("", {"increment", "core:1"}).code == 0);  // an operation to tell of
    box.replica.await_replication_of(box.alpha);
    box.let_ann(rules);
    auto seen = calls_of_identify(box);
    for (auto* server : {&box.alpha, &box.replica}) AclBox::forget_calls(*server);
    for (const auto& look : looks()) {
        const auto result = box.run("ann", look.arguments, look.input);
        INFO(said_by(look, result));
        CHECK((result.code == 0 || (result.code == 1 && may_find_something(look))));
        CHECK_FALSE(contains(result.err, "warning"));
        CHECK_FALSE(contains(result.err, "ACL"));
    }
    seen.merge(AclBox::calls_of(box.alpha));
    seen.merge(AclBox::calls_of(box.replica));
    CHECK(seen == commands_in(rules));

    for (const Words& look : {Words{"check", "core:1", "lim:1:hour"}, Words{"scan", "--look", "full"}}) {
        auto words = look;
        words.insert(words.end(), {"-o", "ndjson", "--columns", "key,used,reset_at,state,type,limit"});
        CHECK(box.run("ann", words).out == box.run("", words).out);
    }
}

TEST_CASE("an account with the rules of acl reader can change nothing and is told what it lacks") {
    AclBox box;
    prepare_changes(box);
    box.let_ann(AclBox::rules_of(box.line("reader")));
    const auto newest = box.newest_operation();
    const auto before = box.snapshot();
    for (auto& change : changes(box)) {
        const auto result = as_ann(box, change, newest);
        INFO(said_by(change, result));
        CHECK(result.code == 5);
        CHECK(contains(result.err + result.out, "'evalsha'"));
        CHECK(box.snapshot() == before);
    }
}

TEST_CASE("an account with the rules of acl operator can change windows and nothing else") {
    AclBox box;
    const auto rules = AclBox::rules_of(box.line("operator"));
    prepare_changes(box);
    box.let_ann(rules);
    auto seen = calls_of_identify(box);
    AclBox::forget_calls(box.alpha);
    for (const auto& look : looks()) {
        const auto result = box.run("ann", look.arguments, look.input);
        INFO(said_by(look, result));
        CHECK((result.code == 0 || (result.code == 1 && (may_find_something(look) || look.arguments[0] == "doctor"))));
        CHECK_FALSE(contains(result.err, "ACL"));
    }
    for (auto& change : changes(box)) {
        const auto result = as_ann(box, change, box.newest_operation());
        INFO(said_by(change, result));
        CHECK(result.code == 0);
        CHECK_FALSE(contains(result.err, "warning"));
    }
    auto needed = commands_in(rules);
    for (const auto* read_only : {"eval_ro", "evalsha_ro"}) needed.erase(read_only);
    seen.merge(AclBox::calls_of(box.alpha));
    for (const auto* read_only : {"eval_ro", "evalsha_ro"}) seen.erase(read_only);
    // Asked where a page of SCAN parts a counter from its other half, which depends on how long pages are.
    needed.erase("exists");
    seen.erase("exists");
    CHECK(seen == needed);

    for (const Words& forbidden :
         {Words{"FLUSHALL"}, Words{"FLUSHDB"}, Words{"CONFIG", "GET", "*"}, Words{"KEYS", "*"}, Words{"ACL", "LIST"},
          Words{"DEL", "session:1"}, Words{"MGET", "other"}, Words{"EVAL", "return redis.call('GET', 'other')", "0"},
          Words{"EVAL", "return redis.call('RENAME', 'core:1', 'core:3')", "1", "core:1"}}) {
        ratectl::test::PlainClient client(box.alpha.endpoint());
        REQUIRE(client.command({"AUTH", "ann", "secret"})->shown() == "OK");
        INFO(forbidden[0]);
        CHECK(client.command(forbidden)->is_error());
    }
}

TEST_CASE("without any one command of its acl an account is told which one it lacks") {
    AclBox box;
    for (const auto* kind : {"reader", "operator"}) {
        const auto rules = AclBox::rules_of(box.line(kind));
        box.let_ann(rules);
        const Words rights{"doctor", "--only", "scripts-denied,commands-denied", "-o", "ndjson"};
        REQUIRE(box.run("ann", rights).code == 0);
        const auto before = box.snapshot();
        for (const auto& rule : rules) {
            if (!is_command(rule)) continue;
            box.let_ann(without(rules, rule));
            const auto result = box.run("ann", rights);
            if (rule == "+client|setname") {  // nothing lacks the name in CLIENT LIST
                CHECK(result.code == 0);
                continue;
            }
            INFO(kind << " without " << rule << "\n" << result.out << result.err);
            CHECK(result.code == 1);
            bool named = false;
            for (const auto& row : parse_json_lines(result.out)) {
                const auto names = words_in(row.at("detail"));
                named = named || std::find(names.begin(), names.end(), rule.substr(1)) != names.end();
                CHECK(contains(row.at("advice"), "ratectl acl"));
            }
            CHECK(named);
        }
        CHECK(box.snapshot() == before);
    }
}

TEST_CASE("without any one of its login and key rules an account cannot do its work") {
    AclBox box;
    box.put("lim:leaking:hour", "5", true);
    const Run check_core{{"check", "core:1"}};
    const Run check_lim{{"check", "lim:1:hour"}};
    const std::map<std::string, Run> needs{{"%R~core:*", check_core},
                                           {"%R~lim:*:hour", check_lim},
                                           {"%R~lim:*:hour:exp", check_lim},
                                           {"%R~lim:*:hour:exp:exp", {{"doctor", "--only", "leaked"}}},
                                           {"%R~ratectl:op:*", {{"history", "--on-servers"}}},
                                           {"~core:*", {{"increment", "core:1"}}},
                                           {"~lim:*:hour", {{"increment", "lim:1:hour"}}},
                                           {"~lim:*:hour:exp", {{"increment", "lim:1:hour"}}},
                                           {"~ratectl:op:*", {{"reset", "core:1"}}},
                                           {"~ratectl:probe:*", {{"nodes", "--probe", "--rounds", "1"}}}};
    REQUIRE(box.run("", {"increment", "core:1"}).code == 0);
    for (const auto* kind : {"reader", "operator"}) {
        const auto rules = AclBox::rules_of(box.line(kind));
        for (const auto& rule : rules) {
            if (is_command(rule)) continue;
            box.let_ann(without(rules, rule));
            const bool is_login = rule == "on" || rule.starts_with("#");
            const auto& run = is_login ? check_core : needs.at(rule);
            const auto result = box.run("ann", run.arguments);
            INFO(kind << " without " << rule << "\n" << said_by(run, result));
            // What the journal and other windows say is told all the same.
            CHECK((result.code == 5 ||
                   (result.code == 9 && (run.arguments[0] == "doctor" || run.arguments[0] == "history"))));
            CHECK(contains(result.out + result.err, is_login ? "login refused" : "one of the keys"));
        }
    }
}

TEST_CASE("an account with the rules of acl is refused a key that no policy matches") {
    AclBox box;
    for (const auto* kind : {"reader", "operator"}) {
        box.let_ann(AclBox::rules_of(box.line(kind)));
        const auto before = box.snapshot();
        for (const Words& look :
             {Words{"check", "session:1"}, Words{"increment", "session:1", "--limit", "5", "--period", "1h"},
              Words{"scan", "session:*"}}) {
            const auto result = box.run("ann", look);
            INFO(kind << ": " << look[0] << "\n" << result.out << result.err);
            CHECK(result.code == 5);
            CHECK(contains(result.err + result.out, "ACL"));
        }
        CHECK(box.snapshot() == before);
    }
}

TEST_CASE("reshard needs rights to every pair of keys and with those of acl operator moves them") {
    AclBox box;
    const Words plan{"reshard", "plan", "one", "two"};
    const Words apply{"reshard", "apply", "one", "two", "-y"};
    for (int i = 0; i < 20; ++i) box.put("core:" + std::to_string(i * 7919) + "-client", "3");
    box.replica.await_replication_of(box.alpha);
    const auto rules = AclBox::rules_of(box.line("operator"));
    box.let_ann(rules);
    CHECK(box.run("ann", plan).code == 5);  // session:1 may be a window, too
    box.alpha.command({"DEL", "session:1:exp"});
    box.replica.await_replication_of(box.alpha);

    box.let_ann(AclBox::rules_of(box.line("reader")));
    const auto planned = box.run("ann", plan);
    INFO(planned.out << planned.err);
    CHECK(planned.code == 0);
    const auto before = box.snapshot();
    const auto refused = box.run("ann", apply);
    INFO(refused.out << refused.err);
    CHECK(refused.code == 5);
    CHECK(contains(refused.out + refused.err, "'evalsha'"));
    CHECK(box.snapshot() == before);

    box.let_ann(rules);
    const auto moved = box.run("ann", apply);
    INFO(moved.out << moved.err);
    CHECK(moved.code == 0);
    CHECK(box.beta.command({"DBSIZE"}) != "0");
}

TEST_CASE("windows in another db need SELECT") {
    AclBox box;
    const auto url = box.alpha.endpoint().url() + "/3";
    RunOptions options;
    options.environment["REDISCLI_AUTH"] = "secret";
    const auto line = run_ratectl({"acl", "reader", "-u", url, "--key", "core:{client}", "--user", "ann", "--server",
                                   "7", "--password-sha256", box.line("reader")[5].substr(1)});
    auto rules = AclBox::rules_of(words_in(line.out));
    const auto as_ann = url.substr(0, url.find("://") + 3) + "ann@" + url.substr(url.find("://") + 3);
    const auto check = [&] { return run_ratectl({"check", "core:1", "-u", as_ann}, options); };
    box.let_ann(rules);
    const auto allowed = check();
    INFO(allowed.err);
    CHECK(allowed.code == 0);
    box.let_ann(without(rules, "+select"));
    CHECK(check().code == 5);
    CHECK(contains(check().err, "'select'"));
}

TEST_CASE("a server takes the line for its file of users as it is") {
    AclBox box;
    const auto line = box.line("operator", {"--format", "aclfile"});
    {
        std::ofstream users(box.file("users.acl"));
        for (const auto& word : line) users << (&word == &line.front() ? "" : " ") << word;
        users << "\n";
    }
    RedisServer server({"--aclfile", box.file("users.acl")});
    ratectl::test::PlainClient client(server.endpoint());
    CHECK(client.command({"AUTH", "ann", "secret"})->shown() == "OK");
    CHECK(client.command({"MGET", "core:1"})->shown() == "(nil)");
    CHECK(client.command({"MGET", "other"})->is_error());
}
