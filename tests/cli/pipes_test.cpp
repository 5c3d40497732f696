// Standard streams that are full, closed or left early.
#include <string>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::contains;
using ratectl::test::ratectl_binary;
using ratectl::test::run_program;
using ratectl::test::run_ratectl;

/// Runs a shell line in which $R is the binary; the exit code is that of the line.
ratectl::test::RunResult shell(const std::string& line) {
    return run_program("/bin/bash", {"-c", "R='" + ratectl_binary() + "'; " + line});
}

}  // namespace

TEST_CASE("a full disk under standard output ends with ten and its reason") {
    const auto result = shell("$R help output > /dev/full");
    CHECK(result.code == 10);
    CHECK(result.err == "ratectl: cannot write standard output: No space left on device\n");
}

TEST_CASE("a closed standard output ends with ten and its reason") {
    const auto result = shell("$R help output >&-");
    CHECK(result.code == 10);
    CHECK(result.err == "ratectl: cannot write standard output: Bad file descriptor\n");
}

TEST_CASE("a reader that leaves early ends with 141 and without a word") {
    const auto result = shell("{ $R completion bash; echo $? >&2; } | { exec 0<&-; sleep 0.2; }");
    CHECK(result.err == "141\n");
    const auto many = shell(
        "yes core:42 | head -200000 | $R locate - -u redis://127.0.0.1:1 -o name | head -1; echo ${PIPESTATUS[2]}");
    CHECK(many.out == "core:42\n141\n");
    CHECK(many.err.find("ratectl") == std::string::npos);
}

TEST_CASE("a closed standard error changes nothing else") {
    CHECK(shell("$R help output 2>&-").code == 0);
    CHECK(shell("$R nonsense 2>&-").code == 2);
    CHECK(shell("$R help output <&- 2>&-").code == 0);
}

TEST_CASE("no file that is opened gets the number of a closed stream") {
    const auto result = shell(
        "f=$(mktemp); printf 'x\\n' > $f; $R replay $f --key 'core:{client}' --limit 1 --period 1h -n -u "
        "redis://127.0.0.1:1"
        " >&- 2>/dev/null; cat $f; rm $f");
    CHECK(result.out == "x\n");
}

TEST_CASE("a closed standard input is an error only for who reads it") {
    const auto unread = shell("$R help output <&-");
    CHECK(unread.code == 0);
    const auto read = shell("$R locate - -u redis://127.0.0.1:1 <&-");
    CHECK(read.code == 10);
    CHECK(read.err.find("cannot read standard input: Bad file descriptor") != std::string::npos);
}

TEST_CASE("input that is a folder is an error and not an end") {
    const auto result = shell("$R locate - -u redis://127.0.0.1:1 < /");
    CHECK(result.code == 10);
    CHECK(result.err.find("cannot read standard input: Is a directory") != std::string::npos);
}

TEST_CASE("answers are flushed while standard input has nothing more to say") {
    const auto result = shell(
        "{ echo core:42; sleep 3; echo core:43; } | $R locate - -u redis://127.0.0.1:1 -o name |"
        " while read -r key; do echo \"$key $SECONDS\"; done");
    REQUIRE(result.out.rfind("core:42 ", 0) == 0);
    CHECK(std::stoi(result.out.substr(8)) < 3);
    CHECK(result.out.find("\ncore:43 ") != std::string::npos);
}

TEST_CASE("what is printed in any format of rows is read back from a pipe and a table is refused") {
    const std::string at = " -u redis://127.0.0.1:1 ";
    const std::string keys = "printf 'core:a\\ncore:\\\\b\\n' | $R locate -" + at;
    for (const std::string format : {"json", "ndjson", "csv", "tsv", "name"}) {
        CAPTURE(format);
        const auto result = shell(keys + "-o " + format + " | $R locate - -o csv --no-header --columns key" + at);
        CHECK(result.code == 0);
        CHECK(result.out == "core:a,\ncore:\\b,\n");
    }
    for (const std::string refused : {"", "-o wide ", "--no-header ", "-o name -0 "}) {
        const auto result = shell("set -o pipefail; " + keys + refused + "| $R locate -" + at);
        CAPTURE(refused, result.err);
        CHECK(result.code == 10);
        CHECK(result.out.empty());
    }
}

// Each of these made windows that were called like rows, or was answered with absent windows and 0.
TEST_CASE("rows, JSON, quotes and markup are refused as keys unless lines of keys were asked for") {
    using namespace ratectl::test;
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:1", "7", seconds_from_now(1000));
    std::vector<std::string> texts{"[\"core:1\"]\n",
                                   "[\"core:1\",\"core:2\"]\n",
                                   "[\n \"core:1\"\n]\n",
                                   "{\"core:1\":4}\n",
                                   "Key,Used\ncore:1,4\n",
                                   "key;used\ncore:1;4\n",
                                   "core:1,10\ncore:2,20\n",
                                   "core:1,10\n",
                                   "core:1;10\n",
                                   "core:1 10\n",
                                   "core:1,open,10\n",
                                   "\"core:1\"\n",
                                   "1) \"core:1\"\n",
                                   "<xml/>\n"};
    for (const std::string command : {"scan", "locate", "history"}) {
        std::vector<std::string> words{command, "-o", "csv", "--no-header", "--columns", "key"};
        if (command == "locate") words.emplace_back("core:1");
        if (command == "history") box.run({"increment", "core:1"});
        texts.push_back(box.run(words).out);
        CHECK(contains(texts.back(), "core:1,"));
    }
    const auto before = box.stored("core:1");
    for (const auto& text : texts) {
        for (const std::vector<std::string>& command : {std::vector<std::string>{"increment", "-", "-y"},
                                                        {"reset", "-", "-y"},
                                                        {"check", "-"},
                                                        {"locate", "-"}}) {
            const auto result = box.run_with_input(command, text);
            INFO(command.front() << " of " << text << ": " << result.err << result.out);
            CHECK(result.code == 10);
            CHECK(result.out.empty());
            CHECK(contains(result.err, "line "));
        }
    }
    CHECK(box.halves() == "2");
    CHECK(box.stored("core:1") == before);
    const auto told = box.run_with_input({"check", "-"}, "core:1,10\n");
    CHECK(contains(told.err, "line 1: this is 'core:1' with a number behind it, as rows have it, and not a key"));
    CHECK(contains(told.err, "--input keys takes every line as a key"));
    // Keys may hold such things.
    for (const std::string key :
         {"core:a,b", "core:[::1]", "core:a b", "core:Smith, John", "core:52.5,13.4", "core:<a>"}) {
        const auto result = box.run_with_input({"check", "-", "-o", "name"}, key + "\n");
        INFO(key << ": " << result.err);
        CHECK(result.code == 0);
        CHECK(result.out == key + "\n");
    }
    for (const std::string key : {"core:1,10", "core:2,", "\"core:1\"", "<xml/>"}) {
        CHECK(box.run_with_input({"check", "-", "--input", "keys", "-o", "name"}, key + "\n").out == key + "\n");
        CHECK(box.run({"check", key, "-o", "name"}).out == key + "\n");
    }
}

// `increment - -y` opened a window called `used,state` and one for each row below it.
TEST_CASE("a header of csv without a column that names a window is refused like one of tsv") {
    using namespace ratectl::test;
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:1", "7", seconds_from_now(1000));
    std::vector<std::string> texts{"used,state\n42,open\n", "\xef\xbb\xbfused,state\n42,open\n",
                                   "used\tstate\n42\topen\n"};
    for (const std::vector<std::string>& printed : {std::vector<std::string>{"stats"},
                                                    {"nodes"},
                                                    {"config", "show"},
                                                    {"sharding", "list"},
                                                    {"scan", "--columns", "used,reset_at"},
                                                    {"limit", "trace", "1", "--columns", "step,told"}}) {
        auto words = printed;
        words.insert(words.end(), {"-o", "csv"});
        texts.push_back(box.run(words).out);
    }
    for (const auto& text : texts) {
        for (const std::vector<std::string>& command : {std::vector<std::string>{"increment", "-", "-y"},
                                                        {"reset", "-", "-y"},
                                                        {"check", "-"},
                                                        {"check", "--client", "-"}}) {
            const auto result = box.run_with_input(command, text);
            INFO(command.front() << " of " << text << ": " << result.err << result.out);
            CHECK(result.code == 10);
            CHECK(result.out.empty());
            CHECK(contains(result.err, "standard input, line 1: this is a header of "));
            CHECK(contains(result.err, "none of its columns is key, client or actor"));
        }
    }
    CHECK(box.halves() == "2");
    CHECK(box.run_with_input({"check", "-", "-o", "name"}, "core:used,state\n").out == "core:used,state\n");
    CHECK(box.run_with_input({"check", "-", "--input", "keys", "-o", "name"}, "used,state\n").out == "used,state\n");
}

// A policy knows what its keys look like.
TEST_CASE("keys that a template writes with quotes, markup or separators are keys all the same") {
    using namespace ratectl::test;
    WrittenDeployment box("writes = \"allow\"");
    for (const std::string policy : {"<q>:{client}", "pair:{client},{id}"})
        std::ofstream(box.config_file(), std::ios::app) << "[[deployments.box.policies]]\nname = \"p" << policy.size()
                                                        << "\"\nkey = \"" << policy << "\"\nlimit = 5\n";
    CHECK(box.run_with_input({"check", "-", "-o", "name"}, "<q>:1\n").out == "<q>:1\n");
    CHECK(box.run_with_input({"check", "-", "-o", "name"}, "pair:1,10\n").out == "pair:1,10\n");
    CHECK(box.run_with_input({"check", "-"}, "<q>:1,10\n").code == 10);
}

// A list that had come to nothing looked like windows that are all well.
TEST_CASE("an empty list of keys is told and is no success where the exit code says what was found") {
    using namespace ratectl::test;
    const WrittenDeployment box("writes = \"allow\"");
    for (const std::string text : {"", "\n", "[]\n", "key,used\n", "key\tused\n", "{\"rows\":[]}\n"}) {
        const auto check = [&](const std::vector<std::string>& arguments, int code) {
            const auto result = box.run_with_input(arguments, text);
            INFO(arguments.front() << " of '" << text << "': " << result.err << result.out);
            CHECK(result.code == code);
            CHECK(contains(result.err, "standard input names no "));
        };
        check({"check", "-"}, 0);
        check({"headers", "-"}, 0);
        check({"locate", "-"}, 0);
        check({"check", "-", "--exit-status"}, 2);
        check({"explain", "-", "--exit-status"}, 2);
        check({"reset", "-", "-y"}, 1);
        check({"increment", "-"}, 1);
        check({"refund", "-", "--amount", "1"}, 1);
    }
    CHECK(box.run_with_input({"check", "--client", "-", "--exit-status"}, "").code == 2);
    CHECK(box.run_with_input({"check", "-", "--exit-status", "-q"}, "").code == 2);
    const auto document = box.run_with_input({"check", "-", "--exit-status", "--json"}, "").out;
    CHECK(contains(document, "\"complete\":false"));
    CHECK(contains(document, "nothing was named"));
}

// `explain ... | increment - -y` made windows that were called like sentences.
TEST_CASE("prose that is piped into a command is refused and never taken for keys") {
    using ratectl::test::WrittenDeployment;
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:1", "7", ratectl::test::seconds_from_now(1000));
    const auto prose = box.run({"explain", "core:1"}).out;
    for (const auto& text : {prose, std::string("ratectl: 1 applied; to take it back: ratectl undo x\n")}) {
        for (const char* command : {"reset", "increment", "check", "locate", "explain"}) {
            const auto result = box.run_with_input({command, "-"}, text);
            INFO(command << ": " << result.err << result.out);
            CHECK(result.code == 2);
            CHECK(result.out.empty());
            CHECK(contains(result.err, "standard input, line 1: there are blanks in it, and no policy has such a key"));
            CHECK(contains(result.err, "--input keys takes every line as a key"));
        }
    }
    CHECK(box.halves() == "2");
    CHECK(box.run_with_input({"check", "-"}, "core:a b\n").code == 0);
    CHECK(box.run_with_input({"check", "-", "--input", "keys"}, "a b\n").code == 0);
    CHECK(box.run_with_input({"check", "-", "-0"}, std::string("a b\0", 4)).code == 0);
    CHECK(box.run_with_input({"check", "--client", "-"}, "Acme and Sons of London\n").code == 0);
    // Without policies a few words may be a key.
    const auto bare = [&](const std::string& text) {
        ratectl::test::RunOptions options;
        options.input = text;
        return run_ratectl({"check", "-", "-u", box.server().endpoint().url()}, options).code;
    };
    CHECK(bare("a b\n") == 0);
    CHECK(bare(prose) == 2);
}
