// A key of hostile bytes goes through every command and format unharmed, and never reaches a terminal raw.
#include <ctime>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::RedisServer;
using ratectl::test::run_ratectl;
using ratectl::test::RunOptions;
using ratectl::test::RunResult;

const std::string kNasty = "core:a\nb\x1b[31m\"q\\'\xff\xc2\x9b\xe2\x80\xae$(id)\r\tz";

struct OneWindow {
    RedisServer server;
    std::string reset = std::to_string(std::time(nullptr) + 3600);

    OneWindow() {
        const std::string gone = std::to_string(std::time(nullptr) + 3601);
        server.command({"SET", kNasty, "41", "EXAT", gone});
        server.command({"SET", kNasty + ":exp", reset, "EXAT", gone});
    }
    RunResult run(std::vector<std::string> arguments, const RunOptions& options = {}) const {
        arguments.insert(arguments.begin(), {"-u", server.endpoint().url()});
        return run_ratectl(arguments, options);
    }
};

/// Every byte a human's terminal may get from us without colour: printable, and the line ends of the terminal itself.
void check_no_control(const std::string& shown) {
    for (const char c : shown) {
        const auto byte = static_cast<unsigned char>(c);
        INFO("byte " << int(byte)
                     << " in: " << nlohmann::json(shown).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
        REQUIRE((byte >= 0x20 || byte == '\n' || byte == '\r'));
        REQUIRE(byte != 0x7f);
    }
    CHECK(shown.find("\xc2\x9b") == std::string::npos);
    CHECK(shown.find("\xe2\x80\xae") == std::string::npos);
}

}  // namespace

TEST_CASE("A hostile key is checked in every format and nothing raw comes out") {
    const OneWindow one;
    for (const std::string format : {"table", "wide", "csv", "tsv", "json", "ndjson"}) {
        INFO(format);
        for (const std::vector<std::string>& command : {std::vector<std::string>{"check", kNasty}, {"scan"}}) {
            auto arguments = command;
            arguments.insert(arguments.end(), {"--limit", "60", "-o", format, "--color", "never"});
            const auto piped = one.run(arguments);
            INFO(piped.err);
            CHECK(piped.code == 0);
            CHECK(piped.out.find("41") != std::string::npos);
            CHECK(piped.out.find('\x1b') == std::string::npos);
            if (format == "json" || format == "ndjson") {
                const auto document = nlohmann::json::parse(piped.out);
                const auto& row = format == "json" ? document.at("rows").at(0) : document;
                CHECK(row.at("used") == 41);
                CHECK(row.contains("key_b64"));
            }
            RunOptions terminal;
            terminal.terminal = true;
            if (format == "table" || format == "wide") check_no_control(one.run(arguments, terminal).terminal);
        }
    }
}

TEST_CASE("A hostile key in an error and in a notice is escaped on a terminal") {
    const OneWindow one;
    RunOptions terminal;
    terminal.terminal = true;
    const auto result = one.run({"refund", kNasty, "--amount", "4100", "--color", "never"}, terminal);
    CHECK(result.code == 7);
    check_no_control(result.terminal);
    const auto wrong = run_ratectl({"check\x1b]0;x\x07", "--colour"}, terminal);
    CHECK(wrong.code == 2);
    check_no_control(wrong.terminal);
}

TEST_CASE("Names that need escaping are left out unless a format for them is chosen") {
    const OneWindow one;
    const auto plain = one.run({"scan", "-o", "name"});
    CHECK(plain.code == 9);
    CHECK(plain.out.empty());
    const auto raw = one.run({"scan", "-o", "name", "-0"});
    CHECK(raw.code == 0);
    CHECK(raw.out == kNasty + std::string(1, '\0'));
    const auto escaped = one.run({"scan", "-o", "name", "--key-format", "escaped"});
    CHECK(escaped.code == 0);
    check_no_control(escaped.out);
    RunOptions options;
    options.input = escaped.out;
    const auto back = one.run({"check", "-", "--key-format", "escaped", "-o", "ndjson"}, options);
    REQUIRE(back.code == 0);
    CHECK(nlohmann::json::parse(back.out).at("used") == 41);
}

TEST_CASE("A key with a NUL in it is no record that ends with NUL, and the key before the NUL is spared") {
    OneWindow one;
    const std::string key("core:a\0b", 8);
    for (const std::string& each : {key, std::string("core:a")}) {
        one.server.command({"SET", each, "7", "EX", "3600"});
        one.server.command({"SET", each + ":exp", one.reset, "EX", "3600"});
    }
    const auto listed = one.run({"scan", "--match", "core:a[^\n]*", "-o", "name", "-0"});
    CHECK(listed.code == 9);
    CHECK(listed.out.empty());
    CHECK(listed.err.find("core:a\\x00b") != std::string::npos);
    RunOptions options;
    options.input = listed.out;
    one.run({"reset", "-", "-0", "-y"}, options);
    CHECK(one.server.command({"GET", "core:a"}) == "7");
    const auto escaped = one.run({"scan", "--match", "core:a[^\n]*", "-o", "name", "--key-format", "escaped"});
    options.input = escaped.out;
    CHECK(one.run({"reset", "-", "--key-format", "escaped", "-y"}, options).code == 0);
    CHECK(one.server.command({"GET", key}) == "(nil)");
    CHECK(one.server.command({"GET", "core:a"}) == "7");
}

TEST_CASE("A hostile key is refunded and reset and nothing else is touched") {
    OneWindow one;
    const std::string gone = std::to_string(std::time(nullptr) + 3601);
    one.server.command({"SET", "core:a", "7", "EXAT", gone});
    one.server.command({"SET", "core:a:exp", one.reset, "EXAT", gone});
    const auto refund = one.run({"refund", kNasty, "--amount", "11"});
    INFO(refund.err);
    CHECK(refund.code == 0);
    CHECK(one.server.command({"GET", kNasty}) == "30");
    CHECK(one.server.command({"GET", kNasty + ":exp"}) == one.reset);

    RunOptions options;
    options.input = one.run({"scan", "--min-used", "20", "-o", "ndjson"}).out;
    const auto reset = one.run({"reset", "-", "--input", "ndjson", "-y"}, options);
    INFO(reset.err);
    CHECK(reset.code == 0);
    CHECK(one.server.command({"EXISTS", kNasty, kNasty + ":exp"}) == "0");
    CHECK(one.server.command({"GET", "core:a"}) == "7");
}
