// What a user sees of a write that a link or a server spoils: exit code, words, time, row and record, and what stands
// on the server.
#include <thread>

#include "fault/linked_deployment.h"
#include "support/patience.h"

namespace ratectl::test {
namespace {

using nlohmann::json;

const milliseconds kRowsTimeout{300};
// How long the program itself takes beside the waiting.
const milliseconds kStart{300};

/// An increment, a refund or a reset of core:1, which holds 50, through the link.
struct Spoiled {
    std::string command = "increment";
    int code = 0;
    std::string status = "applied";
    std::string says = {};               // in what is printed for people
    std::string leaves = {};             // core:1 afterwards; empty: what the command makes of it
    int exchanges = 2;                   // how many timeouts it may take
    std::vector<std::string> more = {};  // options
};

std::vector<std::string> words_of(const Spoiled& wanted) {
    std::vector<std::string> words{wanted.command, "core:1", "--timeout", "300ms", "--op-id", "mine", "--json"};
    if (wanted.command == "refund") words.insert(words.end(), {"--amount", "1"});
    words.insert(words.end(), wanted.more.begin(), wanted.more.end());
    return words;
}

std::string made_of(const std::string& command) {
    return command == "increment" ? "51" : command == "refund" ? "49" : "(nil)";
}

json run_spoiled(LinkedDeployment& box, const Spoiled& wanted) {
    const auto result = box.run(words_of(wanted));
    INFO(wanted.command << ": " << result.err << result.out);
    CHECK(result.code == wanted.code);
    CHECK(result.wall_time < kRowsTimeout * wanted.exchanges + milliseconds(300) + kStart + kPatience);
    CHECK(contains(result.err + result.out, wanted.says));
    CHECK_FALSE(contains(result.err + result.out, "\x1b"));
    const auto row = only_row(result);
    CHECK(row.at("status") == wanted.status);
    if (wanted.code == 8) CHECK(contains(result.err + result.out, "mine"));
    return row;
}

void check_value(LinkedDeployment& box, const Spoiled& wanted) {
    CHECK(box.stored("core:1") == (wanted.leaves.empty() ? made_of(wanted.command) : wanted.leaves));
}

const std::vector<std::string> kCommands{"increment", "refund", "reset"};

TEST_CASE("a write whose request or reply is lost once is applied once and says how it is known") {
    for (const auto& command : kCommands) {
        for (const auto mode :
             {FaultMode::drop_request, FaultMode::cut_request, FaultMode::delay_request, FaultMode::drop_reply,
              FaultMode::cut_reply, FaultMode::delay_reply, FaultMode::reset, FaultMode::blackhole, FaultMode::drip}) {
            LinkedDeployment box;
            box.set_window("core:1", "50");
            box.server.command({"SCRIPT", "FLUSH"});
            // The second write on the wire is the script itself: the server did not know it before.
            box.proxy.choose([mode](const LinkRequest& request) {
                return request.number == 2 ? LinkFault{mode, milliseconds(700), 30} : LinkFault{};
            });
            INFO(command << ", " << name_of(mode));
            const Spoiled wanted{.command = command, .exchanges = 3};
            const auto row = run_spoiled(box, wanted);
            CHECK((row.at("resolved") == true || row.at("attempts") == 2));
            const bool carried_out = mode == FaultMode::drop_reply || mode == FaultMode::cut_reply ||
                                     mode == FaultMode::delay_reply || mode == FaultMode::drip;
            if (carried_out) CHECK(row.at("resolved") == true);
            if (mode == FaultMode::drop_request || mode == FaultMode::blackhole) CHECK(row.at("attempts") == 2);
            check_value(box, wanted);
            CHECK(box.proxy.counts().faults.at(mode) == 1);
            CHECK(box.operation_keys() == "ratectl:op:mine.1");
        }
    }
}

TEST_CASE("a server that falls silent after a write leaves it unknown and later tells what it did") {
    for (const auto& command : kCommands) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        box.at_next_write([&] { box.proxy.silence(true); });
        run_spoiled(box, {.command = command, .code = 8, .status = "unknown", .says = "may have been applied"});
        check_value(box, {.command = command});
        box.proxy.silence(false);
        const auto history = box.run({"history", "mine", "--json"});
        CHECK(only_row(history).at("status") == "applied");
        CHECK(only_row(history).at("source") == "server");
        // The same again under the same id is another way on: it happens once.
        run_spoiled(box, {.command = command, .code = 0, .status = "already-applied"});
        check_value(box, {.command = command});
    }
}

TEST_CASE("a stopped server gets no write that it could carry out after the tool has ended") {
    for (const auto& command : kCommands) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        box.at_next_write([&] { box.server.pause(); });
        const Spoiled wanted{
            .command = command, .code = 8, .status = "unknown", .says = "may have been applied", .leaves = "50"};
        run_spoiled(box, wanted);
        box.server.resume();
        std::this_thread::sleep_for(milliseconds(100));
        check_value(box, wanted);
        CHECK(box.operation_keys().empty());
    }
}

TEST_CASE("a server that sleeps or holds back writes has written nothing when the tool ends") {
    for (const auto& command : kCommands) {
        LinkedDeployment box({{"--enable-debug-command", "local"}, true});
        box.set_window("core:1", "50");
        box.at_next_write([&] { box.say({"DEBUG", "SLEEP", "1"}); });
        run_spoiled(box, {.command = command, .code = 8, .status = "unknown", .says = "may have been applied"});
        CHECK(box.stored("core:1") == "50");
        box.at_next_write([&] { box.server.command({"CLIENT", "PAUSE", "3000", "WRITE"}); });
        run_spoiled(box,
                    {.command = command, .code = 4, .status = "failed", .says = "nothing was written", .exchanges = 4});
        box.server.command({"CLIENT", "UNPAUSE"});
        std::this_thread::sleep_for(milliseconds(50));
        CHECK(box.stored("core:1") == "50");
        CHECK(box.operation_keys().empty());
    }
}

TEST_CASE("without operation keys a lost reply is unknown and nothing is ever sent twice") {
    for (const auto& command : kCommands) {
        for (const auto mode : {FaultMode::drop_reply, FaultMode::drop_request}) {
            LinkedDeployment box;
            box.set_window("core:1", "50");
            box.proxy.choose([mode](const LinkRequest& request) {
                return request.write && request.word == "EVAL" ? LinkFault{mode} : LinkFault{};
            });
            const auto writes = box.proxy.counts().writes;
            const Spoiled wanted{.command = command,
                                 .code = 8,
                                 .status = "unknown",
                                 .says = "may have been applied",
                                 .leaves = mode == FaultMode::drop_reply ? made_of(command) : "50",
                                 .more = {"--no-op-key"}};
            run_spoiled(box, wanted);
            check_value(box, wanted);
            CHECK(box.proxy.counts().writes - writes <= 2);
            CHECK(box.operation_keys().empty());
        }
    }
}

/// The server carries the script out, or it does not, and the client is told this.
struct Told {
    std::string reply;
    bool carried_out = true;
    int code = 8;
    std::string status = "unknown";
    std::string says = {};
};

void check_told(const Told& told, const std::vector<std::string>& commands = kCommands) {
    for (const auto& command : commands) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        box.proxy.choose([&](const LinkRequest& request) {
            if (request.word != "EVAL") return LinkFault{};
            return LinkFault{.mode = told.carried_out ? FaultMode::ok : FaultMode::answer,
                             .rewrite = [&](const std::string&) { return told.reply; }};
        });
        INFO(told.reply);
        run_spoiled(box,
                    {.command = command, .code = told.code, .status = told.status, .says = told.says, .exchanges = 4});
        CHECK(box.stored("core:1") == (told.carried_out ? made_of(command) : "50"));
    }
}

TEST_CASE("replies of the wrong shape are resolved and never believed") {
    for (const char* reply : {"$-1\r\n", ":1\r\n", "+OK\r\n", "*0\r\n", "*1\r\n$4\r\ndone\r\n",
                              "*2\r\n$4\r\ndone\r\n$1\r\n5\r\n", "*3\r\n$4\r\ndone\r\n$1\r\n5\r\n*1\r\n$5\r\nmagic\r\n",
                              "*3\r\n$4\r\ndone\r\n$1\r\n5\r\n*2\r\n*1\r\n$7\r\napplied\r\n:1\r\n"}) {
        check_told({.reply = reply, .carried_out = true, .code = 0, .status = "applied"}, {"increment"});
        check_told({.reply = reply, .carried_out = true, .code = 0, .status = "applied"}, {"reset"});
    }
}

TEST_CASE("a second reply behind the first is seen and resolved") {
    for (const auto& command : kCommands) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        box.proxy.choose([&](const LinkRequest& request) {
            if (request.word != "EVAL") return LinkFault{};
            return LinkFault{.rewrite = [](const std::string& reply) { return reply + "+OK\r\n"; }};
        });
        const Spoiled wanted{.command = command};
        run_spoiled(box, wanted);
        check_value(box, wanted);
    }
}

TEST_CASE("an error that proves that nothing was written says so and ends with its own code") {
    const Told told[] = {
        {"-READONLY You can't write against a read only replica. script: f00, on @user_script:70.\r\n", false, 6,
         "refused", "nothing was written"},
        {"-ERR Error running script (call to f_x): @user_script:1: -READONLY You can't write against a read only "
         "replica.\r\n",
         false, 6, "refused", "nothing was written"},
        {"-NOREPLICAS Not enough good replicas to write.\r\n", false, 6, "refused", "replicas"},
        {"-OOM command not allowed when used memory > 'maxmemory'.\r\n", false, 6, "refused", "memory"},
        {"-NOPERM User x has no permissions to run the 'eval' command\r\n", false, 5, "refused", "nothing was written"},
        {"-LOADING Valkey is loading the dataset in memory\r\n", false, 4, "failed", "loading"},
        {"-BUSY Valkey is busy running a script.\r\n", false, 4, "failed", "busy"},
        {"-REDIRECT 10.9.8.7:6379\r\n", false, 11, "failed", ""},
        {"-MOVED 12182 10.9.8.7:6379\r\n", false, 11, "failed", ""},
    };
    for (const auto& one : told) check_told(one, {"increment", "reset"});
}

TEST_CASE("a script that was killed had not begun to write") {
    check_told({"-ERR Error running script (call to f_x): Script killed by user with SCRIPT KILL...\r\n", false, 4,
                "failed", "nothing was written"});
    check_told({"-ERR Script killed by user with SCRIPT KILL... script: f00, on @user_script:1.\r\n", false, 4,
                "failed", "nothing was written"});
}

TEST_CASE("a script that a server broke off in its middle may have written half") {
    const std::string broken =
        "-ERR Error running script (call to f_x): @user_script:86: @user_script: 86: -NOPERM this user has no "
        "permissions "
        "to run the 'incrby' command or its subcommand\r\n";
    // It stores its operation key first, so that this is there and proves nothing more.
    check_told({broken, true, 8, "unknown", "may have been applied"}, {"increment", "refund"});
    // It deletes first, so that an absent operation key proves nothing either.
    check_told({broken, false, 8, "unknown", "may have been applied"}, {"reset"});
}

TEST_CASE("one server under two names is written to under neither") {
    LinkedDeployment box;
    std::string keys;
    for (int i = 0; i < 60; ++i) {
        box.set_window("core:" + std::to_string(i), "50");
        keys += "core:" + std::to_string(i) + "\n";
    }
    std::ofstream(box.file("twins.toml"))
        << "[deployments.box]\nkind = \"shards\"\nsharding = \"twemproxy-ketama\"\nwrites = \"allow\"\n"
        << "[[deployments.box.shards]]\nname = \"alpha\"\nprimary = \"" << box.server.endpoint().url() << "\"\n"
        << "[[deployments.box.shards]]\nname = \"beta\"\nprimary = \"" << box.proxy.endpoint().url() << "\"\n";
    RunOptions options;
    options.input = keys;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"increment", "-", "-y", "--period", "1h"},
                                                  {"reset", "-", "-y", "--state", "open,exhausted"}}) {
        const auto result = run_ratectl(words, box.options_for("twins.toml", options));
        INFO(result.err);
        CHECK(result.code == 3);
        CHECK(contains(result.err, "same server (run_id"));
    }
    for (int i = 0; i < 60; ++i) CHECK(box.stored("core:" + std::to_string(i)) == "50");
    CHECK(box.operation_keys().empty());
}

TEST_CASE("a server that dies under a write leaves it unknown with its id") {
    for (const bool starts_again : {false, true}) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        box.at_next_write([&] {
            box.server.kill();
            if (starts_again) box.server.start_again();
        });
        run_spoiled(box, {.code = 8, .status = "unknown", .says = "may have been applied"});
    }
}

}  // namespace
}  // namespace ratectl::test
