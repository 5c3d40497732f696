// limit trace on a real server: which limits a request meets by its path, which of them bind it, and how the command
// says so.
#include "cli/recorded_box.h"

#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// core of every request; group of a path's endpoint group, kept by another limiter; each shared by organisations.
class TraceBox : public RecordedBox {
public:
    TraceBox() : RecordedBox("writes = \"allow\"") {
        std::ofstream config(config_file(), std::ios::app);
        config << "org_key = \"org:{org}:core\"\norg_factor = 3\nexempt = [\"hubot\"]\n"
                  "[[deployments.box.policies]]\nname = \"group\"\nkey = \"g:{client}:{group}\"\n"
                  "paths = [\"/api/v1/{group}/\"]\nlimit = 10\nperiod = \"1m\"\nscheme = \"close-v1\"\n"
                  "org_key = \"org:{org}:g:{group}\"\norg_factor = 3\n"
                  "[[deployments.box.policies]]\nname = \"upload\"\nkey = \"up:{client}\"\npaths = [\"/upload/\"]\n";
    }
    json trace(std::vector<std::string> arguments, int code = 0) {
        arguments.insert(arguments.begin(), {"limit", "trace"});
        arguments.insert(arguments.end(), {"-o", "json"});
        const auto result = run(arguments);
        INFO(result.err << result.out);
        CHECK(result.code == code);
        said = result.err;
        return parse_json(result.out).at("rows");
    }
    std::string said;
    std::int64_t end = seconds_from_now(3000);
};

std::vector<std::string> column(const json& rows, const char* name) {
    std::vector<std::string> cells;
    for (const auto& row : rows) cells.push_back(row.at(name).is_string() ? row.at(name) : json(row.at(name).dump()));
    return cells;
}
using Cells = std::vector<std::string>;

}  // namespace

TEST_CASE("a request meets the limits of its path and the one that refuses it binds") {
    TraceBox box;
    box.set_window("core:alice", "40", box.end);
    REQUIRE(box.run({"increment", "g:alice:lead", "--amount", "10"}).code == 0);
    const std::vector<std::string> request{"alice", "--org", "acme", "--path"};
    const auto with = [&](const std::string& path, const std::vector<std::string>& more = {}) {
        auto arguments = request;
        arguments.push_back(path);
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    auto rows = box.trace(with("/api/v1/lead/7/notes/"));
    CHECK(column(rows, "policy") == Cells{"core", "core/org", "group", "group/org"});
    CHECK(column(rows, "step") == Cells{"1", "2", "3", "4"});
    CHECK(column(rows, "key") == Cells{"core:alice", "org:acme:core", "g:alice:lead", "org:acme:g:lead"});
    CHECK(column(rows, "verdict") == Cells{"allowed", "allowed", "limited", "allowed"});
    CHECK(column(rows, "binding") == Cells{"false", "false", "true", "false"});
    CHECK(column(rows, "told") == Cells{"false", "false", "true", "false"});
    CHECK(contains(box.said, "the request is refused by group until "));
    box.trace(with("https://api.example.com/api/v1/lead/?x=1#y", {"--exit-status"}), 1);

    // Another group is another window, and the path alone decides.
    rows = box.trace(with("/api/v1/deal/", {"--exit-status"}));
    CHECK(column(rows, "key").at(2) == "g:alice:deal");
    CHECK(column(rows, "binding") == Cells{"false", "false", "true", "false"});
    CHECK(contains(box.said, "the request passes; group is the closest, with 10 requests left"));
    CHECK(column(box.trace(with("/api/v1/deal")), "policy") == Cells{"core", "core/org"});
    CHECK(column(box.trace(with("/api/v1/a/b?/c/")), "policy") == Cells{"core", "core/org", "group", "group/org"});

    // What client and headers say of the same request.
    const auto client = box.run({"client", "alice", "--org", "acme", "--path", "/api/v1/lead/", "-o", "json"});
    CHECK(column(parse_json(client.out).at("rows"), "binding") == Cells{"false", "false", "true", "false"});
    const auto headers = box.run({"headers", "--client", "alice", "--org", "acme", "--path", "/api/v1/lead/"});
    CHECK(contains(headers.out, "X-RateLimit-Resource: group"));
    CHECK_FALSE(contains(headers.out, "X-RateLimit-Resource: core"));
}

TEST_CASE("every limit that is used up binds a request and the last of them says when it passes") {
    TraceBox box;
    box.set_window("core:alice", "100", box.end);
    box.set_window("org:acme:core", "300", box.end + 500);
    const auto rows = box.trace({"alice", "--org", "acme", "--path", "/api/v1/lead/"});
    CHECK(column(rows, "binding") == Cells{"true", "true", "false", "false"});
    CHECK(column(rows, "told") == Cells{"false", "true", "false", "false"});
    CHECK(contains(box.said, "the request is refused by core and core/org until "));
}

TEST_CASE("what a trace does not see is said") {
    TraceBox box;
    // No organisation: nothing binds as long as the shared limits are unknown.
    auto rows = box.trace({"alice", "--path", "/api/v1/lead/"});
    CHECK(column(rows, "policy") == Cells{"core", "group"});
    CHECK(column(rows, "binding") == Cells{"null", "null"});
    CHECK(contains(box.said, "limits of organisations are not among these"));
    // No path: those whose keys can be built, and what that means.
    box.trace({"alice", "--org", "acme"}, 9);
    CHECK(contains(box.said, "some are of certain paths"));
    // A limit that is not known is no pass.
    box.trace({"alice", "--org", "acme", "--path", "/upload/7"});
    CHECK(contains(box.said, "whether the request passes cannot be told: upload may refuse it"));
    box.trace({"alice", "--org", "acme", "--path", "/upload/7", "--exit-status"}, 3);
    // An exempt client is refused by no limit of its own.
    box.set_window("core:hubot", "5000", box.end);
    rows = box.trace({"hubot", "--org", "acme", "--path", "/api/v1/lead/", "--exit-status"});
    CHECK(column(rows, "verdict").at(0) == "allowed");
    // One request is of one client.
    for (const auto& wrong : {Cells{"-"}, Cells{"alice", "--path", ""}, Cells{"alice", "--org", ""},
                              Cells{"alice", "--org", "acme", "--path", "api/v1/lead/"}}) {
        auto arguments = Cells{"limit", "trace"};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        CHECK(box.run(arguments).code == 2);
    }
    CHECK(box.run({"check", "core:alice", "--path", "/x"}).code == 2);
    CHECK(box.run({"client", "alice", "--path", "/api/v1/lead/", "-o", "github"}).code == 2);
}

// What --set said was believed, and the window of another group was shown.
TEST_CASE("a flag that says another thing than the path is a mistake on the command line") {
    TraceBox box;
    const Cells request{"alice", "--org", "acme", "--path", "/api/v1/lead/", "--set"};
    const auto with = [&](const std::string& set) {
        auto arguments = request;
        arguments.push_back(set);
        return arguments;
    };
    for (const Cells& command : {Cells{"limit", "trace"}, Cells{"client"}}) {
        auto words = command;
        for (const auto& word : with("group=deal")) words.push_back(word);
        const auto refused = box.run(words);
        INFO(refused.err);
        CHECK(refused.code == 2);
        CHECK(refused.out.empty());
        CHECK(contains(refused.err, "--set group=deal, and the path '/api/v1/lead/' says that {group} is 'lead'"));
    }
    CHECK(column(box.trace(with("group=lead")), "key").at(2) == "g:alice:lead");
    // Where no limit of the path has such a hole, nothing contradicts it.
    CHECK(column(box.trace({"alice", "--org", "acme", "--path", "/home/", "--set", "group=deal"}), "policy") ==
          Cells{"core", "core/org"});
}

// The window of the client that was named was shown as if the request met its limit.
TEST_CASE("a path that names another client is a mistake on the command line") {
    RecordedBox box("writes = \"allow\"");
    std::ofstream config(box.config_file(), std::ios::app);
    config << "[[deployments.box.policies]]\nname = \"own\"\nkey = \"own:{client}\"\npaths = [\"/users/{client}/\"]\n"
              "limit = 10\nperiod = \"1m\"\norg_key = \"org:{org}:own\"\norg_factor = 3\n";
    config.close();
    for (const Cells& command : {Cells{"limit", "trace", "a@b"}, Cells{"client", "a@b"},
                                 Cells{"check", "--client", "a@b"}, Cells{"headers", "--client", "a@b"},
                                 Cells{"check", "--client", "a@b", "--org", "acme", "--policy", "own/org"}}) {
        const auto on = [&](const std::string& path) {
            auto words = command;
            words.insert(words.end(), {"--path", path});
            return box.run(words);
        };
        const auto refused = on("/users/bob/photos");
        INFO(refused.err << refused.out);
        CHECK(refused.code == 2);
        CHECK(refused.out.empty());
        CHECK(contains(refused.err,
                       "client 'a@b', and the path '/users/bob/photos' says that {client} is 'bob': no "
                       "request of policy 'own' has both"));
        for (const char* path : {"/users/a@b/photos", "/users/a%40b/photos"}) CHECK(on(path).code == 0);
    }
    CHECK(box.run({"limit", "trace", "a@b", "--path", "/home/"}).code == 0);
}

TEST_CASE("a path in a configuration that could not be followed is refused with what to write") {
    for (const auto& [paths, words] : std::map<std::string, std::string>{
             {"\"api/\"", "does not begin with a /"},
             {"\"/api/{client}\"", "ends with a hole"},
             {"\"/api/*\"", "has a '*', and paths are no patterns"},
             {"\"/api/v1/<group>/\"", "has a '<', and paths are no patterns"},
             {"\"/api/?id=7\"", "has a '?', and paths are no patterns"},
             {"\"/api/{client|md5}/\"", "has a '|', and paths are no patterns"},
             {"\"/api/{other}/\"", "has a hole {other}, and the policy's key has none"}}) {
        RecordedBox box("writes = \"allow\"");
        std::ofstream(box.config_file(), std::ios::app) << "paths = [" << paths << "]\n";
        const auto result = box.run({"check", "core:a"});
        INFO(result.err);
        CHECK(result.code == 3);
        CHECK(contains(result.err, words));
    }
}

TEST_CASE("a limit that cannot be asked for leaves it open whether the request passes") {
    TraceBox box;
    const auto result = box.run({"limit", "trace", "alice", "-o", "json", "--limit", "5"});
    INFO(result.err);
    CHECK(contains(result.err, "left out: "));
    CHECK(contains(result.err, "whether the request passes cannot be told: not every limit could be asked for"));
    CHECK(result.code == 9);
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    REQUIRE(document.at("left_out_count") == 1);
    CHECK(document.at("left_out").at(0).at("by") == "--set");
    CHECK(contains(document.at("left_out").at(0).at("why").get<std::string>(), "group"));
    // It was 3, and 1 where another limit refused the request: the gravest decides, as of check and client.
    CHECK(box.run({"limit", "trace", "alice", "--exit-status", "--limit", "5"}).code == 9);
    CHECK(box.run({"limit", "trace", "alice", "--exit-status"}).code == 9);  // that of upload is unknown
    box.set_window("core:alice", "100", box.end);
    CHECK(box.run({"limit", "trace", "alice", "--exit-status", "--limit", "5"}).code == 9);
    box.server().command({"DEL", "core:alice", "core:alice:exp"});
    const auto whole = box.run({"limit", "trace", "alice", "-o", "json", "--limit", "5", "--set", "group=lead"});
    CHECK(whole.code == 0);
    CHECK(parse_json(whole.out).at("complete") == true);
    CHECK(box.run({"limit", "trace", "alice", "--exit-status", "--limit", "5", "--set", "group=lead"}).code == 0);
}

TEST_CASE("a path that only limits which cannot be asked for may limit is no mistake on the command line") {
    TraceBox box;
    std::ofstream config(box.config_file(), std::ios::app);
    config << "[deployments.holes]\n[[deployments.holes.shards]]\nname = \"a\"\nprimary = \"redis://127.0.0.1:1\"\n"
              "[[deployments.holes.policies]]\nname = \"wide\"\nkey = \"w:{client}:{x}\"\nlimit = 5\nperiod = "
              "\"1m\"\n[[deployments.holes.policies]]\nname = \"up\"\nkey = \"up:{client}\"\npaths = "
              "[\"/up/\"]\nlimit = 5\nperiod = \"1m\"\n";
    config.close();
    const std::vector<std::string> words{"limit", "trace", "alice", "--path", "/zzz", "-d", "holes", "-o", "json"};
    auto result = box.run(words);
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    CHECK(parse_json(result.out).at("rows").empty());
    CHECK(contains(parse_json(result.out).at("left_out").at(0).at("why").get<std::string>(), "wide"));
    CHECK(contains(result.err, "cannot be told: not every limit could be asked for"));
    auto strictly = words;
    strictly.emplace_back("--exit-status");
    CHECK(box.run(strictly).code == 9);
    result = box.run({"check", "--client", "alice", "--path", "/zzz", "-d", "holes"});
    CHECK(result.code == 3);
    CHECK(contains(result.err, "no limit of '/zzz' can be asked for"));
}

// It was refused: "none of these policies knows organisations".
TEST_CASE("where a path has no limit of organisations a request of one of their clients meets the client's own") {
    RecordedBox box("writes = \"allow\"");
    std::ofstream config(box.config_file(), std::ios::app);
    config << "[[deployments.box.policies]]\nname = \"group\"\nkey = \"g:{client}\"\npaths = [\"/api/\"]\nlimit = 10\n"
              "period = \"1m\"\norg_key = \"org:{org}:g\"\norg_factor = 3\n";
    config.close();
    for (const Cells& command :
         {Cells{"limit", "trace", "alice"}, Cells{"client", "alice"}, Cells{"check", "--client", "alice"}}) {
        auto words = command;
        words.insert(words.end(), {"--org", "acme", "-o", "json", "--exit-status", "--path"});
        const auto on = [&](const std::string& path) {
            auto all = words;
            all.push_back(path);
            return box.run(all);
        };
        const auto elsewhere = on("/home/");
        INFO(elsewhere.out << elsewhere.err);
        CHECK(elsewhere.code == 0);
        CHECK(column(parse_json(elsewhere.out).at("rows"), "key") == Cells{"core:alice"});
        CHECK(contains(elsewhere.err, "no limit of an organisation is on path '/home/'"));
        const auto there = on("/api/");
        CHECK(parse_json(there.out).at("rows").size() == 3);
        CHECK_FALSE(contains(there.err, "no limit of an organisation"));
    }
    // That --policy names none of theirs is another matter.
    CHECK(box.run({"client", "alice", "--org", "acme", "--path", "/home/", "--policy", "core"}).code == 2);
}
