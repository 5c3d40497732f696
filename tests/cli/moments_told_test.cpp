// What is said of limiters that store a moment, where not all is known of it.
#include <string>

#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/time_text.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

const std::string kMoments =
    "[[deployments.box.policies]]\nname = \"api\"\nkey = \"api:{client}\"\nscheme = \"throttled\"\n";

/// Policy `api` is api:{client}; what it says of limits and periods is the test's.
class MomentDeployment : public LimiterDeployment {
public:
    explicit MomentDeployment(const std::string& terms = "limit = 60\nperiod = \"1h\"\nburst = 9\n")
        : LimiterDeployment(kMoments + terms) {}

    void free_at(const std::string& key, std::int64_t second) {
        server().command({"SET", key, std::to_string(second) + "000000000", "PXAT", std::to_string(second * 1000)});
    }
};

std::string time_of(std::int64_t second) { return ratectl::support::format_time(ratectl::support::from_epoch(second)); }

}  // namespace

// The table said `none -> none`, as if nothing had been there.
TEST_CASE("a change of a moment whose requests are not known tells the ends") {
    MomentDeployment box("");
    const auto end = seconds_from_now(600);
    box.free_at("api:1", end);
    const auto words = "unknown until " + time_of(end) + " -> none";
    for (const char* mode : {"-n", "-y"}) {
        const auto result = box.run({"reset", "api:1", "--op-id", "RESET", mode});
        INFO(result.out << result.err);
        CHECK(result.code == 0);
        CHECK(contains(result.out, words));
        CHECK_FALSE(contains(result.out, "none -> none"));
    }
    CHECK(box.count("api:1") == "0");
    CHECK(contains(box.run({"history", "RESET"}).out, words));
    CHECK(contains(box.run({"history", "--on-servers", "RESET"}).out, words));
    CHECK(contains(box.run({"explain", "api:1"}).out, words + " by reset RESET"));
    const auto undone = box.run({"undo", "RESET"});
    INFO(undone.out << undone.err);
    CHECK(contains(undone.out, "none -> unknown until " + time_of(end)));
    const auto row = box.rows({"reset", "api:1"})[0];
    CHECK(row.at("before_used").is_null());
    CHECK(row.at("before_reset_at") == end);
}

// The dry run said `planned`, and both spoke of a counter.
TEST_CASE("a dry run refuses what would bring a moment beyond those that are stored") {
    MomentDeployment box;
    box.free_at("api:some", seconds_from_now(300));
    for (const char* key : {"api:some", "api:none"}) {
        for (const char* amount : {"227000000", "9007199254740990"}) {
            for (const char* mode : {"-n", "-y"}) {
                const auto result = box.run({"increment", key, "--amount", amount, mode});
                INFO(key << " " << amount << " " << mode << result.out << result.err);
                CHECK(result.code == 7);
                CHECK(contains(result.out, "overflow"));
                CHECK(contains(result.err, "2255"));
            }
        }
    }
    CHECK(box.run({"increment", "api:none", "--amount", "100000000", "-n"}).code == 0);
    CHECK(box.run({"increment", "api:none", "--amount", "100000000"}).code == 0);
    CounterDeployment counters;
    const auto most = counters.run({"increment", "core:1", "--amount", "9007199254740991", "-n"});
    CHECK(most.code == 0);
    counters.set("core:1", "1", seconds_from_now(300));
    const auto more = counters.run({"increment", "core:1", "--amount", "9007199254740991", "-n"});
    CHECK(more.code == 7);
    CHECK(contains(more.err, "exact integers (2^53)"));
}

TEST_CASE("a dry run refuses to count where nothing says what a request moves") {
    MomentDeployment box("");
    box.free_at("api:1", seconds_from_now(300));
    for (const char* mode : {"-n", "-y"}) {
        const auto result = box.run({"increment", "api:1", mode});
        INFO(mode << result.out << result.err);
        CHECK(result.code == 3);
        CHECK(contains(result.out, "no-rate"));
    }
}

TEST_CASE("what is no moment is told as such and not as an integer") {
    MomentDeployment box;
    box.server().command({"SET", "api:odd", "soon"});
    for (const char* mode : {"-n", "-y"}) {
        const auto result = box.run({"increment", "api:odd", mode});
        INFO(result.err);
        CHECK(result.code == 7);
        CHECK(contains(result.err, "no moment") != contains(result.err, "not what its limiter stores"));
    }
}

// It named --limit alone, with which nothing more was known.
TEST_CASE("explain names all terms that a moment lacks and they tell how many are used") {
    const auto end = seconds_from_now(300);
    const std::string known = "5 of 10 requests used";
    {
        MomentDeployment box("");
        box.free_at("api:1", end);
        const auto told = box.run({"explain", "api:1"}).out;
        INFO(told);
        CHECK(contains(told, " explain --limit N --period DURATION --burst N api:1`"));
        CHECK(contains(box.run({"explain", "--limit", "60", "--period", "1h", "--burst", "9", "api:1"}).out, known));
    }
    {
        MomentDeployment box("period = \"1h\"\nburst = 9\n");
        box.free_at("api:1", end);
        CHECK(contains(box.run({"explain", "api:1"}).out, " explain --limit N api:1`"));
        CHECK(contains(box.run({"explain", "--limit", "60", "api:1"}).out, known));
    }
    {
        MomentDeployment box("limit = 60\nburst = 9\n");
        box.free_at("api:1", end);
        const auto told = box.run({"explain", "api:1"}).out;
        INFO(told);
        CHECK(contains(told, " explain --period DURATION api:1`"));
        CHECK(contains(told, "Policy 'api' names no period."));
    }
    LimiterDeployment box("scheme = \"redis-gcra\"");
    box.server().command({"SET", "api:1", std::to_string(end), "EX", "300"});
    const auto told = box.run({"explain", "api:1"}).out;
    INFO(told);
    CHECK(contains(told, " explain --limit N --key TEMPLATE --scheme redis-gcra --period DURATION --burst N api:1`"));
    const auto pasted = box.run({"explain", "--limit", "60", "--key", "api:{client}", "--scheme", "redis-gcra",
                                 "--period", "1h", "--burst", "10", "api:1"});
    INFO(pasted.out << pasted.err);
    CHECK(contains(pasted.out, known));
    const auto half = box.run({"explain", "--key", "api:{client}", "--limit", "60", "--burst", "10", "api:1"}).out;
    INFO(half);
    CHECK(contains(half, " explain --scheme redis-gcra --period DURATION api:1`"));
}

// They were held against nothing at all, and refused as changed.
TEST_CASE("rows of what is no moment are changed while it is those bytes") {
    for (const char* format : {"ndjson", "json", "csv", "tsv"}) {
        for (const std::string look : {"check", "scan", "explain", "doctor", "plan"}) {
            MomentDeployment box;
            box.server().command({"SET", "api:odd", "so\xffon"});
            INFO(look << " " << format);
            const auto plan = box.box().file("a.plan");
            std::string rows;
            if (look == "plan") {
                REQUIRE(box.run({"reset", "api:odd", "--plan", plan}).code == 0);
            } else {
                std::vector<std::string> words{look, "-o", format};
                if (look == "check" || look == "explain") words.insert(words.begin() + 1, "api:odd");
                if (look == "scan") words.insert(words.end(), {"--state", "corrupt"});
                rows = box.run(words).out;
            }
            const auto change = [&](const char* mode) {
                return look == "plan" ? box.run({"apply", plan, mode}) : box.run({"reset", "-", mode}, rows);
            };
            box.server().command({"SET", "api:odd", "never"});
            for (const char* mode : {"-n", "-y"}) {
                const auto changed = change(mode);
                INFO(rows << changed.out << changed.err);
                CHECK(changed.code == 7);
                CHECK(contains(changed.out, "window-changed"));
            }
            box.server().command({"SET", "api:odd", "so\xffon"});
            for (const char* mode : {"-n", "-y"}) {
                const auto removed = change(mode);
                INFO(rows << removed.out << removed.err);
                CHECK(removed.code == 0);
            }
            CHECK(box.count("api:odd") == "0");
        }
    }
}

// Its end went into a guard that no state could hold.
TEST_CASE("rows and plans of a moment whose requests are not known name its end") {
    MomentDeployment box("");
    const auto end = seconds_from_now(600);
    for (const bool is_plan : {false, true}) {
        for (const bool is_changed : {true, false}) {
            INFO(is_plan << is_changed);
            box.free_at("api:1", end);
            const auto plan = box.box().file(is_changed ? "changed.plan" : "same.plan");
            const auto rows = box.run({"check", "api:1", "-o", "ndjson"}).out;
            if (is_plan) REQUIRE(box.run({"reset", "api:1", "--plan", plan}).code == 0);
            if (is_changed) box.free_at("api:1", end + 60);
            const auto result = is_plan ? box.run({"apply", plan}) : box.run({"reset", "-"}, rows);
            INFO(result.out << result.err);
            CHECK(result.code == (is_changed ? 7 : 0));
            CHECK(box.count("api:1") == (is_changed ? "1" : "0"));
        }
    }
}
