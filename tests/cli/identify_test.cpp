// identify on real servers: keys of several limiters beside each other, lists of keys, samples, servers that are gone.
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// A counter of rack-attack's of this hour.
std::string rack_key() { return "rack::attack:" + std::to_string(seconds_from_now(0) / 3600) + ":req/ip:10.0.0.7"; }

/// What several limiters would have left on the first shard.
void write_limiters(WrittenDeployment& box) {
    auto& server = box.server();
    box.set_window("core:alice", "7", seconds_from_now(600));
    server.command({"SET", "rlflx:bob", "4", "EX", "60"});
    server.command({"SET", "fastify-rate-limit-10.0.0.7", "3", "EX", "60"});
    server.command({"SET", "rl:10.0.0.7", "3", "EX", "60"});
    server.command({"SET", "LIMITS:LIMITER/u1/5/1/minute", "2", "EX", "60"});
    server.command({"HSET", "throttle:mail", "tokens", "78", "refreshed", std::to_string(seconds_from_now(-2))});
    server.command({"EXPIRE", "throttle:mail", "30"});
    server.command({"HSET", "throttle:mail:knobs", "rps", "9", "burst", "1", "window", "5"});
    server.command({"RPUSH", "10.0.0.9", "10.0.0.9", "10.0.0.9"});
    server.command({"EXPIRE", "10.0.0.9", "10"});
    server.command({"SET", rack_key(), "2", "EXAT", std::to_string(seconds_from_now(0) / 3600 * 3600 + 3601)});
    server.command({"SET", "page:views", "12"});
    server.command({"SET", "greeting", "hello"});
}

json rows_of(const RunResult& result) {
    INFO(result.out << result.err);
    return parse_json(result.out).at("rows");
}

}  // namespace

TEST_CASE("identify names who wrote each key how sure that is and what it means") {
    WrittenDeployment box(kFree);
    write_limiters(box);
    const std::vector<std::vector<std::string>> expected{
        {"core:alice", "github", "certain"},
        {"core:alice:exp", "github", "certain"},
        {"rlflx:bob", "rate-limiter-flexible", "certain"},
        {"fastify-rate-limit-10.0.0.7", "fastify", "certain"},
        {"rl:10.0.0.7", "express", "likely"},
        {"LIMITS:LIMITER/u1/5/1/minute", "limits-fixed", "certain"},
        {"throttle:mail", "limitlion", "certain"},
        {"throttle:mail:knobs", "limitlion", "certain"},
        {"10.0.0.9", "redis-docs-list", "certain"},
        {"page:views", "counter", "unsure"},
        {"greeting", "unknown", ""},
        {"none", "absent", ""},
    };
    std::vector<std::string> words{"identify", "-o", "json"};
    words.reserve(words.size() + expected.size());
    for (const auto& row : expected) words.push_back(row[0]);
    const auto result = box.run(words);
    CHECK(result.code == 0);
    const auto rows = rows_of(result);
    REQUIRE(rows.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO(rows[i].dump());
        CHECK(rows[i].at("key") == expected[i][0]);
        CHECK(rows[i].at("system") == expected[i][1]);
        if (expected[i][2].empty()) {
            CHECK(rows[i].at("sureness").is_null());
        } else {
            CHECK(rows[i].at("sureness") == expected[i][2]);
        }
    }
    CHECK(rows[0].at("used") == 7);
    CHECK(rows[0].at("reset_kind") == "stored");
    CHECK(rows[0].at("template") == "core:{client}");
    CHECK(rows[5].at("limit") == 5);
    CHECK(rows[5].at("period_s") == 60);
    CHECK(rows[6].at("means").get<std::string>().find("its knobs say how fast it fills") != std::string::npos);
    CHECK(rows[9].at("policy").is_null());
    CHECK(rows[11].at("type") == "none");
}

TEST_CASE("identify prints the policy to paste behind its table and nowhere else") {
    WrittenDeployment box(kFree);
    write_limiters(box);
    const std::vector<std::string> words{"identify", "rlflx:bob", "rl:10.0.0.7", "LIMITS:LIMITER/u1/5/1/minute"};
    const auto table = box.run(words).out;
    CHECK(contains(table,
                   "\n[[deployments.box.policies]]\nname = \"rate-limiter-flexible\"\nkey = \"rlflx:{client}\"\n"
                   "scheme = \"rate-limiter-flexible\"\n# limit = 5000\n"));
    CHECK(contains(table, "\n# likely, and not certain\n[[deployments.box.policies]]\nname = \"express\"\n"));
    CHECK(contains(table,
                   "key = \"LIMITS:LIMITER/{client}/5/1/minute\"\nscheme = \"limits-fixed\"\nlimit = 5\n"
                   "period = \"1m\"\n"));
    auto as_csv = words;
    as_csv.insert(as_csv.end(), {"-o", "csv", "--columns", "key,system"});
    CHECK_FALSE(contains(box.run(as_csv).out, "[["));
    auto few_columns = words;
    few_columns.insert(few_columns.end(), {"--columns", "key,system"});
    CHECK_FALSE(contains(box.run(few_columns).out, "[["));
    CHECK_FALSE(contains(box.run({"identify", "page:views"}).out, "[["));
}

TEST_CASE("identify reads keys from standard input whatever bytes they hold") {
    WrittenDeployment box(kFree, 2);
    std::string input;
    for (int i = 0; i < 2500; ++i) input.append("rlflx:").append(std::to_string(i)).append("\n");
    const auto many = box.run_with_input({"identify", "-", "-o", "ndjson"}, input);
    CHECK(many.code == 0);
    CHECK(std::count(many.out.begin(), many.out.end(), '\n') == 2500);
    CHECK(contains(many.out, "\"absent\""));
    const std::string key = "a\xff\n";
    for (std::size_t shard = 0; shard < 2; ++shard) box.server(shard).command({"SET", key, "5", "EX", "60"});
    const auto raw = box.run_with_input({"identify", "-", "-0", "-o", "ndjson"}, key + '\0');
    const auto escaped = box.run({"identify", "a\\xff\\n", "--key-format", "escaped", "-o", "ndjson"});
    for (const auto& result : {raw, escaped}) {
        INFO(result.out << result.err);
        CHECK(result.code == 0);
        CHECK(contains(result.out, "\"counter\""));
    }
    CHECK_FALSE(contains(box.run({"identify", "a\\xff\\n", "--key-format", "escaped"}).out, "\xff"));
}

TEST_CASE("a sample is summed up by limiter and its policies are to be pasted") {
    WrittenDeployment box(kFree);
    write_limiters(box);
    for (int i = 0; i < 40; ++i) box.server().command({"SET", "rlflx:" + std::to_string(i), "4", "EX", "60"});
    const auto result = box.run({"identify", "--sample", "1000", "-o", "json"});
    CHECK(result.code == 0);
    const auto rows = rows_of(result);
    CHECK(rows[0].at("system") == "rate-limiter-flexible");
    CHECK(rows[0].at("keys") == 41);
    CHECK(rows[0].at("means").is_null());
    CHECK(contains(rows[0].at("policy").get<std::string>(), "key = \"rlflx:{client}\""));
    std::int64_t keys = 0;
    for (const auto& row : rows) keys += row.at("keys").get<std::int64_t>();
    CHECK(keys == 52);
    CHECK(contains(result.err, "52 keys looked at"));
    // Pasted, they are a configuration that knows whose windows these are.
    const auto file = box.write_alone("pasted.toml", box.server().endpoint());
    std::ofstream more(file, std::ios::app);
    for (const auto& row : rows) {
        if (row.at("policy").is_string()) more << "\n" << row.at("policy").get<std::string>();
    }
    more.close();
    const auto checked = run_ratectl({"config", "check", "-c", file});
    INFO(checked.out << checked.err);
    CHECK(checked.code == 0);
    const auto looks = rows_of(run_ratectl({"check", "-c", file, "-o", "json", "rlflx:bob", "core:alice", "rl:10.0.0.7",
                                            "LIMITS:LIMITER/u1/5/1/minute", rack_key()}));
    const char* const policies[] = {"rate-limiter-flexible", "github", "express", "limits-fixed", "rack-attack"};
    for (std::size_t i = 0; i < looks.size(); ++i) {
        INFO(looks[i].dump());
        CHECK(looks[i].at("policy") == policies[i]);
        CHECK(looks[i].at("state") == "open");
    }
    const auto few = rows_of(box.run({"identify", "--sample", "5", "-o", "json"}));
    keys = 0;
    for (const auto& row : few) keys += row.at("keys").get<std::int64_t>();
    CHECK(keys == 5);
}

TEST_CASE("identify says which servers it could not ask and shows what the others have") {
    WrittenDeployment box(kFree, 2);
    std::vector<std::string> names;
    names.reserve(20);
    for (int i = 0; i < 20; ++i)
        names.push_back(std::string(static_cast<std::size_t>(i + 1), static_cast<char>('a' + i)));
    for (std::size_t i = 0; i < names.size(); ++i) {
        for (std::size_t shard = 0; shard < 2; ++shard)
            box.server(shard).command({"SET", "rlflx:" + names[i], "4", "EX", "60"});
    }
    box.server(1).kill();
    const auto sample = box.run({"identify", "--sample", "100", "-o", "json"});
    CHECK(sample.code == 9);
    CHECK(contains(sample.err, "beta"));
    CHECK(rows_of(sample)[0].at("keys") == 20);
    CHECK(box.run({"identify", "--sample", "100", "--shard", "alpha"}).code == 0);
    std::vector<std::string> words{"identify", "-o", "json"};
    words.reserve(words.size() + names.size());
    for (const auto& name : names) words.push_back("rlflx:" + name);
    const auto named = box.run(words);
    CHECK(named.code == 9);
    const auto found = rows_of(named);
    CHECK(found.size() < 20);
    CHECK(!found.empty());
    for (const auto& row : found) CHECK(row.at("system") == "rate-limiter-flexible");
    // Those that it could not look at were in no place of its answer.
    const auto left_out = parse_json(named.out).at("left_out");
    CHECK(found.size() + left_out.size() == 20);
    for (const auto& row : left_out) CHECK(contains(named.err + named.out, row.at("key").get<std::string>()));
    CHECK(contains(named.err, std::to_string(left_out.size()) + " of 20 keys could not be looked at, first 'rlflx:"));
}

TEST_CASE("identify refuses what it has no meaning for and says what to do instead") {
    WrittenDeployment box(kFree);
    CHECK(box.run({"identify"}).code == 2);
    CHECK(box.run({"identify", "a", "--sample", "5"}).code == 2);
    CHECK(contains(box.run({"identify", "--sample", "0"}).err, "--sample: '0' is not a number of keys"));
    CHECK(box.run({"identify", "a", "--shard", "alpha"}).code == 2);
    CHECK(box.run({"identify", "a", "--from", "all"}).code == 2);
    CHECK(contains(box.run({"identify", "--columns", "help"}).out, "sureness"));
}

TEST_CASE("config init writes the policies of limiters that have surely written what a server has") {
    WrittenDeployment box(kFree);
    write_limiters(box);
    const auto url = box.server().endpoint().url();
    const auto file = box.file("found.toml");
    const auto init = run_ratectl(
        {"config", "init", "--from-server", "--primary", url, "--file", file, "--policy", "other=other:{client}:5/1m"});
    INFO(init.out << init.err);
    CHECK(init.code == 0);
    CHECK(contains(init.err, "keys looked at: policies "));
    CHECK(run_ratectl({"config", "check", "-c", file}).code == 0);
    const auto looks = rows_of(run_ratectl({"check", "-c", file, "-o", "json", "rlflx:bob", "core:alice", "rl:10.0.0.7",
                                            "LIMITS:LIMITER/u1/5/1/minute", rack_key(), "other:1"}));
    const json policies{"rate-limiter-flexible", "github", nullptr, "limits-fixed", "rack-attack", "other"};
    for (std::size_t i = 0; i < looks.size(); ++i) {
        INFO(looks[i].dump());
        CHECK(looks[i].at("policy") == policies[i]);
    }
    const auto gone = box.file("gone.toml");
    const auto dead = run_ratectl({"config", "init", "--from-server", "--primary", url, "--primary",
                                   "b=unix:///nowhere/redis.sock", "--file", gone});
    INFO(dead.err);
    CHECK(dead.code != 0);
    CHECK(contains(dead.err, "nothing was written"));
    CHECK_FALSE(std::ifstream(gone).good());
}

TEST_CASE("identify leaves out of bounds what an account may not read and tells of the rest") {
    WrittenDeployment box(std::string(kFree) + "\nusername = \"ann\"\npassword_env = \"IDENTIFY_PASSWORD\"");
    write_limiters(box);
    box.server().command({"ACL", "SETUSER", "ann", "on", ">secret", "%R~rlflx:*", "+@all"});
    RunOptions options;
    options.environment["IDENTIFY_PASSWORD"] = "secret";
    const auto rows = rows_of(box.run({"identify", "rlflx:bob", "core:alice", "-o", "json"}, options));
    CHECK(rows[0].at("system") == "rate-limiter-flexible");
    CHECK(rows[1].at("system") == "unknown");
    CHECK(rows[1].at("means") == "this account may not read it");
    const auto sample = box.run({"identify", "--sample", "100", "-o", "json"}, options);
    CHECK(sample.code == 0);
    CHECK(rows_of(sample).size() == 2);
    box.server().command({"ACL", "SETUSER", "ann", "-pttl"});
    const auto denied = box.run({"identify", "rlflx:bob"}, options);
    CHECK(denied.code == 5);
    CHECK(contains(denied.err, "'pttl'"));
}

TEST_CASE("identify and check tell one end of a numbered window") {
    WrittenDeployment box(std::string(kFree) +
                          "\n[[deployments.box.policies]]\nname = \"req\"\nscheme = \"rack-attack\"\n"
                          "key = \"rack::attack:{bucket}:req/ip:{client}\"\nlimit = 5\nperiod = \"1h\"\n");
    const auto key = rack_key();
    box.server().command({"SET", key, "2", "EX", "7000"});
    const auto identified = box.run({"identify", key, "-o", "json"});
    const auto checked = box.run({"check", key, "-o", "json"});
    CHECK(rows_of(identified).at(0).at("reset_at") == rows_of(checked).at(0).at("reset_at"));
    const auto piped = box.run_with_input({"reset", "-", "--input", "ndjson", "-n", "-o", "json"},
                                          box.run({"identify", key, "-o", "ndjson"}).out);
    CHECK(rows_of(piped).at(0).at("status") == "planned");
}
