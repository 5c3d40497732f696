// increment, refund and reset of one window each: what is written, what is refused, and with which exit code.
#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/patience.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {}  // namespace

TEST_CASE("an increment opens a window for the period of its policy and prints old and new") {
    WrittenDeployment box(kFree);
    const auto before = seconds_from_now(3600);
    const auto first = box.run({"increment", "core:1"});
    CHECK(first.code == 0);
    CHECK(contains(first.out, "none -> 1"));
    CHECK(box.stored("core:1") == "1");
    const auto reset_at = std::stoll(box.stored("core:1:exp"));
    CHECK(reset_at >= before);
    CHECK(reset_at <= before + 5);
    CHECK(box.server().command({"EXPIRETIME", "core:1"}) == std::to_string(reset_at + 1));
    CHECK(box.server().command({"EXPIRETIME", "core:1:exp"}) == std::to_string(reset_at + 1));

    const auto second = box.run({"increment", "core:1", "--amount", "41"});
    CHECK(second.code == 0);
    CHECK(contains(second.out, "1 -> 42"));
    CHECK(box.stored("core:1:exp") == std::to_string(reset_at));
}

TEST_CASE("an increment of nothing opens a window only when it was asked for") {
    WrittenDeployment box(kFree);
    CHECK(box.run({"increment", "core:1", "--amount", "0"}).code == 0);
    CHECK(box.stored("core:1") == "0");
}

TEST_CASE("a new window needs a period and an open one does not") {
    WrittenDeployment box(kFree);
    const auto refused = box.run({"increment", "other:1"});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "--period"));
    CHECK(box.halves() == "0");
    CHECK(box.run({"increment", "other:1", "--period", "10m"}).code == 0);
    CHECK(box.run({"increment", "other:1"}).code == 0);
    CHECK(box.stored("other:1") == "2");
}

TEST_CASE("an amount is a strict decimal number or nothing is written") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    for (const std::string bad :
         {"", " 7", "010", "0x10", "1e3", "+5", "-5", "7 ", "9007199254740992", "9223372036854775808", "50.0", "x"}) {
        INFO(bad);
        for (const std::string command : {"increment", "refund"}) {
            const auto result = box.run({command, "core:1", "--amount=" + bad});
            CHECK(result.code == 2);
            CHECK(contains(result.err, "amount"));
        }
    }
    for (const std::string bad : {"0", "0%", "101%", "1.234%", "%", "-1%", ".5%"}) {
        INFO(bad);
        CHECK(box.run({"refund", "core:1", "--amount=" + bad}).code == 2);
    }
    CHECK(box.stored("core:1") == "50");
}

TEST_CASE("a refund gives back inside the window and touches neither its end nor its expiry") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    box.set_window("core:1", "50", reset_at);
    const auto row = only_row(box.run({"refund", "core:1", "--amount", "10", "--json"}));
    CHECK(row.at("status") == "applied");
    CHECK(row.at("before_used") == 50);
    CHECK(row.at("after_used") == 40);
    CHECK(row.at("taken") == 10);
    CHECK(row.at("reset_at") == reset_at);
    CHECK(row.at("shard") == "alpha");
    CHECK(row.at("deployment") == "box");
    CHECK(box.stored("core:1") == "40");
    CHECK(box.server().command({"EXPIRETIME", "core:1"}) == std::to_string(reset_at + 1));
}

TEST_CASE("a share of what is used is rounded down") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "51", seconds_from_now(1000));
    CHECK(box.run({"refund", "core:1", "--amount", "50%"}).code == 0);
    CHECK(box.stored("core:1") == "26");
    CHECK(box.run({"refund", "core:1", "--amount", "12.5%"}).code == 0);
    CHECK(box.stored("core:1") == "23");
    CHECK(box.run({"refund", "core:1", "--amount", "100%"}).code == 0);
    CHECK(box.stored("core:1") == "0");
    CHECK(box.run({"refund", "core:1", "--amount", "100%"}).code == 1);
}

TEST_CASE("a refund never goes below zero and takes what is there when told so") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "5", seconds_from_now(1000));
    const auto refused = box.run({"refund", "core:1", "--amount", "6"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.out, "below-zero"));
    CHECK(contains(refused.err, "--clamp"));
    CHECK(box.stored("core:1") == "5");
    const auto row = only_row(box.run({"refund", "core:1", "--amount", "6", "--clamp", "--json"}));
    CHECK(row.at("amount") == 6);
    CHECK(row.at("taken") == 5);
    CHECK(box.stored("core:1") == "0");
}

TEST_CASE("a refund never opens a window") {
    WrittenDeployment box(kFree);
    CHECK(box.run({"refund", "core:1", "--amount", "1"}).code == 1);
    box.set_window("core:2", "5", seconds_from_now(1000));
    const auto later = std::to_string(seconds_from_now(2000));
    CHECK(box.run({"refund", "core:2", "--amount", "1", "--now", later}).code == 1);
    CHECK(box.stored("core:2") == "5");
    CHECK(box.halves() == "2");
}

TEST_CASE("a late refund into a newer window is refused") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    box.set_window("core:1", "50", reset_at);
    const auto late = box.run({"refund", "core:1", "--amount", "1", "--if-window", std::to_string(reset_at - 3600)});
    CHECK(late.code == 7);
    CHECK(contains(late.out, "window-changed"));
    CHECK(box.stored("core:1") == "50");
    CHECK(box.run({"refund", "core:1", "--amount", "1", "--if-window", std::to_string(reset_at)}).code == 0);
    CHECK(box.stored("core:1") == "49");
}

TEST_CASE("a reset removes both halves and says what they held") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    const auto row = only_row(box.run({"reset", "core:1", "--json"}));
    CHECK(row.at("status") == "applied");
    CHECK(row.at("before_used") == 50);
    CHECK(row.at("after_used").is_null());
    CHECK(box.halves() == "0");
    const auto again = box.run({"reset", "core:1"});
    CHECK(again.code == 1);
    CHECK(contains(again.out, "absent"));
}

TEST_CASE("a guarded reset spares another window and one that is used too little") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    box.set_window("core:1", "50", reset_at);
    CHECK(box.run({"reset", "core:1", "--if-window", std::to_string(reset_at + 1)}).code == 7);
    CHECK(box.run({"reset", "core:1", "--if-used-at-least", "51"}).code == 7);
    CHECK(box.stored("core:1") == "50");
    CHECK(box.run({"reset", "core:1", "--if-window", std::to_string(reset_at), "--if-used-at-least", "50"}).code == 0);
    CHECK(box.halves() == "0");
}

TEST_CASE("a key that is half of a window is not taken for one") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    for (const std::string command : {"increment", "reset"}) {
        const auto result = box.run({command, "core:1:exp"});
        CHECK(result.code == 7);
        CHECK(contains(result.err, "half a window"));
    }
    CHECK(box.halves() == "2");
}

TEST_CASE("what is no window is changed only when a policy or --state says so") {
    WrittenDeployment box(kFree);
    box.server().command({"SET", "stray", "5"});
    box.server().command({"SET", "core:7", "5"});
    box.server().command({"SET", "forever", "5"});
    box.server().command({"SET", "forever:exp", std::to_string(seconds_from_now(1000))});
    for (const std::string key : {"stray", "forever"}) {
        const auto result = box.run({"reset", key});
        CHECK(result.code == 7);
        CHECK(contains(result.err, "not a window"));
    }
    CHECK(box.stored("stray") == "5");
    CHECK(box.run({"reset", "core:7"}).code == 0);
    CHECK(box.run({"reset", "stray", "--state", "orphan-counter"}).code == 0);
    CHECK(box.run({"reset", "forever", "--state", "leaked"}).code == 0);
    CHECK(box.halves() == "0");
}

TEST_CASE("values that are no counters stay as they are") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    box.server().command({"LPUSH", "core:list", "x"});
    CHECK(box.run({"increment", "core:list"}).code == 7);
    CHECK(box.run({"reset", "core:list"}).code == 7);
    CHECK(box.server().command({"LLEN", "core:list"}) == "1");
    for (const std::string value : {"abc", "1.5", " 7", "007", "9223372036854775808"}) {
        INFO(value);
        box.set_window("core:1", value, reset_at);
        CHECK(box.run({"increment", "core:1"}).code == 7);
        CHECK(box.run({"refund", "core:1", "--amount", "1"}).code == 7);
        CHECK(box.stored("core:1") == value);
    }
    box.set_window("core:1", "9007199254740991", reset_at);
    CHECK(box.run({"increment", "core:1"}).code == 7);
    CHECK(box.stored("core:1") == "9007199254740991");
}

// A look showed no more than a window may have, so that a forecast said `planned` of what the script refuses.
TEST_CASE("a value that is too large for a window is refused by forecasts as by the change") {
    WrittenDeployment box(kFree);
    const auto end = seconds_from_now(1000);
    box.set_window("core:1", std::string(100'000, '7'), end);
    box.set_window("core:2", std::string(65'536, '7'), end);
    box.set_window("core:3", "5", end);
    box.server().command({"SET", "core:3:exp", std::string(65'537, '1')});
    for (const std::string key : {"core:1", "core:3"}) {
        for (const auto& change : {std::vector<std::string>{"increment"}, {"refund", "--amount", "1"}, {"reset"}}) {
            const auto reason_of = [&](const std::vector<std::string>& more) {
                auto arguments = change;
                arguments.insert(arguments.end(), {key, "-o", "json"});
                arguments.insert(arguments.end(), more.begin(), more.end());
                const auto result = box.run(arguments);
                INFO(result.err);
                CHECK(result.code == 7);
                return only_row(result).at("reason").get<std::string>();
            };
            INFO(change.front() << " " << key);
            CHECK(reason_of({}) == "too-large");
            CHECK(reason_of({"-n"}) == "too-large");
            CHECK(reason_of({"--plan", box.file("large.plan")}) == "too-large");
        }
        // The row of people and that of history had all of it.
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"refund", key, "--amount", "1"}, {"reset", key, "-n"}, {"history", key}})
            CHECK(box.run(command).out.size() < 2000);
        const auto explained = box.run({"explain", key});
        CHECK(contains(explained.out, "(more than 64 KiB)"));
        CHECK_FALSE(contains(explained.out, "65536"));
    }
    CHECK(contains(box.run({"explain", "core:2"}).out, "(65536 bytes)"));
    CHECK(only_row(box.run({"reset", "core:2", "-n", "-o", "json"})).at("status") == "planned");
    CHECK(only_row(box.run({"reset", "core:2", "-o", "json"})).at("status") == "applied");
    // A sweep, which looks at many at once, cuts no more off.
    const auto swept = box.run({"reset", "--match", "core:1", "--state", "corrupt", "-n", "-o", "json"});
    CHECK(only_row(swept).at("reason") == "too-large");
    // More keys than a full look is for.
    std::vector<std::string> many{"reset", "core:1", "-n", "-o", "json"};
    for (int i = 10; i < 150; ++i) many.push_back("core:" + std::to_string(i));
    CHECK(parse_json(box.run(many).out).at("rows").at(0).at("reason") == "too-large");
}

TEST_CASE("a dry run says what would be written and writes nothing even where nothing may be") {
    WrittenDeployment box("writes = \"deny\"\nrequire_reason = true");
    box.set_window("core:1", "50", seconds_from_now(1000));
    const auto row = only_row(box.run({"refund", "core:1", "--amount", "10", "-n", "--read-only", "--json"}));
    CHECK(row.at("status") == "planned");
    CHECK(row.at("before_used") == 50);
    CHECK(row.at("after_used") == 40);
    CHECK(only_row(box.run({"increment", "core:2", "-n", "--json"})).at("after_used") == 1);
    CHECK(only_row(box.run({"reset", "core:1", "-n", "--json"})).at("status") == "planned");
    CHECK(box.run({"refund", "core:1", "--amount", "51", "-n"}).code == 7);
    CHECK(box.stored("core:1") == "50");
    CHECK(box.halves() == "2");
}

TEST_CASE("keys of any bytes are changed and come back as they are") {
    WrittenDeployment box(kFree);
    const std::string key = "core:a\n\x1b[31m\xff\"'{}*?[x] --amount";
    box.set_window(key, "5", seconds_from_now(1000));
    box.set_window("core:a", "7", seconds_from_now(1000));
    const auto refunded = box.run({"refund", "--amount", "1", "--", key});
    CHECK(refunded.code == 0);
    CHECK_FALSE(contains(refunded.out, "\x1b"));
    CHECK(box.stored(key) == "4");
    const auto row = only_row(box.run({"reset", "--json", "--", key}));
    CHECK(row.contains("key_b64"));
    CHECK(box.stored("core:a") == "7");
    CHECK(box.halves() == "2");
}

TEST_CASE("a server that is a replica or short of replicas refuses with its own exit code") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "5", seconds_from_now(1000));
    box.server().command({"CONFIG", "SET", "min-replicas-to-write", "1"});
    CHECK(box.run({"increment", "core:1"}).code == 6);
    box.server().command({"CONFIG", "SET", "min-replicas-to-write", "0"});
    RedisServer primary;
    box.server().make_replica_of(primary);
    const auto replica = box.run({"increment", "core:1", "--period", "1h"});
    CHECK(replica.code == 6);
    CHECK(contains(replica.err, "is a replica of"));
    CHECK(primary.command({"DBSIZE"}) == "0");
}

TEST_CASE("a dead server ends a change as unavailable") {
    WrittenDeployment box(kFree);
    box.server().kill();
    const auto result = box.run({"increment", "core:1", "--timeout", "2s"});
    CHECK(result.code == 4);
    CHECK(contains(result.err, "nothing was written"));
    CHECK(result.wall_time < std::chrono::milliseconds(1500) + kPatience);
}

// It said `nothing was written`, and with -q no row told of what the other shard had taken.
TEST_CASE("a change says that nothing was written on the shard that is dead and on no other") {
    WrittenDeployment box(kFree, 2);
    box.server(1).kill();
    std::vector<std::string> change{"increment", "-y", "-q"};
    for (int i = 0; i < 20; ++i) change.push_back("core:" + std::to_string(i) + "-client");
    const auto result = box.run(change);
    INFO(result.err);
    CHECK(result.code == 9);
    CHECK(contains(result.err, "nothing was written there"));
    CHECK(std::stoi(box.halves()) > 0);
}

TEST_CASE("a write that a server held back past its deadline has surely not been applied and never will be") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "5", seconds_from_now(1000));
    box.server().command({"CLIENT", "PAUSE", "60000", "WRITE"});
    const auto result = box.run({"increment", "core:1", "--timeout", "2s", "--json"});
    INFO(result.err);
    CHECK(result.code == 4);
    CHECK(only_row(result).at("status") == "failed");
    box.server().command({"CLIENT", "UNPAUSE"});
    CHECK(box.server().command({"INCRBY", "core:1", "0"}) == "5");
}

TEST_CASE("without operation keys a lost reply is of unknown outcome and nothing is sent again") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "5", seconds_from_now(1000));
    box.server().command({"CLIENT", "PAUSE", "60000", "WRITE"});
    const auto result = box.run({"increment", "core:1", "--timeout", "2s", "--no-op-key", "--json"});
    INFO(result.err);
    CHECK(result.code == 8);
    CHECK(only_row(result).at("status") == "unknown");
    CHECK(contains(result.err, "unknown"));
    box.server().command({"CLIENT", "UNPAUSE"});
    CHECK(box.server().command({"INCRBY", "core:1", "0"}) != "7");
}

TEST_CASE("nothing selected and unknown columns are usage errors before anything is asked") {
    WrittenDeployment box(kFree);
    box.server().kill();
    CHECK(box.run({"increment"}).code == 2);
    CHECK(box.run({"refund", "core:1"}).code == 2);
    CHECK(box.run({"reset", "core:1", "--columns", "nonsense"}).code == 2);
    const auto help = box.run({"reset", "core:1", "--columns", "help"});
    CHECK(help.code == 0);
    CHECK(contains(help.out, "before_used"));
}

TEST_CASE("the reason of the user and the reason of the machine have names that cannot be mixed up") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto told = box.run({"refund", "core:1", "core:2", "--amount", "2", "--reason", "ticket 4711", "-y"});
    INFO(told.out << told.err);
    CHECK(contains(told.out, "WHY NOT"));
    CHECK(contains(told.out, "BECAUSE"));
    CHECK(contains(told.out, "ticket 4711"));
    const auto row =
        first_row(box.run({"refund", "core:2", "--amount", "2", "--reason", "ticket 4711", "-o", "ndjson"}).out);
    CHECK(row.at("because") == "ticket 4711");
    CHECK(row.at("why_not") == "absent");
    CHECK(row.at("reason") == row.at("why_not"));
    const auto without = box.run({"refund", "core:1", "--amount", "1"}).out;
    CHECK(contains(without, "WHY NOT"));
    CHECK_FALSE(contains(without, "BECAUSE"));
    CHECK(contains(box.run({"history"}).out, "BECAUSE"));
}

// The dry run planned what the server refuses.
TEST_CASE("a dry run foretells a window that would be over on the server's clock") {
    for (const char* scheme : {"window", "counter"}) {
        WrittenDeployment box(std::string(kFree) + "\nscheme = \"" + scheme + "\"");
        const auto two_hours_ago = std::to_string(seconds_from_now(-7200));
        const auto plan = box.file("a.plan");
        for (const auto& mode : std::vector<std::vector<std::string>>{{"-n"}, {"--plan", plan}, {}}) {
            std::vector<std::string> words{"increment", "core:1", "--now", two_hours_ago};
            words.insert(words.end(), mode.begin(), mode.end());
            const auto refused = box.run(words);
            INFO(scheme << refused.out << refused.err);
            CHECK(refused.code == 7);
            CHECK(contains(refused.out, "reset-in-past"));
            CHECK(contains(refused.err, "on the server's clock"));
            CHECK(box.halves() == "0");
        }
        const auto in_time = box.run({"increment", "core:1", "--now", std::to_string(seconds_from_now(-1800)), "-n"});
        CHECK(in_time.code == 0);
        CHECK(contains(in_time.out, "planned"));
    }
}
