// Limiters that keep two counters for each client: one of the present period, and one of the period before.
#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr std::int64_t kAnHour = 3600;

/// Close to an hour, and of those since the epoch one is a little more than half over.
std::int64_t half_over(std::int64_t now) {
    std::int64_t period = kAnHour;
    while (now % period <= period / 2 || now % period > period / 2 + 20) ++period;
    return period;
}

/// Ten an hour.
class SlidingDeployment : public LimiterDeployment {
public:
    explicit SlidingDeployment(bool numbered, std::int64_t now = seconds_from_now(0))
        : LimiterDeployment(numbered ? "[[deployments.box.policies]]\nname = \"api\"\nkey = "
                                       "\"@upstash/ratelimit:{client}:{bucket}\"\nscheme = \"upstash-sliding\"\n"
                                       "limit = 10\nperiod = \"" +
                                           std::to_string(half_over(now)) + "s\"\n"
                                     : "[[deployments.box.policies]]\nname = \"api\"\nkey = "
                                       "\"LIMITS:{{LIMITER/{client}/10/1/hour}}\"\nscheme = \"limits-sliding\"\n"),
          numbered_(numbered),
          now_(now),
          period_(numbered ? half_over(now) : kAnHour) {}

    std::string key(const std::string& client) const {
        return numbered_ ? "@upstash/ratelimit:" + client + ":" + std::to_string(now_ / period_)
                         : "LIMITS:{LIMITER/" + client + "/10/1/hour}";
    }
    std::string before(const std::string& client) const {
        return numbered_ ? "@upstash/ratelimit:" + client + ":" + std::to_string(now_ / period_ - 1)
                         : key(client) + "/-1";
    }
    std::int64_t period() const { return period_; }
    /// As the library leaves it in the middle of a period.
    void put(const std::string& client, const std::string& present, const std::string& previous = "") {
        const auto more = numbered_ ? 1000 : 0;
        server().command({"SET", key(client), present, "PX", std::to_string(period_ * 1500 + more - 900)});
        if (!previous.empty())
            server().command({"SET", before(client), previous, "PX", std::to_string(period_ * 500 + more - 900)});
    }
    /// By the application's clock.
    json rows_at(std::vector<std::string> arguments, const std::string& input = "") {
        if (numbered_ && arguments[0] != "history") arguments.insert(arguments.end(), {"--now", std::to_string(now_)});
        return rows(arguments, input);
    }
    json row(const std::vector<std::string>& arguments) { return rows_at(arguments).at(0); }
    RunResult run_at(std::vector<std::string> arguments, const std::string& input = "") {
        if (numbered_) arguments.insert(arguments.end(), {"--now", std::to_string(now_)});
        return run(arguments, input);
    }
    std::string snapshot() {
        return server().command({"EVAL",
                                 "local keys, all = redis.call('KEYS', '[^r]*'), {} table.sort(keys) for _, key in "
                                 "ipairs(keys) do all[#all + 1] = key .. redis.call('DUMP', key) .. "
                                 "redis.call('PEXPIRETIME', key) end return table.concat(all)",
                                 "0"});
    }
    std::int64_t now() const { return now_; }

private:
    bool numbered_;
    std::int64_t now_;
    std::int64_t period_;
};

}  // namespace

TEST_CASE("a sliding window says how many of both periods count") {
    for (const bool numbered : {false, true}) {
        INFO(numbered);
        SlidingDeployment box(numbered);
        box.put("some", "2", "7");
        box.put("full", "5", "12");
        box.put("new", "3");
        box.put("odd", "many");
        box.server().command({"SET", box.before("past"), "8", "PX", "1700000"});
        const auto rows = box.rows_at({"check", box.key("some"), box.key("full"), box.key("new"), box.key("odd"),
                                       box.key("past"), box.key("none")});
        const char* const states[] = {"open", "exhausted", "open", "corrupt", "open", "absent"};
        for (std::size_t i = 0; i < 6; ++i) CHECK(rows.at(i).at("state") == states[i]);
        CHECK(rows[0].at("used") == 5);
        CHECK(rows[0].at("limit") == 10);
        CHECK(rows[0].at("remaining") == 5);
        CHECK(rows[1].at("used") == 10);
        CHECK(rows[1].at("remaining") == 0);
        CHECK(rows[2].at("used") == 3);
        CHECK(rows[4].at("used") == 3);
        CHECK(rows[5].at("remaining") == 10);
        // All of the present ones are free when less than a whole one of them would count.
        const auto end = rows[2].at("reset_at").get<std::int64_t>() - box.now();
        CHECK(std::abs(end - (box.period() / 2 + box.period() * 2 / 3)) <= 24);
        CHECK(box.run_at({"check", box.key("full"), "--exit-status"}).code == 1);
        CHECK(box.row({"client", "some"}).at("remaining") == 5);
        const auto told = box.run_at({"headers", box.key("some"), "--dialect", "github"}).out;
        INFO(told);
        CHECK(contains(told, "Remaining: 5"));
        const auto explained = box.run_at({"explain", box.key("full")}).out;
        INFO(explained);
        CHECK(contains(explained, "when one request is let through"));
    }
}

TEST_CASE("a sweep shows a sliding window once") {
    for (const bool numbered : {false, true}) {
        INFO(numbered);
        SlidingDeployment box(numbered);
        box.put("a", "2", "7");
        box.put("b", "3");
        std::size_t open = 0;
        const auto all = box.rows_at({"scan"});
        for (const auto& row : all) open += row.at("state") == "open" ? 1 : 0;
        CHECK(open == 2);
        // A numbered one that is superseded is a window of its own, in which nothing counts.
        CHECK(all.size() == (numbered ? 3 : 2));
        CHECK(box.rows_at({"scan", "--state", "open"}).size() == 2);
    }
    LimiterDeployment box("scheme = \"limits-sliding\"");
    box.server().command({"SET", "LIMITS:{LIMITER/x/10/1/hour}", "2", "EX", "5000"});
    box.server().command({"SET", "LIMITS:{LIMITER/x/10/1/hour}/-1", "7", "EX", "1400"});
    CHECK(box.rows({"scan", "LIMITS:*"}).size() == 1);
    CHECK(box.rows({"scan", "LIMITS:*"})[0].at("limit") == 10);
}

TEST_CASE("requests are added to the present period of a sliding window and given back of it") {
    for (const bool numbered : {false, true}) {
        INFO(numbered);
        SlidingDeployment box(numbered);
        box.put("a", "2", "7");
        const auto key = box.key("a");
        const auto expires = box.expires(key);
        const auto dry = box.row({"increment", key, "--amount", "3", "-n"});
        const auto row = box.row({"increment", key, "--amount", "3"});
        CHECK(row.at("status") == "applied");
        CHECK(row.at("after_used") == 8);
        CHECK(dry.at("after_used") == 8);
        CHECK(dry.at("after_reset_at") == row.at("after_reset_at"));
        CHECK(box.stored(key) == "5");
        CHECK(box.stored(box.before("a")) == "7");
        CHECK(box.expires(key) == expires);
        CHECK(box.row({"refund", key, "--amount", "6"}).at("reason") == "below-zero");
        const auto refused = box.run_at({"refund", key, "--amount", "6", "-n"}).err;
        INFO(refused);
        CHECK(contains(refused, "what still counts of the period before is not given back"));
        CHECK(box.row({"refund", key, "--amount", "6", "-n"}).at("reason") == "below-zero");
        CHECK(box.row({"refund", key, "--amount", "6", "--clamp", "-n"}).at("after_used") == 3);
        const auto given = box.row({"refund", key, "--amount", "6", "--clamp"});
        CHECK(given.at("taken") == 5);
        CHECK(given.at("after_used") == 3);
        CHECK(box.stored(key) == "0");
        CHECK(box.stored(box.before("a")) == "7");
        CHECK(box.expires(key) == expires);
        // A window of one period.
        CHECK(box.row({"increment", box.key("new"), "--amount", "2", "-n"}).at("after_used") == 2);
        CHECK(box.row({"increment", box.key("new"), "--amount", "2"}).at("after_used") == 2);
        const auto lives = std::stol(box.server().command({"TTL", box.key("new")}));
        CHECK(std::abs(lives - 2 * box.period()) <= 3);
        CHECK(box.row({"refund", box.key("new"), "--amount", "2"}).at("after_used") == 0);
        CHECK(box.row({"refund", box.key("none"), "--amount", "1"}).at("reason") == "absent");
    }
}

TEST_CASE("a request that is counted once the period is over moves a sliding window of limits") {
    SlidingDeployment box(false);
    const auto key = box.key("a");
    box.server().command({"SET", key, "8", "PX", std::to_string(kAnHour * 500 - 900)});
    const auto expires = box.expires(key);
    CHECK(box.row({"check", key}).at("used") == 3);
    const auto dry = box.row({"increment", key, "--amount", "2", "-n"});
    const auto row = box.row({"increment", key, "--amount", "2"});
    CHECK(row.at("after_used") == 5);
    CHECK(dry.at("after_used") == 5);
    CHECK(dry.at("after_reset_at") == row.at("after_reset_at"));
    CHECK(box.stored(key) == "2");
    CHECK(box.stored(box.before("a")) == "8");
    CHECK(box.expires(box.before("a")) == expires);
    CHECK(std::stol(box.expires(key)) == std::stol(expires) + kAnHour);
}

TEST_CASE("both keys of a sliding window go and come back") {
    for (const bool numbered : {false, true}) {
        INFO(numbered);
        SlidingDeployment box(numbered);
        box.put("a", "2", "7");
        const auto key = box.key("a");
        const auto stored = box.snapshot();
        CHECK(box.row({"reset", key, "-n"}).at("status") == "planned");
        CHECK(box.row({"reset", key, "--op-id", "RESET"}).at("status") == "applied");
        CHECK(box.snapshot().empty());
        CHECK(box.rows_at({"history", "RESET"})[0].at("before_used") == 5);
        CHECK(box.row({"undo", "RESET", "-n"}).at("after_used") == 5);
        CHECK(box.row({"undo", "RESET"}).at("status") == "applied");
        CHECK(box.snapshot() == stored);
        CHECK(box.run_at({"increment", key, "--amount", "2", "--op-id", "COUNT"}).code == 0);
        CHECK(box.row({"undo", "COUNT"}).at("after_used") == 5);
        CHECK(box.run_at({"refund", key, "--amount", "2", "--op-id", "GIVE"}).code == 0);
        CHECK(box.row({"undo", "GIVE"}).at("after_used") == 5);
        CHECK(box.stored(key) == "2");
        CHECK(box.stored(box.before("a")) == "7");
        if (!numbered) CHECK(box.snapshot() == stored);
        // On top of what came since.
        CHECK(box.run_at({"reset", key, "--op-id", "AWAY"}).code == 0);
        CHECK(box.run_at({"increment", key, "--amount", "1"}).code == 0);
        CHECK(box.row({"undo", "AWAY"}).at("reason") == "window-there");
        CHECK(box.row({"undo", "AWAY", "--merge"}).at("after_used") == 6);
        CHECK(box.stored(key) == "3");
    }
}

TEST_CASE("windows that share a key are changed by one call each") {
    SlidingDeployment box(true);
    box.put("a", "2", "7");
    const auto stored = box.snapshot();
    const auto all = box.rows_at({"reset", box.key("a"), box.before("a"), "--op-id", "BOTH"});
    CHECK(all.at(0).at("status") == "applied");
    CHECK(all.at(1).at("reason") == "absent");  // it went with the first
    CHECK(box.snapshot().empty());
    CHECK(box.run_at({"undo", "BOTH"}).code == 0);
    CHECK(box.snapshot() == stored);
    CHECK(box.run_at({"reset", box.before("a"), box.key("a"), "--op-id", "AGAIN"}).code == 0);
    CHECK(box.snapshot().empty());
    CHECK(box.run_at({"undo", "AGAIN"}).code == 0);
    CHECK(box.snapshot() == stored);
}

TEST_CASE("a sliding window that changed since it was looked at is left alone") {
    for (const bool numbered : {false, true}) {
        INFO(numbered);
        SlidingDeployment box(numbered);
        box.put("a", "2", "7");
        box.put("b", "2", "7");
        const auto rows = box.run_at({"check", box.key("a"), box.key("b"), "-o", "json"}).out;
        const auto plan = box.run_at({"reset", box.key("a"), box.key("b"), "--plan", box.box().file("plan.json")});
        INFO(plan.err);
        CHECK(plan.code == 0);
        box.server().command({"INCR", box.key("a")});
        const auto changed = box.rows_at({"reset", "-", "-y", "--op-id", "ROWS"}, rows);
        CHECK(changed[0].at("reason") == "window-changed");
        CHECK(changed[1].at("status") == "applied");
        CHECK(box.rows_at({"undo", "ROWS"})[1].at("status") == "applied");
        const auto applied = box.rows_at({"apply", box.box().file("plan.json")});
        CHECK(applied[0].at("reason") == "window-changed");
        CHECK(applied[1].at("status") == "applied");
    }
}

TEST_CASE("doctor finds what is wrong with the keys of a sliding window") {
    for (const bool numbered : {false, true}) {
        INFO(numbered);
        SlidingDeployment box(numbered);
        box.put("good", "2", "7");
        box.put("long", "2");
        box.server().command({"EXPIRE", box.key("long"), std::to_string(3 * box.period())});
        box.put("none", "4");
        box.server().command({"PERSIST", box.key("none")});
        box.server().command({"RPUSH", box.key("list"), "1"});
        const auto found = box.rows_at({"doctor"});
        INFO(found);
        const auto class_of = [&](const std::string& client) {
            for (const auto& row : found)
                if (row.value("key", "") == box.key(client)) return row.at("class").get<std::string>();
            return std::string();
        };
        CHECK(class_of("good").empty());
        CHECK(class_of("long") == "ttl-long");
        CHECK(class_of("none") == (numbered ? "leaked" : "endless"));
        CHECK(class_of("list") == "corrupt");
    }
}

TEST_CASE("a key whose name has no limit and period is read and removed and not counted into") {
    LimiterDeployment box("scheme = \"limits-sliding\"");
    box.server().command({"SET", "core:x", "3", "EX", "70"});
    const auto row = box.rows({"check", "core:x"}).at(0);
    CHECK(row.at("state") == "open");
    CHECK(row.at("used").is_null());
    for (const char* dry : {"-n", "-y"}) {
        CHECK(box.rows({"increment", "core:x", "--amount", "1", dry}).at(0).at("reason") == "no-rate");
        CHECK(box.rows({"refund", "core:x", "--amount", "1", dry}).at(0).at("reason") == "no-rate");
    }
    CHECK(box.rows({"reset", "core:x", "--op-id", "AWAY"}).at(0).at("status") == "applied");
    CHECK(box.rows({"undo", "AWAY"}).at(0).at("status") == "applied");
    CHECK(box.stored("core:x") == "3");
}

TEST_CASE("a sliding window that never ends is reset by its row as long as it is still that") {
    SlidingDeployment box(false);
    for (const auto* client : {"a", "b"}) {
        box.put(client, "4");
        box.server().command({"PERSIST", box.key(client)});
    }
    const auto rows = box.run_at({"check", box.key("a"), box.key("b"), "-o", "json"}).out;
    box.server().command({"INCR", box.key("a")});
    const auto reset = box.rows_at({"reset", "-", "-y"}, rows);
    CHECK(reset[0].at("reason") == "window-changed");
    CHECK(reset[1].at("status") == "applied");
}
