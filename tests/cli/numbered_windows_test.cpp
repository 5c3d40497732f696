// Limiters that number their windows in their keys, as rack-attack does.
#include <map>
#include <set>
#include <thread>

#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr std::int64_t kPeriod = 3600;

class NumberedDeployment : public LimiterDeployment {
public:
    explicit NumberedDeployment(const std::string& scheme = "rack-attack",
                                const std::string& key = "rack::attack:{bucket}:req/ip:{client}",
                                const std::string& period = "1h")
        : LimiterDeployment("[[deployments.box.policies]]\nname = \"ip\"\nkey = \"" + key + "\"\nscheme = \"" + scheme +
                            "\"\nlimit = 10\nperiod = \"" + period + "\"\n") {}

    static std::int64_t number() { return seconds_from_now(0) / kPeriod; }
    static std::string key_of(const std::string& client, std::int64_t number) {
        return "rack::attack:" + std::to_string(number) + ":req/ip:" + client;
    }
    void set(const std::string& key, const std::string& used, std::int64_t lives = 2 * kPeriod) {
        server().command({"SET", key, used, "EX", std::to_string(lives)});
    }
};

}  // namespace

TEST_CASE("a numbered window ends when its key says whatever its TTL is") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    const auto now = NumberedDeployment::key_of("a", n);
    const auto before = NumberedDeployment::key_of("a", n - 1);
    box.set(now, "10", 5);
    box.set(before, "10");
    box.server().command({"SET", NumberedDeployment::key_of("b", n - 2), "3"});
    const auto rows = box.rows({"check", now, before, NumberedDeployment::key_of("c", n)});
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("state") == "exhausted");
    CHECK(rows[0].at("reset_at") == (n + 1) * kPeriod - 1);
    CHECK(rows[0].at("client") == "a");
    CHECK(rows[1].at("state") == "closed");
    CHECK(rows[2].at("state") == "absent");
    const auto explained = box.run({"explain", now});
    CHECK(contains(explained.out, "10"));
    const auto faults = box.rows({"doctor"});
    CHECK(contains(faults.dump(), "expiry-past"));
    CHECK(contains(faults.dump(), "ttl-short"));
    CHECK(box.run({"doctor", "--only", "expiry-past", "--fix", "expiry-past", "-y"}).code == 0);
    CHECK(box.count(NumberedDeployment::key_of("b", n - 2)) == "0");
    CHECK(box.rows({"scan", "--state", "exhausted,open"}).size() == 1);
}

// A clock that ran ahead leaves such windows: they were open, and counted as what their clients had used.
TEST_CASE("a numbered window that has not begun counts for nothing and is named") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    const auto ahead = NumberedDeployment::key_of("a", n + 2);
    box.set(ahead, "50", 4 * kPeriod);
    const auto row = box.rows({"check", ahead}).at(0);
    CHECK(row.at("state") == "closed");
    CHECK(row.at("used").is_null());
    CHECK(row.at("remaining") == 10);
    CHECK(box.rows({"check", ahead, "--now", std::to_string((n + 2) * kPeriod)}).at(0).at("state") == "exhausted");
    CHECK(box.run({"check", ahead, "--exit-status"}).code == 0);
    CHECK(contains(box.run({"explain", ahead}).out, "is allowed: the window of its number has not begun"));
    CHECK(box.rows({"scan", "--state", "open,exhausted"}).empty());
    const auto stats = parse_json(box.run({"stats", "-o", "json"}).out);
    CHECK(stats.at("exhausted") == 0);
    CHECK(stats.at("used_sum") == 0);
    CHECK(box.run({"refund", ahead, "--amount", "1"}).code != 0);
    CHECK(box.stored(ahead) == "50");
    const auto found = box.rows({"doctor"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("class") == "expiry-absurd");
    CHECK(contains(found[0].at("detail"), "it begins in "));
    CHECK(box.run({"doctor", "--fix", "expiry-absurd", "-y"}).code == 0);
    CHECK(box.count(ahead) == "0");
    // One of the past says when it ended.
    const auto before = NumberedDeployment::key_of("a", n - 1);
    box.set(before, "10");
    CHECK(contains(box.run({"explain", before}).out, "its window ended at 2"));
}

TEST_CASE("a numbered window's key that outlives it is found and repaired only once it is over") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    const auto endless = NumberedDeployment::key_of("endless", n);
    box.set(endless, "5");
    box.server().command({"PERSIST", endless});
    box.set(NumberedDeployment::key_of("long", n), "5", 5 * kPeriod);
    // As Kong has it, to the second.
    box.set(NumberedDeployment::key_of("sound", n), "5");
    box.server().command({"EXPIREAT", NumberedDeployment::key_of("sound", n), std::to_string((n + 1) * kPeriod)});
    std::map<std::string, std::string> found;
    for (const auto& row : box.rows({"doctor", "--all-findings"})) {
        found[row.at("key")] = row.at("class");
        CHECK(row.at("fixable") == "no");
    }
    CHECK(found ==
          std::map<std::string, std::string>{{endless, "leaked"}, {NumberedDeployment::key_of("long", n), "ttl-long"}});
    const auto fixed = box.run({"doctor", "--fix", "all", "-y"});
    INFO(fixed.out << fixed.err);
    CHECK(fixed.code == 1);
    CHECK(box.stored(endless) == "5");
    CHECK(contains(box.run({"explain", endless}).out, "once the window is over, doctor --fix expiry-past removes it"));
}

TEST_CASE("a client's numbered window is that of the moment") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    box.set(NumberedDeployment::key_of("a", n), "7");
    box.set(NumberedDeployment::key_of("a", n - 1), "10");
    const auto rows = box.rows({"client", "a"});
    REQUIRE_FALSE(rows.empty());
    bool found = false;
    for (const auto& row : rows)
        found = found || (row.at("key") == NumberedDeployment::key_of("a", n) && row.at("used") == 7);
    CHECK(found);
    const auto earlier =
        box.rows({"check", "--client", "a", "--policy", "ip", "--now", std::to_string((n - 1) * kPeriod + 5)});
    REQUIRE(earlier.size() == 1);
    CHECK(earlier[0].at("used") == 10);
    const auto headers = box.run({"headers", "--client", "b", "--policy", "ip"});
    INFO(headers.out << headers.err);
    CHECK(contains(headers.out, std::to_string((n + 1) * kPeriod - 1)));
}

// A watch went on to the window of the moment.
TEST_CASE("the number of a window that is given by hand is the one that is meant") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    box.set(NumberedDeployment::key_of("a", n), "7");
    box.set(NumberedDeployment::key_of("a", n - 1), "10");
    const auto number = "bucket=" + std::to_string(n - 1);
    const auto key = NumberedDeployment::key_of("a", n - 1);
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"check"}, {"watch", "--every", "50ms", "--deadline", "500ms", "--until", "exhausted"}}) {
        auto asked = words;
        asked.insert(asked.end(), {"--client", "a", "--policy", "ip", "--set", number, "-o", "ndjson"});
        const auto looked = box.run(asked);
        INFO(looked.out << looked.err);
        CHECK(contains(looked.out, key));
        CHECK_FALSE(contains(looked.out, NumberedDeployment::key_of("a", n)));
    }
    const auto late = box.run({"increment", "--client", "a", "--policy", "ip", "--set", number});
    CHECK(late.code == 7);
    CHECK(contains(late.err, "the key of a window that is over"));
    const auto odd = box.run({"check", "--client", "a", "--policy", "ip", "--set", "bucket=now"});
    CHECK(odd.code == 2);
    CHECK(contains(odd.err, "--set bucket=now is no number of a window"));
}

TEST_CASE("counts into numbered windows refunds resets and their undo keep to the window of the key") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    const auto now = NumberedDeployment::key_of("a", n);
    CHECK(box.run({"increment", "--client", "a", "--policy", "ip", "--amount", "4", "--op-id", "MORE"}).code == 0);
    CHECK(box.stored(now) == "4");
    CHECK(box.expires(now) == std::to_string((n + 1) * kPeriod + 1));
    CHECK(box.run({"increment", now, "--amount", "2"}).code == 0);
    CHECK(box.run({"refund", now, "--amount", "1"}).code == 0);
    CHECK(box.stored(now) == "5");
    CHECK(box.run({"reset", now, "--op-id", "GONE"}).code == 0);
    CHECK(box.run({"undo", "GONE"}).code == 0);
    CHECK(box.stored(now) == "5");
    CHECK(box.run({"undo", "MORE"}).code == 0);
    CHECK(box.stored(now) == "1");
    for (const auto number : {n - 1, n + 1}) {
        const auto other = NumberedDeployment::key_of("a", number);
        for (const char* mode : {"-n", "-y"}) {
            const auto refused = box.run({"increment", other, mode});
            INFO(refused.err << refused.out);
            CHECK(refused.code == 7);
            CHECK(contains(refused.err + refused.out, "over, or has not begun"));
        }
        CHECK(box.count(other) == "0");
    }
    box.set(NumberedDeployment::key_of("b", n - 1), "5");
    const auto late = box.run({"refund", NumberedDeployment::key_of("b", n - 1), "--amount", "1"});
    CHECK(late.code == 1);
    CHECK(box.stored(NumberedDeployment::key_of("b", n - 1)) == "5");
}

// A window that begins on the hour ends with it; it was held to last a period from any request on.
TEST_CASE("headers of numbered windows are true when the number says so") {
    constexpr std::int64_t year_2026 = 1'767'225'600;
    const std::string date = "Date: Thu, 01 Jan 2026 00:05:00 GMT\n";
    const auto verdict = [](NumberedDeployment& box, const std::string& pasted) {
        const auto now = std::to_string(year_2026 + 300);
        return box.rows({"headers", "--client", "a", "--policy", "ip", "--verify", "-", "--now", now}, pasted)
            .at(0)
            .at("verdict")
            .get<std::string>();
    };
    const auto said = [](int left, std::int64_t reset) {
        return "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: " + std::to_string(left) +
               "\nX-RateLimit-Reset: " + std::to_string(reset) + "\n";
    };
    NumberedDeployment hours;
    for (const auto end : {year_2026 + kPeriod - 1, year_2026 + kPeriod})
        CHECK(verdict(hours, date + said(10, end)) == "now");
    CHECK(verdict(hours, date + said(10, year_2026 + kPeriod + 300)) == "never");
    hours.set(NumberedDeployment::key_of("a", year_2026 / kPeriod), "4");
    CHECK(verdict(hours, date + said(6, year_2026 + kPeriod)) == "now");
    // January has a day more than the policy's period.
    NumberedDeployment months("kong", "ratelimit:r:s:{client}:{bucket}:month", "30d");
    months.set("ratelimit:r:s:a:" + std::to_string(year_2026 * 1000) + ":month", "4");
    CHECK(verdict(months, date + said(6, year_2026 + 31 * 86'400)) == "now");
    CHECK(verdict(months, date + said(6, year_2026 + 32 * 86'400)) == "never");
}

// It wrote a key that no request would ever count into again.
TEST_CASE("a reset of a numbered window that is over is not taken back") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    const auto key = NumberedDeployment::key_of("a", n);
    box.set(key, "7");
    CHECK(box.run({"reset", key, "--op-id", "GONE"}).code == 0);
    const auto later = std::to_string((n + 1) * kPeriod);
    for (const char* how : {"-n", "-y", "--merge"}) {
        const auto refused = box.run({"undo", "GONE", "--now", later, how});
        INFO(how << refused.out << refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.out, "closed"));
        CHECK(box.box().server().command({"EXISTS", key}) == "0");
    }
    // Its last second is a part of it.
    CHECK(box.run({"undo", "GONE", "--now", std::to_string((n + 1) * kPeriod - 1)}).code == 0);
    CHECK(box.box().stored(key) == "7");
}

TEST_CASE("a replay counts into the numbered window of each request") {
    NumberedDeployment box;
    const auto n = NumberedDeployment::number();
    std::string log;
    for (int i = 0; i < 12; ++i)
        log += "10.0.0.1 - - [17/May/2015:10:05:0" + std::to_string(i % 10) + " +0000] \"GET / HTTP/1.1\" 200 5\n";
    for (const char* mode : {"-n", "-y"}) {
        const auto played = box.run({"replay", "-", "--policy", "ip", "--time", "now", mode}, log);
        INFO(mode << played.out << played.err);
        CHECK(played.code == 0);
        CHECK(contains(played.out, "12"));
    }
    CHECK(box.stored(NumberedDeployment::key_of("10.0.0.1", n)) == "12");
}

TEST_CASE("a scheme that numbers its windows wants to know where and how long they are") {
    NumberedDeployment without("rack-attack", "rack::attack:{client}");
    const auto refused = without.run({"check", "rack::attack:x"});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "has no {bucket} in its key"));
    CHECK(contains(refused.err, "ratectl.toml:"));
    // What a deployment's scheme is holds for each of its policies.
    LimiterDeployment all("scheme = \"gitlab\"");
    for (const auto& words : std::vector<std::vector<std::string>>{{"check", "core:x"}, {"config", "check"}}) {
        const auto none = all.run(words);
        INFO(none.err);
        CHECK(none.code == 3);
        CHECK(contains(none.err, "scheme 'gitlab' numbers its windows, and policy 'core' has no {bucket} in its key"));
        CHECK(contains(none.err, "ratectl.toml:"));
    }
    // On the command line it may be about other keys.
    CHECK(CounterDeployment().run({"check", "k:1", "--scheme", "gitlab"}).code == 0);
    // Without a file the key and the period are flags.
    NumberedDeployment box("kong", "ratelimit:r:s:{client}:{bucket}:hour");
    const auto begin = std::to_string(NumberedDeployment::number() * kPeriod * 1000);
    box.set("ratelimit:r:s:10.0.0.1:" + begin + ":hour", "10");
    CHECK(box.rows({"check", "--client", "10.0.0.1", "--policy", "ip"})[0].at("state") == "exhausted");
    const auto typed =
        run_ratectl({"check", "--client", "10.0.0.1", "-u", box.server().endpoint().url(), "--scheme", "kong", "--key",
                     "ratelimit:r:s:{client}:{bucket}:hour", "--period", "1h", "--limit", "20", "-o", "json"});
    INFO(typed.err);
    CHECK(parse_json(typed.out).at("rows").at(0).at("remaining") == 10);
}

TEST_CASE("a client's numbered key that would be read as another one's is refused and nothing is written") {
    NumberedDeployment adjacent("envoy", "e_{client}{bucket}");
    const auto begin = NumberedDeployment::number() * kPeriod;
    adjacent.set("e_bob" + std::to_string(begin), "5");
    const auto refused = adjacent.run({"reset", "--client", "bob7", "--policy", "ip"});
    INFO(refused.err);
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "would be read as another one's"));
    CHECK(adjacent.stored("e_bob" + std::to_string(begin)) == "5");
    NumberedDeployment middle("gitlab", "rl:{client}:{bucket}:search");
    const auto n = std::to_string(NumberedDeployment::number());
    for (const char* client : {"a:b", "2001:db8::1", "5:6"}) {
        INFO(client);
        CHECK(middle.run({"increment", "--client", client, "--policy", "ip"}).code == 0);
        CHECK(middle.stored("rl:" + std::string(client) + ":" + n + ":search") == "1");
        const auto rows = middle.rows({"check", "--client", client, "--policy", "ip"});
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].at("client") == client);
        CHECK(rows[0].at("used") == 1);
    }
    CHECK(middle.rows({"scan"}).size() == 3);
    // Without a scheme that numbers windows there is no number.
    WrittenDeployment plain(std::string(kFree) +
                            "\n[[deployments.box.policies]]\nname = \"wb\"\nkey = \"wb:{client}:{bucket}\"\n" +
                            "limit = 10\nperiod = \"1h\"\n");
    const auto none = plain.run({"increment", "--client", "a", "--policy", "wb"});
    INFO(none.err);
    CHECK(none.code != 0);
    CHECK(contains(none.err, "{bucket}"));
    CHECK(plain.halves() == "0");
}

TEST_CASE("the number of a window is never taken for its client") {
    WrittenDeployment box(std::string(kFree) +
                          "\n[[deployments.box.policies]]\nname = \"tok\"\nkey = "
                          "\"rack::attack:{bucket}:tok:{token}\"\nscheme = \"rack-attack\"\nlimit = 10\n"
                          "period = \"1h\"\nsecret = true\n");
    const auto key = "rack::attack:" + std::to_string(NumberedDeployment::number()) + ":tok:s3cr3t-bob";
    box.server().command({"SET", key, "3", "EX", "1000"});
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"scan"}, {"reset", key, "--op-id", "GONE"}, {"history"}, {"undo", "GONE"}}) {
        const auto result = box.run(words);
        INFO(result.out << result.err);
        CHECK(result.code == 0);
        CHECK_FALSE(contains(result.out + result.err, "s3cr3t"));
    }
    CHECK(box.stored(key) == "3");
}

TEST_CASE("a client is watched from one numbered window to the next") {
    WrittenDeployment box(std::string(kFree) +
                          "\n[[deployments.box.policies]]\nname = \"g\"\nkey = \"g:{client}:{bucket}\"\n"
                          "scheme = \"gitlab\"\nlimit = 10\nperiod = \"2s\"\n");
    std::jthread writer([&box](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            box.server().command({"SET", "g:a:" + std::to_string(seconds_from_now(0) / 2), "3", "EX", "10"});
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    });
    const auto watched =
        box.run({"watch", "--client", "a", "--policy", "g", "--every", "200ms", "--deadline", "7s", "-o", "ndjson"});
    writer.request_stop();
    std::set<std::string> keys;
    std::size_t begin = 0;
    for (auto end = watched.out.find('\n'); end != std::string::npos;
         begin = end + 1, end = watched.out.find('\n', begin))
        keys.insert(parse_json(watched.out.substr(begin, end - begin)).value("key", ""));
    INFO(watched.out << watched.err);
    CHECK(keys.size() >= 3);
}

// They were held against what is counted ahead of its time, and called true or impossible.
TEST_CASE("headers are not held against a numbered window that has not begun") {
    NumberedDeployment box;
    const auto key = NumberedDeployment::key_of("a", NumberedDeployment::number() + 2);
    for (const bool stored : {false, true}) {
        if (stored) box.set(key, "4", 4 * kPeriod);
        for (const char* pasted : {"X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 6\n",
                                   "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 3\n"}) {
            const auto result = box.run({"headers", key, "--verify", "-", "-o", "json"}, pasted);
            INFO(stored << result.out << result.err);
            CHECK(result.code == 1);
            CHECK(contains(result.out, "\"verdict\":\"too-little\""));
            CHECK(contains(result.out, "has not begun"));
        }
    }
    const auto now = NumberedDeployment::key_of("a", NumberedDeployment::number());
    box.set(now, "4");
    CHECK(box.run({"headers", now, "--verify", "-"}, "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 6\n").code == 0);
}
