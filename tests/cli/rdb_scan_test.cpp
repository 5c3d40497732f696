// Dump files of real servers: the same rows as a scan of the server that wrote them.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/file_text.h"
#include "support/json.h"
#include "unit/input/rdb_maker.h"
#include "unit/input/sources.h"

using namespace ratectl::test;
using namespace std::string_literals;
using nlohmann::json;

namespace {

/// Every column but those that say where and when was looked, and the lifetimes that go on.
const std::string kColumns =
    "key,state,used,limit,remaining,percent,reset_at,reset_in,limited,shard,stale,deployment,policy,client,client_"
    "class,"
    "limit_source,stored_used,stored_reset_at,error";

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// One shard with windows of every kind among values of every type that the server has.
struct Dumped {
    explicit Dumped(std::size_t shards = 1) : box("writes = \"allow\"", shards) {}

    std::string save(std::size_t shard = 0) {
        REQUIRE(box.server(shard).command({"SAVE"}) == "OK");
        const std::string file = box.file(std::to_string(shard) + ".rdb");
        const std::string folder = box.server(shard).command({"CONFIG", "GET", "dir"});
        std::filesystem::copy_file(folder.substr(folder.find('\n') + 1) + "/dump.rdb", file,
                                   std::filesystem::copy_options::overwrite_existing);
        return file;
    }
    void put(const std::string& key, const std::string& used, const std::string& reset_at) {
        box.server().command({"SET", key, used, "EXAT", std::to_string(later + 1)});
        box.server().command({"SET", key + ":exp", reset_at, "EXAT", std::to_string(later + 1)});
    }
    void fill_with_windows() {
        const std::string at = std::to_string(later);
        for (const char* used :
             {"0", "1", "99", "100", "127", "128", "-1", "-128", "-129", "32767", "32768", "-32769", "65536",
              "2147483647", "2147483648", "-2147483649", "9223372036854775807", "-9223372036854775808"})
            put("core:used "s + used, used, at);
        for (int i = 0; i < 500; ++i) put("core:client " + std::to_string(i), std::to_string(i * i), at);
        put("core:42", "7", at);
        put("core:closed", "7", std::to_string(now - 5));
        put("core:far", "7", "9007199254740991");
        put("core:not a number", "seventeen", at);
        put("core:no time", "7", "1767225600000000000000");
        put("core:packed " + std::string(60, 'x'), "7", at);
        put("core:packed value", std::string(200, '7'), at);
        for (const std::size_t length : {300, 65'536, 65'537, 70'000})  // dumps showed 256 bytes of each
            put("core:long " + std::to_string(length), std::string(length, 'x'), at);
        put("core:binary \0\xff\n"s, "\0\x01\xff"s, at);
        put("core:empty", "", at);
        put("other:window", "7", at);
        box.server().command({"SET", "core:leaked", "5"});
        box.server().command({"SET", "core:leaked:exp", at});
        box.server().command({"SET", "core:lone counter", "5"});
        box.server().command({"SET", ":exp", at});  // half of no window: it would have no name
        box.server().command({"SET", "core:lone expiry:exp", at});
        box.server().command({"SET", "core:suffix:exp:exp", at});
        box.server().command({"SET", "ratectl:op:01ARZ3NDEKTSV4RRFFQ69G5FAV.1", "x"});
        put("core:suffix", "3", at);
    }
    void fill_with_types() {
        auto& server = box.server();
        const auto fill = [&](const std::string& script) { server.command({"EVAL", script, "0"}); };
        server.command({"RPUSH", "core:list", "a", "b"});
        server.command({"SET", "core:list:exp", std::to_string(later)});
        server.command({"SET", "core:odd", "1"});
        server.command({"SADD", "core:odd:exp", "x"});
        fill(
            "for i = 1, 3000 do redis.call('RPUSH', 'big list', 'item ' .. i) end "
            "redis.call('RPUSH', 'big list', string.rep('z', 70000)) return 1");
        fill(
            "for i = 1, 2000 do redis.call('SADD', 'big set', 'm' .. i) end redis.call('SADD', 'ints', 1, 2, 3) return "
            "1");
        fill(
            "for i = 1, 900 do redis.call('HSET', 'big hash', 'f' .. i, string.rep('v', i)) end "
            "redis.call('HSET', 'small hash', 'f', 'v') return 1");
        fill(
            "for i = 1, 900 do redis.call('ZADD', 'big zset', i / 3, 'm' .. i) end "
            "redis.call('ZADD', 'small zset', '-inf', 'a', '+inf', 'b') return 1");
        fill("for i = 1, 500 do redis.call('XADD', 'stream', '*', 'f', 'v' .. i) end return 1");
        server.command({"XGROUP", "CREATE", "stream", "group", "0"});
        server.command({"XREADGROUP", "GROUP", "group", "someone", "COUNT", "100", "STREAMS", "stream", ">"});
        server.command({"XDEL", "stream", "0-1"});
        server.command({"PFADD", "visitors", "a", "b", "c"});
        server.command({"SETBIT", "bits", "1000000", "1"});
        server.command({"SET", "page", std::string(100'000, 'p') + "end"});
        server.command({"FUNCTION", "LOAD", "#!lua name=mylib\nredis.register_function('f', function() return 1 end)"});
    }
    RunResult scan(std::vector<std::string> more, const std::string& input = {}) const {
        std::vector<std::string> words{"scan",  "--sort",           "key", "-o", "ndjson", "--columns", kColumns,
                                       "--now", std::to_string(now)};
        words.insert(words.end(), more.begin(), more.end());
        return box.run_with_input(words, input);
    }

    WrittenDeployment box;
    std::int64_t now = seconds_from_now(0);
    std::int64_t later = seconds_from_now(3000);
};

}  // namespace

TEST_CASE("a dump of a real server gives the rows that a scan of the server gives") {
    Dumped dumped;
    dumped.fill_with_windows();
    dumped.fill_with_types();
    const std::string file = dumped.save();
    const auto live = dumped.scan({});
    REQUIRE(live.code == 0);
    REQUIRE(key_rows(live).size() > 500);
    const auto from_file = dumped.scan({"--rdb", file});
    CHECK(from_file.code == 0);
    CHECK(from_file.out == live.out);
    CHECK(contains(from_file.err, "shard 'alpha': picture of "));
    CHECK(contains(from_file.err, ", written by redis "));
    const std::string packed = dumped.box.file("alpha.rdb.gz");
    write_file(packed, gzip(file_text(file)));
    CHECK(dumped.scan({"--rdb", packed}).out == live.out);
    CHECK(dumped.scan({"--rdb", "-"}, file_text(file)).out == live.out);
    CHECK(dumped.scan({"--rdb", "alpha=-"}, file_text(packed)).out == live.out);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"--orphans"},
                                               {"--state", "exhausted"},
                                               {"--state", "corrupt,negative"},
                                               {"--min-used", "1000"},
                                               {"--min-used", "80%"},
                                               {"--resets-within", "2h"},
                                               {"--match", "*"},
                                               {"--match", "core:*1"},
                                               {"--match", "*", "--orphans"},
                                               {"--match", "core:suffix:exp"},
                                               {"--top", "7"},
                                               {"--count"},
                                               {"--state", "closed", "--exit-status"}}) {
        auto offline = words;
        offline.insert(offline.end(), {"--rdb", file});
        const auto wanted = dumped.scan(words);
        const auto got = dumped.scan(offline);
        INFO("scan " << words.front() << ' ' << words.back() << ": " << got.err);
        CHECK(got.out == wanted.out);
        CHECK(got.code == wanted.code);
    }
}

TEST_CASE("a full look at a dump has the types and lifetimes that the server has") {
    Dumped dumped;
    dumped.fill_with_windows();
    dumped.fill_with_types();
    const std::string file = dumped.save();
    const auto run = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"scan", "--look", "full", "--orphans", "--sort", "key", "-o", "ndjson"};
        words.insert(words.end(), more.begin(), more.end());
        return key_rows(dumped.box.run(words));
    };
    const auto live = run({});
    const auto offline = run({"--rdb", file});
    REQUIRE(live.size() > 500);
    REQUIRE(offline.size() == live.size());
    for (std::size_t i = 0; i < live.size(); ++i) {
        INFO(live[i].dump() << '\n' << offline[i].dump());
        for (const char* column : {"key", "state", "used", "counter_type", "error", "stored_reset_at"})
            CHECK(offline[i].at(column) == live[i].at(column));
        CHECK(offline[i].at("look") == "full");
        CHECK(offline[i].at("role").is_null());
        CHECK(offline[i].at("node") == file);
        for (const char* column : {"counter_ttl_ms", "expiry_ttl_ms"}) {
            REQUIRE(offline[i].at(column).is_null() == live[i].at(column).is_null());
            if (live[i].at(column).is_null()) continue;
            // The picture is older than the look, by the time that this test has taken.
            const auto passed = offline[i].at(column).get<std::int64_t>() - live[i].at(column).get<std::int64_t>();
            CHECK(passed > -1000);
            CHECK(passed < 60'000);
        }
    }
}

TEST_CASE("keys that had expired but still stood in the server are not in its picture") {
    RedisServer server(std::vector<std::string>{"--enable-debug-command", "yes", "--rdbchecksum", "no"});
    server.command({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
    server.command({"SET", "core:gone", "1", "PX", "1"});
    server.command({"SET", "core:gone:exp", "1", "PX", "1"});
    server.command({"SET", "core:there", "1"});
    server.command({"SET", "core:there:exp", std::to_string(seconds_from_now(100))});
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    REQUIRE(server.command({"SAVE"}) == "OK");
    const std::string folder = server.command({"CONFIG", "GET", "dir"});
    const std::string file = folder.substr(folder.find('\n') + 1) + "/dump.rdb";
    REQUIRE(contains(file_text(file), "core:gone"));
    const auto result = run_ratectl({"scan", "--rdb", file, "-o", "name", "-v"});
    CHECK(result.out == "core:there\n");
    CHECK(result.code == 0);
    CHECK(contains(result.err, "has no checksum"));
}

TEST_CASE("a dump needs no configuration and is judged at the moment of its picture") {
    const std::int64_t then = 1'600'000'000;
    RdbMaker made("REDIS0009");
    made.aux("redis-ver", "6.0.9").aux("ctime", std::to_string(then)).db(0);
    made.window("core:alice", "20", then + 60).window("core:bob", "3", then - 1).window("core:carol", "5", then);
    WrittenDeployment box("writes = \"deny\"");
    const std::string file = box.file("dump.rdb");
    write_file(file, made.ended());
    const auto run = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"scan",  "--rdb",         file,      "--sort", "key", "-o", "ndjson",
                                       "--key", "core:{client}", "--limit", "20"};
        words.insert(words.end(), more.begin(), more.end());
        return run_ratectl(words);
    };
    const auto result = run({});
    CHECK(result.code == 0);
    CHECK(contains(result.err, "shard 'dump': picture of 2020-09-13T12:26:40Z, written by redis 6.0.9, " + file));
    const auto rows = key_rows(result);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("state") == "exhausted");
    CHECK(rows[0].at("reset_in_s") == 60);
    CHECK(rows[0].at("shard") == "dump");
    CHECK(rows[0].at("node") == file);
    CHECK(rows[0].at("role").is_null());
    CHECK(rows[0].at("deployment").is_null());
    CHECK(rows[0].at("read_at_ms") == then * 1000);
    CHECK(rows[1].at("state") == "closed");
    CHECK(rows[2].at("state") == "open");
    CHECK(key_rows(run({"--now", std::to_string(then + 61)}))[0].at("state") == "closed");
}

TEST_CASE("a dump that does not say when it was written is taken as of its last change") {
    WrittenDeployment box("writes = \"deny\"");
    const std::string bytes = RdbMaker("REDIS0006").db(0).window("core:alice", "20", seconds_from_now(100)).ended();
    write_file(box.file("old.rdb"), bytes);
    const auto result = run_ratectl({"scan", "--rdb", box.file("old.rdb"), "-o", "ndjson"});
    CHECK(result.code == 0);
    CHECK(contains(result.err, "does not say when it was written; its last change is taken for it"));
    CHECK(key_rows(result).at(0).at("state") == "open");
    RunOptions input;
    input.input = bytes;
    const auto unknown = run_ratectl({"scan", "--rdb", "-"}, input);
    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err, "standard input does not say when it was written"));
    CHECK(run_ratectl({"scan", "--rdb", "-", "--now", "now", "--count"}, input).out == "1\n");
}
