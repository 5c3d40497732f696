// A key of hostile bytes goes through every command and format unharmed, and never reaches a terminal raw.
#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "support/built_programs.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/plain_client.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::parse_json;
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
                const auto document = parse_json(piped.out);
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
    CHECK(parse_json(back.out).at("used") == 41);
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

namespace {

/// Fifty windows core:1 ..., and what else this script makes.
struct FiftyWindows {
    RedisServer server;

    explicit FiftyWindows(const std::string& script) {
        const std::string put =
            "local function put(k, v) redis.call('SET', k, v) redis.call('SET', k .. ':exp', '2000000000') end ";
        ratectl::test::PlainClient patient(server.unix_endpoint(), std::chrono::minutes(1));
        REQUIRE(
            patient.command({"EVAL", put + "for i = 1, 50 do put('core:' .. i, i) end " + script, "0"}).has_value());
    }
    RunResult run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"-u", server.endpoint().url(), "--key", "core:{client}", "--limit", "100",
                                           "--timeout", "20s"});
        RunOptions options;
        options.timeout = std::chrono::minutes(2);
        return run_ratectl(arguments, options);
    }
    /// Every way to ask; how many windows the sweep says there are.
    void check_sweeps(int code, const std::string& windows) const {
        for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
                 {"scan"}, {"scan", "--look", "full"}, {"scan", "--orphans"}, {"scan", "--min-used", "1"}, {"stats"}}) {
            const auto swept = run(command);
            INFO(command.back() << ": " << swept.err);
            CHECK(swept.code == code);
            CHECK(swept.err.find(windows + " on 1 shard") != std::string::npos);
        }
    }
};

/// The sanitizers take twice the memory and more.
const std::int64_t kRoom = ratectl::test::is_binary_sanitized() ? 4 : 1;

}  // namespace

TEST_CASE("A counter of 65 MiB hides no other window from a sweep and is corrupt") {
    const FiftyWindows windows("put('core:long', string.rep('9', 65 * 1024 * 1024))");
    windows.check_sweeps(0, "51 windows");
    const auto corrupt = windows.run({"scan", "--state", "corrupt", "-o", "name"});
    CHECK(corrupt.out == "core:long\n");
    const auto doctor = windows.run({"doctor", "-o", "ndjson"});
    CHECK(doctor.code == 1);
    CHECK(doctor.out.find("\"corrupt\"") != std::string::npos);
    CHECK(windows.run({"check", "core:1", "core:long"}).code == 0);
    CHECK(corrupt.peak_rss_kib < kRoom * 100 * 1024);
}

TEST_CASE("Corrupt counters without an expiry half are among the corrupt windows of a sweep") {
    const FiftyWindows windows(
        "redis.call('SET', 'core:text', 'abc') redis.call('HSET', 'core:hash', 'a', '1') redis.call('SET', "
        "'core:lone', '5')");
    for (const std::vector<std::string>& command : {std::vector<std::string>{"scan"}, {"check", "--all"}}) {
        auto words = command;
        words.insert(words.end(), {"--state", "corrupt", "-o", "name"});
        const auto corrupt = windows.run(words);
        INFO(corrupt.err);
        CHECK((corrupt.out == "core:text\ncore:hash\n" || corrupt.out == "core:hash\ncore:text\n"));
    }
}

TEST_CASE("A name of 65 MiB is left out of a sweep by name and hides no other window") {
    const FiftyWindows windows("put('core:' .. string.rep('x', 65 * 1024 * 1024), 1)");
    const auto scan = windows.run({"scan", "-o", "name"});
    CHECK(scan.code == 9);
    CHECK(scan.err.find("key 'core:xxx") != std::string::npos);
    CHECK(scan.err.find("' is left out: its name is 65.0 MiB long") != std::string::npos);
    CHECK(std::count(scan.out.begin(), scan.out.end(), '\n') == 50);
    CHECK(scan.peak_rss_kib < kRoom * 100 * 1024);
    CHECK(windows.run({"check", "core:1"}).code == 0);
    const auto reset = windows.run({"reset", "--match", "core:*", "-n"});
    CHECK(reset.code == 9);
    CHECK(reset.err.find("50 planned") != std::string::npos);
    const auto compare = windows.run({"compare", "--match", "core:*"});
    CHECK(compare.code == 9);
    CHECK(compare.err.find("50 windows are the same on 1 node") != std::string::npos);
    CHECK(windows.run({"scan", "--match", "other:*"}).code == 0);
}

TEST_CASE("Twenty names of 3 MB are windows like others and take no memory for all of them") {
    const int names = ratectl::test::is_binary_sanitized() ? 10 : 20;  // 60 MB; more take the server long
    const FiftyWindows windows("for i = 1, " + std::to_string(names) +
                               " do put('core:' .. i .. string.rep('x', 3 * 1024 * 1024), 1) end");
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"scan", "--columns", "used"}, {"stats"}, {"doctor"}}) {
        const auto swept = windows.run(command);
        INFO(command.front() << ": " << swept.err);
        CHECK(swept.code == (command.front() == "doctor" ? 1 : 0));
        CHECK(swept.err.find(std::to_string(50 + names) + " windows") != std::string::npos);
        // One copy of all names is more than these leave room for.
        CHECK(swept.peak_rss_kib < kRoom * (command.front() == "doctor" ? 230 : 100) * 1024);
    }
}
