// client ID on a real server: organisations, exempt clients, digests, other holes, and what GET /rate_limit would
// answer.
#include "cli/recorded_box.h"

#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// core (with organisations), search (with a route), token (hashed).
class ClientBox : public RecordedBox {
public:
    ClientBox() : RecordedBox("writes = \"allow\"") {
        std::ofstream config(config_file(), std::ios::app);
        config << "org_key = \"org:{org}:core\"\norg_factor = 3\nexempt = [\"hubot\"]\n"
                  "classes = { big = 500 }\nclass_file = \"classes.csv\"\n";
        for (const char* policy :
             {"name = \"search\"\nkey = \"search:{client}:{route}\"\nlimit = 30\nperiod = \"1m\"\n",
              "name = \"token\"\nkey = \"token:{client|lower|sha256:16}\"\nlimit = 10\nperiod = \"1m\"\n"})
            config << "[[deployments.box.policies]]\n" << policy;
        std::ofstream(file("classes.csv")) << "bigcorp,big\n";
    }
    std::map<std::string, json> client(std::vector<std::string> arguments, int code = 0) {
        arguments.insert(arguments.begin(), "client");
        arguments.insert(arguments.end(), {"-o", "ndjson"});
        const auto result = run(arguments);
        INFO(result.err << result.out);
        CHECK(result.code == code);
        errors = result.err;
        std::map<std::string, json> found;
        for (auto& row : parse_json_lines(result.out)) {
            found.emplace(row.at("key"), row);
        }
        return found;
    }
    json told(std::vector<std::string> arguments, int code = 0) const {
        arguments.insert(arguments.begin(), "client");
        arguments.insert(arguments.end(), {"-o", "github"});
        const auto result = run(arguments);
        INFO(result.err << result.out);
        CHECK(result.code == code);
        return parse_json(result.out);
    }
    std::string errors;
    std::int64_t end = seconds_from_now(3000);
};

const std::string kHash = "token:2bd806c97f0e00af";  // of alice

}  // namespace

TEST_CASE("A client's windows are found over all policies whose keys can be built") {
    ClientBox box;
    box.set_window("core:alice", "40", box.end);
    box.set_window(kHash, "3", box.end);
    auto rows = box.client({"Alice"});
    CHECK(rows.size() == 2);
    CHECK(rows.at(kHash).at("used") == 3);
    CHECK(rows.at(kHash).at("client") == "2bd806c97f0e00af");
    CHECK(rows.at("core:Alice").at("state") == "absent");
    CHECK(contains(box.errors, "policy 'search'"));
    CHECK(contains(box.errors, "{route}"));
    CHECK(contains(box.errors, "--set"));
    CHECK(contains(box.errors, "--sweep"));
    rows = box.client({"alice", "--set", "route=code"});
    CHECK(rows.size() == 3);
    CHECK(rows.at("search:alice:code").at("limit") == 30);
    CHECK(box.run({"client", "alice", "--set", "root=code"}).code == 2);
    CHECK(box.run({"client", "alice", "--set", "route"}).code == 2);
}

TEST_CASE("A sweep finds a client's windows whatever else their keys hold") {
    ClientBox box;
    for (const char* key : {"core:alice", "search:alice:code", "search:alice:users", "search:bob:code", "core:alice2"})
        box.set_window(key, "4", box.end);
    box.set_window(kHash, "3", box.end);
    const auto rows = box.client({"alice", "--sweep"});
    CHECK(rows.size() == 4);
    CHECK(rows.contains("core:alice"));
    CHECK(rows.contains("search:alice:code"));
    CHECK(rows.contains("search:alice:users"));
    CHECK(rows.contains(kHash));
    CHECK(box.client({"alice", "--sweep", "--policy", "search"}).size() == 2);
    CHECK(box.run({"client", "alice", "--sweep", "-o", "github"}).code == 2);
}

TEST_CASE("The window with the fewest requests left binds a client of an organisation") {
    ClientBox box;
    box.set_window("core:alice", "40", box.end);
    box.set_window("org:acme:core", "250", box.end);
    auto rows = box.client({"alice", "--org", "acme", "--policy", "core,core/org"});
    REQUIRE(rows.size() == 2);
    CHECK(rows.at("core:alice").at("binding") == false);
    CHECK(rows.at("org:acme:core").at("binding") == true);
    CHECK(rows.at("org:acme:core").at("policy") == "core/org");
    CHECK(rows.at("org:acme:core").at("limit") == 300);
    box.set_window("org:acme:core", "240", box.end);  // 60 left in both
    rows = box.client({"alice", "--org", "acme", "--policy", "core,core/org"});
    CHECK(rows.at("core:alice").at("binding") == true);
    CHECK(rows.at("org:acme:core").at("binding") == true);
    CHECK(box.client({"alice", "--policy", "core"}).at("core:alice").at("binding").is_null());
    CHECK(box.client({"alice", "--org", "acme", "--policy", "core/org"}).at("org:acme:core").at("binding").is_null());
    const auto table = box.run({"client", "alice", "--org", "acme", "--sort", "used"});
    CHECK(contains(table.out, "BINDING"));
    CHECK(box.run({"check", "core:alice", "--org", "acme"}).code == 2);
    CHECK(box.run({"client", "alice", "--org", "acme", "--from", "all"}).code == 2);
}

TEST_CASE("Of two exhausted limits both bind and a client is told of the one that resets later") {
    ClientBox box;
    box.set_window("core:alice", "100", box.end);  // the later of the two was said not to bind
    box.set_window("org:acme:core", "301", box.end + 500);
    const auto rows = box.client({"alice", "--org", "acme", "--policy", "core,core/org"});
    CHECK(rows.at("core:alice").at("binding") == true);
    CHECK(rows.at("org:acme:core").at("binding") == true);
    const std::vector<std::string> alice{"alice", "--org", "acme", "--policy", "core,core/org"};
    CHECK(box.told(alice).at("rate").at("reset") == box.end + 500);
    box.set_window("core:alice", "150", box.end + 900);
    CHECK(box.told(alice).at("rate").at("reset") == box.end + 900);
    const auto headers = box.run({"headers", "--client", "alice", "--org", "acme", "--policy", "core,core/org"});
    CHECK(contains(headers.out, "X-RateLimit-Limit: 100\n"));
    CHECK_FALSE(contains(headers.out, "X-RateLimit-Limit: 300\n"));
    box.set_window("core:alice", "3", box.end);
    CHECK(box.client({"alice", "--org", "acme", "--policy", "core,core/org"}).at("org:acme:core").at("binding") ==
          true);
    const std::vector<std::string> shared{"alice", "--org", "acme", "--policy", "core/org"};
    CHECK(box.client(shared).at("org:acme:core").at("binding") == true);  // whatever the client's own has left
}

TEST_CASE("An exempt client is never limited and nobody complains of its limit") {
    ClientBox box;
    box.set_window("core:hubot", "7000", box.end);
    const auto rows = box.client({"hubot", "--policy", "core", "--exit-status"});
    const auto& row = rows.at("core:hubot");
    CHECK(row.at("state") == "open");
    CHECK(row.at("limit").is_null());
    CHECK(row.at("percent").is_null());
    CHECK(row.at("limited") == false);
    CHECK(row.at("limit_source") == "exempt");
    CHECK(box.run({"check", "core:hubot", "--state", "exhausted"}).code == 9);
    CHECK(box.run({"scan", "--policy", "core", "--min-used", "80%"}).code == 0);
    CHECK(box.client({"hubot", "--policy", "core", "--limit", "100"}).at("core:hubot").at("state") == "exhausted");
    CHECK(box.client({"hubot", "--policy", "core,core/org", "--org", "acme"}).at("core:hubot").at("binding") == false);
    const auto explained = box.run({"explain", "core:hubot", "--exit-status"});
    CHECK(explained.code == 0);
    CHECK(contains(explained.out, "exempt"));
    CHECK(contains(box.run({"headers", "core:hubot"}).err, "exempt"));
    const auto told = parse_json(box.run({"stats", "--at-limit", "5", "-o", "json"}).out);
    CHECK(told.at("shards").at(0).at("limit_unknown") == 0);
    CHECK(told.at("bands").back() == json{{"percent_of_limit", "exempt"}, {"windows", 1}});
    for (const auto& trial : told.at("at_limit"))
        CHECK(trial.at("limited").get<int>() + trial.at("limit_unknown").get<int>() == 0);
}

TEST_CASE("GET rate_limit is told of the windows that bind") {
    ClientBox box;
    box.set_window("core:alice", "40", box.end);
    const json core{{"limit", 100}, {"used", 40}, {"remaining", 60}, {"reset", box.end}};
    auto document = box.told({"alice"});
    CHECK(document.at("resources").at("core") == core);
    CHECK(document.at("rate") == core);
    CHECK(document.at("resources").at("token").at("used") == 0);
    CHECK_FALSE(document.at("resources").contains("search"));
    CHECK(box.run({"client", "alice", "--policy", "core", "-o", "github"}).out ==
          "{\"resources\":{\"core\":{\"limit\":100,\"used\":40,\"remaining\":60,\"reset\":" + std::to_string(box.end) +
              "}},\"rate\":{\"limit\":100,\"used\":40,\"remaining\":60,\"reset\":" + std::to_string(box.end) + "}}\n");
    box.set_window("org:acme:core", "299", box.end);
    document = box.told({"alice", "--org", "acme"});
    CHECK(document.at("resources").at("core").at("limit") == 300);
    CHECK(document.at("rate").at("remaining") == 1);
    CHECK_FALSE(document.at("resources").contains("core/org"));
    CHECK(box.told({"bigcorp"}).at("rate").at("limit") == 500);
    document = box.told({"hubot"});
    CHECK_FALSE(document.at("resources").contains("core"));
    CHECK_FALSE(document.contains("rate"));
    const auto headers = box.run({"headers", "--client", "alice", "--org", "acme", "--policy", "core,core/org"});
    CHECK(contains(headers.out, "X-RateLimit-Remaining: 1\n"));
    CHECK(contains(headers.out, "X-RateLimit-Resource: core\n"));
    CHECK_FALSE(contains(headers.out, "Remaining: 60"));
    CHECK(box.run({"client", "alice", "--policy", "core", "-o", "github", "--exit-status"}).code == 0);
    box.set_window("core:alice", "100", box.end);
    CHECK(box.run({"client", "alice", "--policy", "core", "-o", "github", "--exit-status"}).code == 1);
    CHECK(box.run({"client", "alice", "--policy", "core", "-o", "github"}).code == 0);
    CHECK(box.run({"client", "alice", "-o", "github", "--sort", "used"}).code == 2);
    CHECK(box.run({"client", "alice", "--set", "client=bob"}).code == 2);
    CHECK(box.run({"client", "alice", "--set", "route=x", "--set", "route=y"}).code == 2);
}

// It was left out without a word.
TEST_CASE("A client's key that an earlier policy takes is named, and the command ends with 9") {
    WrittenDeployment box(
        std::string(kFree) +
        "\n[[deployments.box.policies]]\nname = \"wide\"\nkey = \"search:{client}\"\nlimit = 10\n"
        "[[deployments.box.policies]]\nname = \"narrow\"\nkey = \"search:api:{client}\"\nlimit = 5\n");
    const auto end = seconds_from_now(1000);
    for (const char* key : {"search:bob", "search:api:bob", "core:bob"}) box.set_window(key, "3", end);
    const std::string why =
        "key 'search:api:bob' is left out by the order of policies: policy 'wide' comes before 'narrow' and takes it";
    const auto looked = box.run({"client", "bob"});
    INFO(looked.out << looked.err);
    CHECK(looked.code == 9);
    CHECK(contains(looked.err, why));
    CHECK(contains(looked.out, "search:bob"));
    CHECK(contains(looked.out, "core:bob"));
    const auto listed = parse_json(box.run({"client", "bob", "-o", "json"}).out);
    CHECK(listed.at("left_out").at(0).at("key") == "search:api:bob");
    CHECK(contains(box.run({"client", "bob", "--policy", "narrow"}).err, why));
    CHECK(box.run({"client", "bob", "--policy", "wide"}).code == 0);
    CHECK(contains(box.run_with_input({"check", "--client", "-"}, "bob\n").err, why));
    const auto changed = box.run({"reset", "--client", "bob"});
    CHECK(changed.code == 9);
    CHECK(contains(changed.err, why));
    CHECK(box.stored("search:api:bob") == "3");
    CHECK(box.halves() == "2");
}

TEST_CASE("A policy that is named and gives no key of a client is left out aloud") {
    const ClientBox box;
    std::ofstream(box.config_file(), std::ios::app)
        << "[[deployments.box.policies]]\nname = \"addr\"\nkey = \"ip:{client}\"\nclients = \"*.*.*.*\"\nlimit = 5\n"
           "[[deployments.box.policies]]\nname = \"lead\"\nkey = \"lead:{client}\"\npaths = [\"/lead/\"]\nlimit = 5\n";
    const std::pair<const char*, const char*> left_out[] = {{"search", "nothing is known for {route}"},
                                                            {"addr", "policy 'addr' is not for client 'alice'"}};
    for (const auto& [policy, why] : left_out) {
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"client", "alice", "--exit-status", "-q"},
              {"check", "--client", "alice"},
              {"explain", "--client", "alice"},
              {"headers", "--client", "alice"},
              {"compare", "--client", "alice"},
              {"reset", "--client", "alice", "-n"}}) {
            auto arguments = words;
            arguments.insert(arguments.end(), {"--policy", "core", "--policy", policy});
            INFO(policy << " " << words.front());
            const auto result = box.run(arguments);
            CHECK(result.code == 9);
            CHECK(contains(result.err, why));
        }
        CHECK(box.run({"client", "alice"}).code == 0);
        const auto document =
            parse_json(box.run({"client", "alice", "--policy", "core", "--policy", policy, "-o", "json"}).out);
        CHECK(document.at("left_out").at(0).at("by") == "--policy");
        CHECK(document.at("complete") == false);
    }
    const auto by_path = box.run({"client", "alice", "--policy", "core", "--policy", "lead", "--path", "/foo"});
    CHECK(by_path.code == 9);
    CHECK(contains(by_path.err, "policy 'lead' does not limit '/foo'"));
}

// A sweep for it passed over the policy in silence.
TEST_CASE("A sweep says of a policy of organisations that is named that none of these is") {
    ClientBox box;
    box.set_window("core:alice", "4", box.end);
    CHECK(box.client({"alice", "--sweep", "--policy", "core,core/org"}, 9).size() == 1);
    CHECK(contains(box.errors, "policy 'core/org' has the windows of organisations, and none is named"));
    CHECK(contains(box.errors, "--org ID"));
    CHECK(box.client({"alice", "--sweep", "--policy", "core/org"}, 9).empty());
    const auto document = parse_json(box.run({"client", "alice", "--sweep", "--policy", "core/org", "-o", "json"}).out);
    CHECK(document.at("left_out").at(0).at("by") == "--policy");
    CHECK(document.at("complete") == false);
    box.set_window("org:acme:core", "4", box.end);
    CHECK(box.client({"alice", "--sweep", "--policy", "core/org", "--org", "acme"}).size() == 1);
    CHECK(box.client({"alice", "--sweep"}).size() == 1);
}

// The organisation was passed over in silence.
TEST_CASE("A sweep says of an organisation that none of the named policies has its windows") {
    ClientBox box;
    box.set_window("core:alice", "4", box.end);
    box.set_window("org:acme:core", "4", box.end);
    for (const bool sweeps : {true, false}) {
        std::vector<std::string> words{"alice", "--policy", "core", "--org", "acme"};
        if (sweeps) words.emplace_back("--sweep");
        CHECK(box.client(words, 9).size() == 1);
        CHECK(contains(box.errors, "organisation 'acme' is left out by --policy"));
        words[2] = "token";
        CHECK(box.client(words, 2).empty());
        CHECK(contains(box.errors, "--org: none of these policies knows organisations"));
    }
    CHECK(box.client({"alice", "--sweep", "--org", "acme"}).size() == 2);
}

// The hint was at --match, which this command does not have.
TEST_CASE("Where no key of a client can be built the hint is at what that takes") {
    const ClientBox box;
    std::ofstream(box.config_file(), std::ios::app)
        << "[[deployments.box.policies]]\nname = \"lead\"\nkey = \"lead:{client}:{org}\"\nlimit = 5\n";
    const std::pair<const char*, const char*> hints[] = {
        {"search", "hint: --set NAME=VALUE says what they hold; `ratectl client"},
        {"lead", "hint: --org ID names the organisation of the clients; `ratectl client"},
        {"core/org", "hint: --org ID names the organisation of the clients\n"},
        {"core/org,search",
         "hint: --org ID names the organisation of the clients; --set NAME=VALUE says what they hold; "}};
    for (const auto& [policies, hint] : hints) {
        const auto result = box.run({"client", "alice", "--policy", policies});
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "no policy has a key that can be built from a client alone"));
        CHECK(contains(result.err, hint));
        CHECK_FALSE(contains(result.err, "--match"));
    }
}

// It ended with 0 or 1, as if the limits that were not looked at were no limits.
TEST_CASE("Of a client with a limit that could not be asked for --exit-status is never fine") {
    ClientBox box;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"client", "alice"},
                                                  {"client", "alice", "-o", "github"},
                                                  {"check", "--client", "alice"},
                                                  {"explain", "--client", "alice"}}) {
        auto arguments = words;
        CHECK(box.run(arguments).code == 0);
        arguments.emplace_back("--exit-status");
        const auto untold = box.run(arguments);
        INFO(untold.err);
        CHECK(untold.code == 9);
        CHECK(contains(untold.err, "1 limit could not be asked for"));
        arguments.insert(arguments.end(), {"--set", "route=code"});
        CHECK(box.run(arguments).code == 0);
    }
    CHECK(box.run({"client", "alice", "--exit-status", "--policy", "core"}).code == 0);
    CHECK(box.run({"client", "alice", "--exit-status", "--sweep"}).code == 0);
    box.set_window("core:alice", "9999", box.end);
    const auto document = parse_json(box.run({"client", "alice", "--exit-status", "-o", "json"}).out);
    CHECK(document.at("left_out").size() == 1);
    CHECK(document.at("left_out").at(0).at("by") == "--set");
    CHECK(document.at("complete") == false);
    box.client({"alice", "--exit-status"}, 9);
    const auto named =
        parse_json(box.run({"client", "alice", "--exit-status", "--policy", "core,search", "-o", "json"}).out);
    CHECK(named.at("left_out").size() == 1);
}

// It said yes for a window with requests left beside two that were used up, and nowhere that policies are judged alone.
TEST_CASE("The column binding is explained as what it says of each policy by itself") {
    const auto columns = run_ratectl({"client", "alice", "--columns", "help"}).out;
    CHECK(contains(columns,
                   "with --org: does this limit bind the client, of the two of its policy (with --path: of all"));
}
