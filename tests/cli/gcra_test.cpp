// Limiters that store one moment a client, at which all that was used is free again.
#include <cmath>

#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// How each limiter that is named writes its moments, and how it is set so that ten requests may come at once.
struct Kind {
    const char* scheme;
    std::int64_t burst;
    double epoch;
    double unit;
};
constexpr Kind kKinds[] = {{"throttled", 9, 0, 1e9},
                           {"redis-cell", 9, 0, 1e9},
                           {"redis-rate", 10, 1'483'228'800, 1},
                           {"redis-gcra", 10, 0, 1}};

/// Sixty requests an hour, so one a minute, and ten at once.
class GcraDeployment : public LimiterDeployment {
public:
    explicit GcraDeployment(const Kind& kind = kKinds[0])
        : LimiterDeployment(std::string("[[deployments.box.policies]]\nname = \"api\"\nkey = \"api:{client}\"\n") +
                            "scheme = \"" + kind.scheme +
                            "\"\nlimit = 60\nperiod = \"1h\"\nburst = " + std::to_string(kind.burst) + "\n"),
          kind_(kind) {}

    json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }
    /// All is free again at that second and a half.
    void set(const std::string& key, std::int64_t second) {
        const auto half = kind_.unit > 1 ? "500000000" : ".5";
        const auto whole = std::to_string(second - static_cast<std::int64_t>(kind_.epoch));
        server().command({"SET", key, whole + half, "PXAT", std::to_string(second * 1000 + 500)});
    }
    /// The moment that is stored, in seconds since the epoch.
    double moment(const std::string& key) { return std::stod(stored(key)) / kind_.unit + kind_.epoch; }

private:
    const Kind& kind_;
};

bool is_near(double a, double b) { return std::fabs(a - b) < 0.001; }

}  // namespace

TEST_CASE("a moment says how many requests are used and when the next one passes") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        const auto now = seconds_from_now(0);
        box.set("api:some", now + 3 * 60 - 30);
        box.set("api:all", now + 10 * 60 - 30);
        box.server().command({"SET", "api:odd", "soon"});
        box.server().command({"RPUSH", "api:list", "1"});
        const auto rows = box.rows({"check", "api:some", "api:all", "api:none", "api:odd", "api:list"});
        REQUIRE(rows.size() == 5);
        const char* const states[] = {"open", "exhausted", "absent", "corrupt", "corrupt"};
        for (std::size_t i = 0; i < 5; ++i) CHECK(rows[i].at("state") == states[i]);
        CHECK(rows[0].at("used") == 3);
        CHECK(rows[0].at("limit") == 10);
        CHECK(rows[0].at("remaining") == 7);
        CHECK(rows[0].at("reset_at") == now + 151);
        CHECK(rows[1].at("remaining") == 0);
        CHECK(rows[2].at("remaining") == 10);
        CHECK(box.run({"check", "api:all", "--exit-status"}).code == 1);
        const auto told = box.run({"explain", "api:all"}).out;
        INFO(told);
        CHECK(contains(told, "when one request is let through: 10 of 10 requests used; all of it is free again at"));
        CHECK(contains(told, "The limit is 60 per 1h, 10 at once, of policy 'api'."));
        CHECK(contains(box.run({"explain", "api:some"}).out, "3 of 10 requests used, 7 left; all of it is free"));
        // Until all but nine are free again: 570.5 s less nine minutes.
        const auto headers =
            box.run({"headers", "api:all", "--dialect", "retry-after", "--now", std::to_string(now)}).out;
        CHECK(contains(headers, "Retry-After: 31"));
    }
}

TEST_CASE("requests are counted and given back by moving the moment") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        const auto now = seconds_from_now(0);
        box.set("api:1", now + 90);
        auto row = box.row({"increment", "api:1", "--amount", "5"});
        CHECK(row.at("before_used") == 2);
        CHECK(row.at("after_used") == 7);
        CHECK(is_near(box.moment("api:1"), static_cast<double>(now) + 90.5 + 300));
        const auto lives = std::stod(box.server().command({"PTTL", "api:1"})) / 1000;
        CHECK(lives > 387);
        CHECK(lives < 392);
        row = box.row({"refund", "api:1", "--amount", "4"});
        CHECK(row.at("taken") == 4);
        CHECK(row.at("after_used") == 3);
        CHECK(is_near(box.moment("api:1"), static_cast<double>(now) + 90.5 + 60));
        CHECK(box.row({"refund", "api:1", "--amount", "9"}).at("reason") == "below-zero");
        CHECK(box.row({"refund", "api:1", "--amount", "9", "--clamp"}).at("taken") == 3);
        CHECK(box.count("api:1") == "0");
        row = box.row({"increment", "api:new", "--amount", "2"});
        CHECK(row.at("after_used") == 2);
        CHECK(std::fabs(box.moment("api:new") - static_cast<double>(seconds_from_now(120))) < 3);
        CHECK(box.row({"increment", "api:none", "--amount", "0"}).at("reason") == "nothing-to-count");
        CHECK(box.count("api:none") == "0");
    }
}

TEST_CASE("what was done to moments is told and taken back") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        const auto now = seconds_from_now(0);
        for (const char* key : {"api:1", "api:2"}) box.set(key, now + 270);
        const auto stored = box.stored("api:1");
        const auto expires = box.server().command({"PEXPIRETIME", "api:1"});
        CHECK(box.run({"reset", "api:1", "--op-id", "RESET"}).code == 0);
        CHECK(box.count("api:1") == "0");
        const auto told = box.rows({"history", "RESET"});
        REQUIRE(told.size() == 1);
        CHECK(told[0].at("before_used") == 5);
        CHECK(box.rows({"history", "--on-servers", "RESET"})[0].at("before_used") == 5);
        CHECK(box.run({"increment", "api:2", "--amount", "3", "--op-id", "COUNT"}).code == 0);
        CHECK(box.run({"refund", "api:2", "--amount", "1", "--op-id", "GIVE"}).code == 0);
        for (const char* operation : {"GIVE", "COUNT", "RESET"}) {
            for (const bool dry : {true, false}) {
                const auto undone = dry ? box.run({"undo", operation, "-n"}) : box.run({"undo", operation});
                INFO(operation << undone.out << undone.err);
                CHECK(undone.code == 0);
            }
        }
        CHECK(box.stored("api:1") == stored);
        CHECK(box.server().command({"PEXPIRETIME", "api:1"}) == expires);
        CHECK(is_near(box.moment("api:2"), static_cast<double>(now) + 270.5));
        CHECK(box.rows({"undo", "RESET"})[0].at("status") == "already-applied");
        // The same call once more, as after a lost reply: once is enough.
        CHECK(box.run({"increment", "api:2", "--amount", "3", "--op-id", "AGAIN"}).code == 0);
        CHECK(box.rows({"increment", "api:2", "--amount", "3", "--op-id", "AGAIN"})[0].at("status") ==
              "already-applied");
        CHECK(is_near(box.moment("api:2"), static_cast<double>(now) + 270.5 + 180));
    }
}

TEST_CASE("what was no moment comes back byte for byte and what a refund emptied comes back no later") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        box.server().command({"SET", "api:odd", " 12 soon", "EX", "100"});
        CHECK(box.run({"reset", "api:odd", "--op-id", "ODD"}).code == 0);
        CHECK(box.run({"undo", "ODD"}).code == 0);
        CHECK(box.stored("api:odd") == " 12 soon");
        // Twenty seconds of a minute that one request takes.
        const auto now = seconds_from_now(0);
        box.set("api:1", now + 20);
        CHECK(box.run({"refund", "api:1", "--amount", "1", "--op-id", "GIVE"}).code == 0);
        CHECK(box.count("api:1") == "0");
        CHECK(box.row({"undo", "GIVE", "-n"}).at("after_used") == 1);
        CHECK(box.row({"undo", "GIVE"}).at("after_used") == 1);
        CHECK(box.moment("api:1") > static_cast<double>(now) + 20);
        CHECK(box.moment("api:1") <= static_cast<double>(now) + 21);
        CHECK(box.run({"reset", "api:1", "--op-id", "AWAY"}).code == 0);
        CHECK(box.run({"increment", "api:1", "--amount", "2"}).code == 0);
        CHECK(box.row({"undo", "AWAY", "--merge", "-n"}).at("after_used") == 3);
        CHECK(box.row({"undo", "AWAY", "--merge"}).at("after_used") == 3);
        CHECK(box.row({"increment", "api:1", "--amount", "0", "-n"}).at("reason") == "nothing-to-count");
        CHECK(box.row({"refund", "api:1", "--amount", "3", "-n"}).at("after_used").is_null());
        const auto headers = box.run({"headers", "api:1"}).out;
        const auto verified = box.run({"headers", "api:1", "--verify", "-"}, headers);
        INFO(headers << verified.out << verified.err);
        CHECK(verified.code == 0);
        CHECK(contains(verified.out, "now"));
    }
}

TEST_CASE("sweeps statistics and guards know moments") {
    GcraDeployment box(kKinds[2]);
    const auto now = seconds_from_now(0);
    for (int i = 1; i <= 20; ++i) box.set("api:" + std::to_string(i), now + i * 60 - 30);
    CHECK(box.rows({"scan"}).size() == 20);
    CHECK(box.rows({"scan", "--state", "exhausted"}).size() == 11);
    CHECK(box.rows({"scan", "--min-used", "18"}).size() == 3);
    const auto top = box.rows({"top", "-N", "3"});
    REQUIRE(top.size() == 3);
    CHECK(top[0].at("key") == "api:20");
    CHECK(contains(parse_json(box.run({"stats", "-o", "json"}).out).dump(), "\"exhausted\":11"));
    CHECK(box.rows({"doctor"}).empty());
    box.server().command({"SET", "api:over", "100"});
    CHECK(box.rows({"doctor"}).at(0).at("class") == "expiry-past");
    CHECK(contains(box.run({"explain", "api:over"}).out, "is allowed: all that was used is free again."));
    box.server().command({"SET", "api:over", "2000000000", "EX", "900"});
    CHECK(box.rows({"doctor"}).at(0).at("class") == "expiry-absurd");
    box.server().command({"SET", "api:over", "100"});
    const auto piped = box.run({"scan", "--state", "exhausted", "-o", "ndjson"});
    const auto reset = box.rows({"reset", "-", "-y"}, piped.out);
    CHECK(reset.size() == 11);
    for (const auto& row : reset) CHECK(row.at("status") == "applied");
    CHECK(box.rows({"scan", "--state", "open"}).size() == 9);
    CHECK(box.row({"reset", "api:3", "--if-used-at-least", "9"}).at("reason") == "used-too-low");
    CHECK(box.row({"refund", "api:3", "--amount", "1", "-n"}).at("after_used") == 2);
    CHECK(box.row({"increment", "api:3", "--amount", "2", "-n"}).at("after_reset_at") == now + 151 + 120);
    CHECK(box.run({"reset", "--match", "api:*", "--state", "open", "-y"}).code == 0);
    CHECK(box.rows({"scan", "--state", "open"}).empty());
}

TEST_CASE("without a policy a moment is known and not how many requests it stands for") {
    GcraDeployment box;
    box.set("api:1", seconds_from_now(90));
    const auto url = box.server().endpoint().url();
    const auto ask = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"-u", url, "--scheme", "throttled", "-o", "json"});
        const auto result = run_ratectl(words);
        INFO(result.err);
        return parse_json(result.out).at("rows").at(0);
    };
    const auto row = ask({"check", "api:1"});
    CHECK(row.at("state") == "open");
    CHECK(row.at("used").is_null());
    CHECK(row.at("reset_at").is_number());
    CHECK(ask({"check", "api:1", "--key", "api:{client}", "--limit", "60", "--period", "1h", "--burst", "9"})
              .at("used") == 2);
    // What is to be pasted says all that the limiter needs to know.
    const auto counted =
        run_ratectl({"increment", "api:2", "-y", "--confirm", url.substr(8), "-u", url, "--scheme", "throttled",
                     "--key", "api:{client}", "--limit", "60", "--period", "1h", "--burst", "9"});
    INFO(counted.err);
    CHECK(contains(counted.err, "--scheme throttled --limit 60 --period 1h --burst 9 undo "));
    const auto told = run_ratectl({"explain", "api:1", "-u", url, "--scheme", "throttled"}).out;
    INFO(told);
    CHECK(contains(told, "some requests are used, and its limit is unknown. All of it is free again at"));
    CHECK(ask({"increment", "api:1", "-y", "--confirm", url.substr(8)}).at("reason") == "no-rate");
    // Its hint named figures, and not the template that they need.
    const auto hinted =
        run_ratectl({"increment", "api:1", "-y", "--confirm", url.substr(8), "-u", url, "--scheme", "throttled"}).err;
    INFO(hinted);
    CHECK(contains(hinted, "--key TEMPLATE with --limit and --period, and --burst where the limiter has one"));
    CHECK(ask({"reset", "api:1", "-y", "--confirm", url.substr(8)}).at("status") == "applied");
}

// The flags were printed, and refused as a number of rows.
TEST_CASE("what takes a moment's count back or plans it is told with its terms and takes them") {
    GcraDeployment box;
    const std::vector<std::string> terms{"--limit", "30", "--period", "1h", "--burst", "9"};
    const auto with_terms = [&](std::vector<std::string> words) {
        words.insert(words.end(), terms.begin(), terms.end());
        return box.run(words);
    };
    const auto counted = with_terms({"increment", "api:1", "--op-id", "TERMS"});
    CHECK(contains(counted.err, "--limit 30 --period 1h --burst 9 undo TERMS"));
    CHECK(with_terms({"undo", "TERMS"}).code == 0);
    CHECK(box.count("api:1") == "0");
    const auto plan = box.box().file("terms.plan");
    CHECK(with_terms({"increment", "api:1", "--plan", plan}).code == 0);
    CHECK(with_terms({"apply", plan}).code == 0);
    CHECK(box.count("api:1") == "1");
}

// It took as many requests back as the new terms count, which is another share of the moment, and said `applied`.
TEST_CASE("what was counted by other terms than those of now is not taken back by these") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        REQUIRE(box.run({"increment", "api:1", "--amount", "6", "--op-id", "COUNT"}).code == 0);
        REQUIRE(box.run({"refund", "api:1", "--amount", "5", "--op-id", "REFUND"}).code == 0);
        const auto burst = std::to_string(kind.burst);
        for (const std::string op : {"COUNT", "REFUND"}) {
            const auto moment = box.moment("api:1");
            for (const std::string dry : {"-n", "-y"}) {
                const auto other =
                    box.run({"undo", op, dry, "--limit", "240", "--period", "1h", "--burst", burst, "-o", "json"});
                INFO(op << other.out << other.err);
                CHECK(other.code == 7);
                CHECK(parse_json(other.out).at("rows").at(0).at("why_not") == "other-terms");
                CHECK(contains(other.err, "under another limit or period than its policy has now"));
            }
            CHECK(box.moment("api:1") == moment);
        }
        CHECK(box.row({"undo", "REFUND"}).at("status") == "applied");
        CHECK(
            box.row({"undo", "COUNT", "--limit", "240", "--period", "1h", "--burst", burst, "--force"}).at("status") ==
            "applied");
    }
}

// It took as many of the requests that others had made since.
TEST_CASE("what has come free again is not taken back from newer requests") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        REQUIRE(box.run({"increment", "api:1", "--amount", "3", "--op-id", "DRAINED"}).code == 0);
        box.set("api:1", seconds_from_now(500));
        const auto moment = box.moment("api:1");
        const auto later = std::to_string(seconds_from_now(240));
        for (const std::string dry : {"-n", "-y"}) {
            const auto refused = box.run({"undo", "DRAINED", dry, "--now", later, "-o", "json"});
            INFO(refused.out << refused.err);
            CHECK(refused.code == 7);
            CHECK(parse_json(refused.out).at("rows").at(0).at("why_not") == "closed");
        }
        CHECK(box.moment("api:1") == moment);
        CHECK(box.row({"undo", "DRAINED", "--now", later, "--force"}).at("status") == "applied");
    }
}

// Where all was free again within ten seconds of what it would have been, the terms passed for the same.
TEST_CASE("other terms are told by how far one request moved the moment however little that differs") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        const auto burst = std::to_string(kind.burst);
        REQUIRE(box.run({"increment", "api:1", "--op-id", "OPENED"}).code == 0);
        REQUIRE(box.run({"increment", "api:1", "--amount", "2", "--op-id", "MORE"}).code == 0);
        REQUIRE(box.run({"increment", "api:2", "--op-id", "AGAIN"}).code == 0);
        REQUIRE(box.run({"refund", "api:2", "--amount", "1", "--op-id", "EMPTIED"}).code == 0);
        // Known from this machine's journal, or from the operation keys alone.
        for (const bool elsewhere : {false, true}) {
            for (const std::string op : {"OPENED", "MORE"}) {
                std::vector<std::string> undo{"undo",  op,        "-y",  "--limit", "60",  "--period",
                                              "3601s", "--burst", burst, "-o",      "json"};
                if (elsewhere) undo.insert(undo.end(), {"--journal", box.box().file("another.db")});
                const auto other = box.run(undo);
                INFO(elsewhere << op << other.out << other.err);
                CHECK(other.code == 7);
                CHECK(parse_json(other.out).at("rows").at(0).at("why_not") == "other-terms");
            }
        }
        // An answer that comes late is recorded as of when it was carried out.
        CHECK(box.row({"increment", "api:1", "--op-id", "OPENED"}).at("status") == "already-applied");
        for (const std::string op : {"MORE", "OPENED", "EMPTIED"})
            CHECK(box.row({"undo", op}).at("status") == "applied");
        CHECK(box.count("api:1") == "0");
    }
}

TEST_CASE("what cannot be done with a moment is refused with the reason") {
    const WrittenDeployment unset(std::string(kFree) +
                                  "\n[[deployments.box.policies]]\nname = \"api\"\nkey = \"api:{client}\"\n"
                                  "scheme = \"throttled\"\nlimit = 60\nperiod = \"1h\"\n");
    const auto refused = unset.run({"check", "api:1"});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "lets some requests come at once, and policy 'api' has no burst"));
    GcraDeployment box;
    const auto log = "127.0.0.1 - a [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.0\" 200 23\n";
    const auto replayed = box.run({"replay", "-", "--policy", "api", "-n"}, log);
    INFO(replayed.err);
    CHECK(replayed.code == 2);
    CHECK(contains(replayed.err, "each request moves their end"));
}

// Every moment was below any number, as what it stores says how long and not how many.
TEST_CASE("a watch waits until fewer requests of a moment are used") {
    for (const auto& kind : kKinds) {
        INFO(kind.scheme);
        GcraDeployment box(kind);
        CHECK(box.run({"increment", "api:1", "--amount", "9"}).code == 0);
        const auto code = [&box](const std::string& goal) {
            return box.run({"watch", "api:1", "--until", goal, "--rounds", "1"}).code;
        };
        CHECK(code("below:9") == 1);
        CHECK(code("below:10") == 0);
        CHECK(code("below:5%") == 1);
        CHECK(code("below:91%") == 0);
        CHECK(box.run({"reset", "api:1"}).code == 0);
        CHECK(code("below:1") == 0);
    }
}
