// Servers where some commands are forbidden or renamed, as managed services have them: what still works there, and what
// is said of what does not.
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

class Forbidding {
public:
    explicit Forbidding(const std::string& command, const std::string& renamed = "")
        : server_({"--rename-command", command, renamed}) {}

    RunResult run(std::vector<std::string> words) {
        for (const auto& word :
             {std::string("-u"), server_.endpoint().url(), std::string("--key"), std::string("core:{client}"),
              std::string("--limit"), std::string("10"), std::string("--period"), std::string("1h")})
            words.push_back(word);
        RunOptions options;
        options.environment["XDG_STATE_HOME"] = server_.folder() + "/state";
        return run_ratectl(words, options);
    }
    RedisServer& server() { return server_; }

private:
    RedisServer server_;
};

struct Row {
    std::string command;
    bool is_needed;     // by anything: doctor names it then
    std::string stops;  // commands of ratectl that end with an error, separated by spaces
};

const std::vector<std::string> kRuns{"increment", "check", "script",  "scan", "refund", "nodes",
                                     "explain",   "stats", "history", "undo", "reset"};

std::vector<std::string> words_of(const std::string& run) {
    if (run == "increment") return {"increment", "core:1", "--amount", "3"};
    if (run == "script") return {"check", "core:1", "--as-script"};
    if (run == "scan") return {"scan", "core:*"};
    if (run == "refund") return {"refund", "core:1", "--amount", "1", "--op-id", "01JD0W3V5M7Q9R2T4X6Z8B1C3D"};
    if (run == "undo") return {"undo", "01JD0W3V5M7Q9R2T4X6Z8B1C3D", "-y"};
    if (run == "history") return {"history", "--on-servers"};
    if (run == "nodes" || run == "stats") return {run};
    return {run, "core:1"};
}

/// As an application would have left it, where ratectl may not write.
void fill(RedisServer& server) {
    const auto end = std::to_string(
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count() +
        1800);
    for (const auto& [key, value] : {std::pair{std::string("core:1"), std::string("3")}, {"core:1:exp", end}}) {
        server.command({"SET", key, value});
        server.command({"EXPIREAT", key, end});
    }
}

}  // namespace

TEST_CASE("a server that forbids a command does all that can do without it, and names it where nothing can") {
    const auto& row = GENERATE(values<Row>({{"CLIENT", false, ""},
                                            {"CONFIG", false, ""},
                                            {"COMMAND", false, ""},
                                            {"OBJECT", false, ""},
                                            {"DEBUG", false, ""},
                                            {"SCRIPT", false, ""},
                                            {"ROLE", true, ""},
                                            {"INFO", true, ""},
                                            {"DBSIZE", true, ""},
                                            {"WAIT", true, ""},
                                            {"EVAL_RO", false, ""},
                                            {"EVALSHA_RO", false, ""},
                                            {"TIME", true, "increment refund undo reset"},
                                            {"SCAN", true, "scan stats history"},
                                            {"EVALSHA", true, "increment refund undo reset"},
                                            {"EVAL", true, "increment refund undo reset"}}));
    Forbidding box(row.command);
    const bool may_write = !contains(row.stops, "increment");
    if (!may_write) fill(box.server());
    for (const auto& run : kRuns) {
        if (run == "undo" && !may_write) continue;  // nothing was written
        const auto result = box.run(words_of(run));
        INFO(row.command << " forbidden: " << run << "\n" << result.out << result.err);
        if (contains(" " + row.stops + " ", " " + run + " ")) {
            CHECK(result.code == 11);
            CHECK(contains(result.err, "does not know the command " + row.command));
            CHECK(contains(result.err, "is it renamed or disabled there"));
            if (run != "scan" && run != "stats" && run != "history") CHECK(contains(result.err, "nothing was written"));
        } else {
            CHECK(result.code == 0);
        }
    }
    const auto doctor = box.run({"doctor", "--only", "scripts-denied,commands-denied", "-o", "ndjson"});
    INFO(doctor.out << doctor.err);
    CHECK(doctor.code == (row.is_needed ? 1 : 0));
    if (row.is_needed) {
        auto lower = row.command;
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        CHECK(contains(parse_json(doctor.out.substr(0, doctor.out.find('\n'))).at("detail").get<std::string>(), lower));
    }
}

TEST_CASE("replicas that cannot be waited for are said, not guessed") {
    Forbidding box("WAIT");
    const auto result = box.run({"increment", "core:1", "--wait-replicas", "1"});
    INFO(result.out << result.err);
    CHECK(result.code != 0);
    CHECK(contains(result.out + result.err, "WAIT"));
    CHECK(box.server().command({"GET", "core:1"}) == "1");
}

TEST_CASE("an account that an ACL forbids a command does all that can do without it, and is told of it where not") {
    const auto& row = GENERATE(values<Row>({{"client", false, ""},
                                            {"config", false, ""},
                                            {"command", false, ""},
                                            {"object", false, ""},
                                            {"debug", false, ""},
                                            {"script", false, ""},
                                            {"role", true, ""},
                                            {"info", true, ""},
                                            {"dbsize", true, ""},
                                            {"wait", true, ""},
                                            {"eval_ro", true, ""},
                                            {"evalsha_ro", true, ""},
                                            {"time", true, "increment"},
                                            {"scan", true, "scan"},
                                            {"evalsha", true, "increment"},
                                            {"eval", true, "increment"}}));
    Forbidding box("LOLWUT");
    fill(box.server());
    box.server().command({"ACL", "SETUSER", "default", "on", "nopass", "~*", "&*", "+@all", "-" + row.command});
    for (const std::string run : {"check", "script", "scan", "increment", "nodes"}) {
        const auto result = box.run(words_of(run));
        INFO(row.command << " forbidden: " << run << "\n" << result.out << result.err);
        CHECK(result.code == (row.stops == run ? 5 : 0));
        if (row.stops != run) continue;
        CHECK(contains(result.err, "ACL does not let this user run '" + row.command + "'"));
        if (run == "increment") CHECK(contains(result.err, "nothing was written"));
    }
    if (row.command == "eval_ro") {
        box.server().command({"ACL", "SETUSER", "default", "-eval"});
        box.server().command({"SCRIPT", "FLUSH"});
        CHECK(contains(box.run(words_of("script")).err, "does not let this user run 'eval_ro'"));
    }
    const auto doctor = box.run({"doctor", "--only", "scripts-denied,commands-denied", "-o", "ndjson"});
    INFO(row.command << "\n" << doctor.out << doctor.err);
    CHECK(contains(doctor.out, "not allowed: ") == row.is_needed);
    const auto found = box.run({"nodes", "--capabilities", "-o", "ndjson"});
    CHECK(contains(found.out, "\"outcome\":\"forbidden\""));
}

TEST_CASE("a command that has another name on the server is one that the server does not know") {
    Forbidding box("SCAN", "WALK");
    fill(box.server());
    CHECK(box.run(words_of("check")).code == 0);
    CHECK(box.run(words_of("increment")).code == 0);
    CHECK(contains(box.run(words_of("scan")).err, "does not know the command SCAN"));
    const auto found = box.run({"nodes", "--capabilities", "-o", "ndjson"});
    INFO(found.out);
    CHECK(contains(found.out, R"("command":"SCAN","outcome":"unknown")"));
}
