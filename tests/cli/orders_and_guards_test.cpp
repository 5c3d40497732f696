// --sort and --reverse wherever rows are, --if-window and --if-used-at-least wherever a change has a choice.
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

constexpr std::int64_t kHour = 3600;

std::vector<std::string> with(std::vector<std::string> some, const std::vector<std::string>& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

/// core:1 has 30 used, core:2 has 10, core:3 has 20.
struct ThreeWindows : WrittenDeployment {
    ThreeWindows() : WrittenDeployment(kFree) { fill(); }
    void fill() {
        end = seconds_from_now(kHour);
        set_window("core:1", "30", end);
        set_window("core:2", "10", end);
        set_window("core:3", "20", end);
    }
    std::string column(const std::vector<std::string>& command, const std::string& name) {
        const auto result = run(with(command, {"-o", "csv", "--no-header", "--columns", name}));
        INFO(result.err);
        CHECK(result.code <= 1);
        std::string text;
        for (const char c : result.out) text += c == '\n' ? ' ' : c;
        return text;
    }
    std::int64_t end = 0;
};

const std::vector<std::string> kKeys{"core:1", "core:2", "core:3"};

}  // namespace

TEST_CASE("every command that prints rows of windows prints them in the order of a column") {
    const std::vector<std::vector<std::string>> commands{with({"check"}, kKeys),
                                                         with({"explain"}, kKeys),
                                                         with({"locate"}, kKeys),
                                                         with({"reset", "-n"}, kKeys),
                                                         {"scan", "core:*"}};
    ThreeWindows box;
    for (const auto& command : commands) {
        CAPTURE(command.front());
        CHECK(box.column(with(command, {"--sort", "key", "--reverse"}), "key") == "core:3, core:2, core:1, ");
    }
    CHECK(box.column(with({"explain", "--sort", "used"}, kKeys), "used") == "10 20 30 ");
    CHECK(box.column(with({"reset", "-n", "--sort", "before_used"}, kKeys), "before_used") == "10 20 30 ");
    CHECK(box.column(with({"headers", "--sort", "key", "--reverse"}, kKeys), "key").starts_with("core:3"));
    CHECK(
        box.column(with({"compare", "--show-same", "--sort", "key", "--reverse"}, kKeys), "key").starts_with("core:3"));
    REQUIRE(box.run(with({"increment"}, kKeys)).code == 0);
    CHECK(box.column({"history", "--sort", "key", "--reverse"}, "key") == "core:3, core:2, core:1, ");
    box.server().command({"SET", "core:9", "5"});
    box.server().command({"SET", "core:8", "5"});
    CHECK(box.column({"doctor", "core:*", "--only", "orphan-counter", "--sort", "key", "--reverse"}, "key")
              .starts_with("core:9"));
}

TEST_CASE("a column that is a part of the names of others is answered with these") {
    ThreeWindows box;
    for (const auto& command : {with({"reset", "-n"}, kKeys), {std::string("history")}}) {
        const auto result = box.run(with(command, {"--sort", "used"}));
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "did you mean 'before_used' or 'after_used'"));
    }
}

TEST_CASE("a quiet change prints no rows unless a format asks for them") {
    ThreeWindows box;
    const auto quiet = box.run(with({"increment", "-q"}, kKeys));
    CHECK(quiet.code == 0);
    CHECK((quiet.out + quiet.err).empty());
    CHECK(box.run(with({"reset", "-q", "-o", "name"}, kKeys)).out == "core:1\ncore:2\ncore:3\n");
    box.server().command({"RPUSH", "core:list", "x"});
    const auto refused = box.run({"reset", "core:list", "-q"});
    CHECK(refused.code == 7);
    CHECK(refused.out.empty());
    CHECK(contains(refused.err, "core:list"));
}

TEST_CASE("paragraphs of explain have the order of a column too") {
    ThreeWindows box;
    const auto result = box.run(with({"explain", "--sort", "used", "--reverse"}, kKeys));
    CHECK(result.out.find("core:1") < result.out.find("core:3"));
    CHECK(result.out.find("core:3") < result.out.find("core:2"));
}

TEST_CASE("an order that there is no column for is refused before anything is written") {
    ThreeWindows box;
    for (const auto& order : {std::vector<std::string>{"--sort", "nothing"}, {"--reverse"}, {"--sort", "key,used"}}) {
        const auto result = box.run(with(with({"increment"}, order), kKeys));
        CHECK(result.code == 2);
        CHECK(box.stored("core:1") == "30");
    }
}

TEST_CASE("a change with a guard is made only in the window that it names") {
    for (const std::vector<std::string>& change :
         {std::vector<std::string>{"reset"}, {"refund", "--amount", "1"}, {"increment"}}) {
        CAPTURE(change.front());
        ThreeWindows box;
        const auto other = box.run(with(change, {"core:1", "--if-window", std::to_string(box.end + 1)}));
        CHECK(other.code == 7);
        CHECK(contains(other.out, "window-changed"));
        CHECK(box.stored("core:1") == "30");
        const auto absent = box.run(with(change, {"core:7", "--if-window", std::to_string(box.end)}));
        CHECK(absent.code != 0);
        CHECK(box.stored("core:7") == "(nil)");
        CHECK(box.run(with(change, {"core:1", "--if-window", std::to_string(box.end)})).code == 0);
        CHECK(box.stored("core:1") != "30");
    }
}

TEST_CASE("a change with a least use leaves windows alone that have less") {
    for (const std::vector<std::string>& change :
         {std::vector<std::string>{"reset"}, {"refund", "--amount", "1"}, {"increment"}}) {
        CAPTURE(change.front());
        ThreeWindows box;
        const auto guarded = with(with(change, kKeys), {"--if-used-at-least", "20"});
        const auto planned = box.run(with(guarded, {"-n"}));
        CHECK(contains(planned.out, "used-too-low"));
        const auto result = box.run(guarded);
        CHECK(result.code == 9);
        CHECK(contains(result.out, "used-too-low"));
        CHECK(box.stored("core:1") != "30");
        CHECK(box.stored("core:2") == "10");
        CHECK(box.stored("core:3") != "20");
    }
}

TEST_CASE("a least use is compared by the server and of no window it is said that there is none") {
    ThreeWindows box;
    for (const std::vector<std::string>& change :
         {std::vector<std::string>{"increment"}, {"refund", "--amount", "1"}, {"reset"}}) {
        for (const bool dry : {false, true}) {
            CAPTURE(change.front(), dry);
            auto arguments = with(change, {"core:7", "--if-used-at-least", "5"});
            if (dry) arguments.emplace_back("-n");
            const auto result = box.run(arguments);
            CHECK(contains(result.out, change.front() == "increment" ? "no-window" : "absent"));
            CHECK(result.code == (change.front() == "increment" ? 7 : 1));
            CHECK(box.stored("core:7") == "(nil)");
        }
    }
    // Nothing is looked at first: two questions could tell of two windows.
    box.server().command({"CONFIG", "RESETSTAT"});
    REQUIRE(box.run(with({"increment"}, with(kKeys, {"--if-used-at-least", "1"}))).code == 0);
    CHECK_FALSE(contains(box.server().command({"INFO", "commandstats"}), "cmdstat_exec"));
}

TEST_CASE("a plan remembers the least use that it was made with") {
    ThreeWindows box;
    const std::string plan = box.file("p.plan");
    REQUIRE(box.run(with({"refund", "--amount", "1", "--if-used-at-least", "20", "--plan", plan}, kKeys)).code != 2);
    box.set_window("core:1", "3", box.end);
    const auto result = box.run({"apply", plan, "-y"});
    CHECK(contains(result.out, "used-too-low"));
    CHECK(box.stored("core:1") == "3");
    CHECK(box.stored("core:3") == "19");
}

TEST_CASE("a guard that has no meaning for a change is refused with the reason") {
    ThreeWindows box;
    const std::vector<std::vector<std::string>> commands{{"apply", "p.plan"},
                                                         {"undo", "01JD0W3V5M7Q9R2T4X6Z8B1C3D"},
                                                         {"replay", "log"},
                                                         {"doctor", "--fix", "all"},
                                                         {"reshard", "apply", "a", "b"}};
    for (const auto& command : commands) {
        for (const std::string flag : {"--if-window", "--if-used-at-least"}) {
            CAPTURE(command.front(), flag);
            const auto result = box.run(with(command, {flag, "5"}));
            CHECK(result.code == 2);
            CHECK(contains(result.err, flag + " has no meaning here: "));
            CHECK(contains(result.err, "hint: "));
        }
    }
}

// The rows' amounts won without a word, and without --amount they were not read at all.
TEST_CASE("amounts of rows need no flag beside them, and one that they differ from is said to be theirs") {
    WrittenDeployment box(kFree);
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "50", seconds_from_now(900));
    const std::string rows = "{\"key\":\"core:1\",\"amount\":2}\n{\"key\":\"core:2\",\"amount\":3}\n";
    CHECK(box.run_with_input({"refund", "-"}, rows).code == 0);
    CHECK(box.stored("core:1") == "48");
    CHECK(box.run_with_input({"refund", "-"}, "key,amount\ncore:1,1\n").code == 0);
    CHECK(box.stored("core:1") == "47");
    const auto same = box.run_with_input({"refund", "-", "--amount", "1"}, "key,amount\ncore:1,1\n");
    CHECK(same.code == 0);
    CHECK_FALSE(contains(same.err, "amounts of their own"));
    for (const std::string command : {"refund", "increment"}) {
        const auto other = box.run_with_input({command, "-", "--amount", "7"}, rows);
        INFO(other.err);
        CHECK(other.code == 0);
        CHECK(contains(other.err,
                       "rows have amounts of their own, 2 for key 'core:1', and these count; --amount 7 is "
                       "for rows without one"));
        CHECK(other.err.find("amounts of their own") == other.err.rfind("amounts of their own"));
    }
    CHECK(box.stored("core:1") == "46");
    CHECK_FALSE(contains(box.run_with_input({"increment", "-"}, rows).err, "amounts of their own"));
    const auto none = box.run_with_input({"refund", "-"}, "core:1\ncore:2\n");
    CHECK(none.code == 2);
    CHECK(none.out.empty());
    CHECK(contains(none.err, "how many requests should be given back?"));
    CHECK(box.run({"refund", "core:1"}).code == 2);
}

TEST_CASE("a guard that every window passes is refused") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(900));
    for (const std::string value : {"-1", "-9223372036854775808", "1.5", "9007199254740992"}) {
        const auto result = box.run({"reset", "core:1", "--if-used-at-least", value});
        INFO(value << result.err);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "is not a whole number from 0 to 2^53 - 1"));
        CHECK(contains(result.err, "would guard nothing") == value.starts_with('-'));
    }
    CHECK(box.stored("core:1") == "50");
}
