// ratectl against the limiters that keep a counter, as npm and Debian have them: they count, and what ratectl says of a
// window is what they answer next. Where a counter is changed by ratectl, they go on from there.
#include <algorithm>
#include <chrono>
#include <thread>

#include "live/counting_limiter.h"
#include "live/real_servers.h"
#include "support/catch.h"
#include "support/wall_now.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr std::size_t kClients = 800;
constexpr std::size_t kLeastStates = 500;
constexpr std::int64_t kHighestLimit = 12;  // so that many clients come to theirs

std::int64_t milliseconds_now() { return wall_now().time_since_epoch().count(); }

void wait_ms(std::int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// An index of so many.
std::size_t pick(RandomSource& random, std::size_t count) {
    return static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(count) - 1));
}

std::string driver(const std::string& name) { return script("limiters/" + name); }

bool without_npm(const std::string& package) {
    return is_absent(package, "nodejs npm; then scripts/bootstrap --packages test", "node",
                     {driver("loads.cjs"), npm_folder() + "/" + package});
}

bool without_python(const std::string& module, const std::string& package) {
    return is_absent(module, package, "python3", {"-c", "import " + module});
}

bool without_laravel() {
    return is_absent("Laravel's RateLimiter", "php-cli php-predis php-illuminate-cache php-illuminate-redis", "php",
                     {"-r",
                      "require 'Predis/Autoloader.php'; require 'Illuminate/Cache/autoload.php'; require "
                      "'Illuminate/Redis/autoload.php';"});
}

LimiterKind laravel() {
    return {.name = "Laravel",
            .scheme = "laravel",
            .key = "laravel_database_laravel_cache:POLICY:{client}",
            .program = "php",
            .driver = {driver("laravel.php")},
            .floor = 1,
            .counts_refused = false,
            .verbs = {"forget"}};
}

std::vector<LimiterPolicy> random_policies(RandomSource& random, std::int64_t shortest) {
    constexpr std::int64_t day = 86'400;
    const std::pair<const char*, std::int64_t> periods[] = {{"2/second", 2},      {"4/second", 4}, {"1/minute", 60},
                                                            {"2/hour", 7200},     {"1/day", day},  {"3/day", 3 * day},
                                                            {"1/month", 30 * day}};
    std::vector<LimiterPolicy> policies;
    for (const auto& [units, seconds] : periods) {
        if (seconds < shortest) continue;
        policies.push_back({"p" + std::to_string(policies.size()), random.number(1, kHighestLimit), seconds, units});
    }
    return policies;
}

/// One client of many: what ratectl said of its window, and what the limiter answered then.
struct State {
    LimitedClient client;
    json row;
    LimiterAnswer look;  // without counting
    LimiterAnswer next;
};

std::optional<std::int64_t> reset_of(const json& row) {
    const auto& at = row.at("reset_at");
    return at.is_null() ? std::nullopt : std::optional{at.get<std::int64_t>()};
}

/// Its window ends in that second, or in none, as an answer has it; give or take what Redis' clock lags behind in a
/// script. A window without an end may be said to end at once.
bool ends_there(const LimiterAnswer& answer, std::optional<std::int64_t> second, std::int64_t answered_ms) {
    constexpr std::int64_t lag = 5;
    if (!second) return !answer.reset || answer.reset->first <= answered_ms;
    return answer.reset && answer.reset->first <= *second * 1000 + 1000 + lag &&
           answer.reset->second >= *second * 1000 - lag;
}

/// What was wrong, in words of the first time; and how often.
struct Faults {
    std::size_t count = 0;
    std::string first;

    void expect(bool right, const std::string& what, const LimitedClient& client, const json& row) {
        if (right) return;
        if (count++ == 0) first = what + " of " + client.key + ", of which ratectl said " + row.dump();
    }
};

template <class Value>
bool agrees(const std::optional<Value>& said, Value expected) {
    return !said || *said == expected;
}

/// How many count after one more request, where so many do.
std::int64_t after_one(const CountingLimiter& limiter, const LimitedClient& client, std::int64_t used) {
    const bool limited = used >= limiter.policy_of(client).limit + limiter.kind().lets_more;
    return limited && !limiter.kind().counts_refused ? used : used + 1;
}

/// What the limiter should say to one more request, where so many count.
void expect_next(Faults& faults, const CountingLimiter& limiter, const State& state, const LimiterAnswer& next,
                 std::int64_t used, const std::string& when) {
    const auto& client = state.client;
    const auto limit = limiter.policy_of(client).limit;
    const auto after = after_one(limiter, client, used);
    faults.expect(next.limited == (used >= limit + limiter.kind().lets_more), "the verdict " + when, client, state.row);
    faults.expect(agrees(next.used, after), "the count " + when, client, state.row);
    faults.expect(agrees(next.remaining, std::max<std::int64_t>(limit - after, 0)), "what remains " + when, client,
                  state.row);
}

std::vector<LimitedClient> random_clients(RandomSource& random, const CountingLimiter& limiter) {
    std::vector<LimitedClient> clients;
    for (std::size_t i = 0; i < kClients; ++i) {
        const auto policy = pick(random, limiter.policies().size());
        clients.push_back(limiter.client("user-" + std::to_string(i) + "@example.org", policy));
    }
    return clients;
}

/// Requests in any order; some clients have none, many too many, and some counters lose their TTL.
void load(RandomSource& random, CountingLimiter& limiter, const std::vector<LimitedClient>& clients) {
    const auto& others = limiter.kind().verbs;
    std::vector<std::string> lines;
    for (const auto& client : clients) {
        for (auto n = random.number(0, 3); n > 0; --n) {
            const bool other = !others.empty() && random.one_in(8);
            lines.push_back(limiter.line(other ? others[pick(random, others.size())] : "hit", client,
                                         random.number(1, limiter.policy_of(client).limit / 2 + 1)));
        }
    }
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[pick(random, i)]);
    std::string text;
    for (const auto& line : lines) text += line;
    limiter.ask(text);
    for (const auto& client : clients) {
        if (random.one_in(25)) limiter.server().command({"PERSIST", client.key});
    }
    wait_ms(random.number(300, 1500));
}

/// Asks both sides, and leaves out the windows and counters that end before both have answered.
std::vector<State> states_of(CountingLimiter& limiter, const std::vector<LimitedClient>& clients) {
    std::vector<std::int64_t> expiries;
    expiries.reserve(clients.size());
    for (const auto& client : clients)
        expiries.push_back(std::stoll(limiter.server().command({"PEXPIRETIME", client.key})));
    const auto rows = limiter.check(clients);
    std::string lines;
    for (const auto& client : clients) lines += limiter.line("peek", client) + limiter.line("hit", client);
    const auto answers = limiter.ask(lines);
    const auto answered_ms = milliseconds_now();
    std::vector<State> states;
    for (std::size_t i = 0; i < clients.size(); ++i) {
        const auto end = reset_of(rows[i]);
        const bool ends =
            (end && *end * 1000 <= answered_ms + 1000) || (expiries[i] >= 0 && expiries[i] <= answered_ms + 1000);
        if (ends) continue;
        states.push_back({clients[i], rows[i], answers[2 * i], answers[2 * i + 1]});
    }
    return states;
}

/// How many requests of its count: none where the limiter begins its counter anew, which leaves all of the limit.
std::int64_t counted(const CountingLimiter& limiter, const State& state) {
    const auto& row = state.row;
    if (row.at("used").is_null()) return 0;
    const bool anew = row.at("state") == "orphan-counter" &&
                      row.at("remaining").get<std::int64_t>() == limiter.policy_of(state.client).limit;
    return anew ? 0 : row.at("used").get<std::int64_t>();
}

/// What ratectl says is what the limiter says.
void compare(Faults& faults, const CountingLimiter& limiter, const std::vector<State>& states) {
    const auto answered_ms = milliseconds_now();
    for (const auto& state : states) {
        const auto& [client, row, look, next] = state;
        const auto used = counted(limiter, state);
        const bool stored = !row.at("used").is_null() && agrees(look.used, row.at("used").get<std::int64_t>());
        const auto end = reset_of(row);
        const auto limited = row.at("limited").get<bool>();
        faults.expect(stored || agrees(look.used, used), "a look's count", client, row);
        // Below 0 some limiters let more than their limit through, which is not what ratectl says remains of it.
        const auto remaining = std::min(look.remaining.value_or(0), limiter.policy_of(client).limit);
        faults.expect(!look.remaining || remaining == row.at("remaining").get<std::int64_t>(),
                      "what a look says remains", client, row);
        faults.expect(agrees(look.limited, limited), "a look's verdict", client, row);
        if (!limiter.kind().moves && (look.used || look.reset))
            faults.expect(ends_there(look, end, answered_ms), "a look's end", client, row);
        faults.expect(next.limited == limited, "the next verdict", client, row);
        expect_next(faults, limiter, state, next, used, "of the next request");
        if (end && !limiter.kind().moves)
            faults.expect(ends_there(next, end, answered_ms), "the next end", client, row);
    }
}

/// What ratectl did to a window: so much was to be given back or, without an amount, it was reset.
struct Change {
    State state;
    std::optional<std::int64_t> amount;
};

/// One run an amount, of windows that stay open for a while and do end.
std::vector<Change> change(RandomSource& random, CountingLimiter& limiter, const std::vector<State>& states) {
    const auto for_a_while = milliseconds_now() / 1000 + 30;
    std::vector<Change> changes;
    for (const std::optional<std::int64_t> amount : {std::optional<std::int64_t>(1), {3}, {100}, {}}) {
        std::vector<LimitedClient> clients;
        for (const auto& state : states) {
            const bool stays = reset_of(state.row).value_or(0) > for_a_while;
            if (!stays || !random.one_in(4) || limiter.server().command({"TTL", state.client.key}) == "-1") continue;
            const auto is_it = [&](const Change& change) { return change.state.client.key == state.client.key; };
            if (std::any_of(changes.begin(), changes.end(), is_it)) continue;
            clients.push_back(state.client);
            changes.push_back({state, amount});
        }
        if (amount) {
            limiter.change({"refund", "-", "--amount", std::to_string(*amount), "--clamp"}, clients);
        } else {
            limiter.change({"reset", "-"}, clients);
        }
    }
    return changes;
}

/// What the limiter says to one more request is what it should: it goes on in the same window, or begins a new one.
void compare(Faults& faults, const CountingLimiter& limiter, const std::vector<Change>& changes) {
    std::string lines;
    for (const auto& change : changes) lines += limiter.line("hit", change.state.client);
    const auto asked_ms = milliseconds_now();
    const auto answers = limiter.ask(lines);
    const auto answered_ms = milliseconds_now();
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto& [state, amount] = changes[i];
        const auto& [client, row, look, next] = state;
        const auto when = amount ? "after a refund of " + std::to_string(*amount) : std::string("after a reset");
        const auto before = after_one(limiter, client, counted(limiter, state));
        const auto taken = std::min(amount.value_or(before), std::max<std::int64_t>(before - limiter.kind().floor, 0));
        expect_next(faults, limiter, state, answers[i], amount ? before - taken : 0, when);
        if (limiter.kind().moves) continue;
        const auto period_ms = limiter.policy_of(client).seconds * 1000;
        const auto& reset = answers[i].reset;
        const bool fresh =
            reset && reset->second >= asked_ms + period_ms - 1000 && reset->first <= answered_ms + period_ms;
        const bool same = amount || limiter.kind().numbers();  // window as before
        faults.expect(same ? ends_there(answers[i], reset_of(row), answered_ms) : fresh, "the end " + when, client,
                      row);
    }
}

/// Of the keys that it wrote identify is right wherever it is sure, and names it, or its layout, for nearly all.
void expect_identified(CountingLimiter& limiter) {
    const auto result =
        run_ratectl({"identify", "--sample", "10000", "-u", limiter.server().endpoint().url(), "-o", "json"});
    INFO(result.out << result.err);
    REQUIRE(result.code == 0);
    // The two keep the same counters; and those of the patterns are called as anything may be.
    const auto& scheme = limiter.kind().scheme;
    const auto system = scheme == "flask-limiter"                          ? "limits-fixed"
                        : scheme == "redis-docs-2" || scheme == "close-v1" ? "counter"
                                                                           : scheme;
    std::int64_t keys = 0;
    std::int64_t right = 0;
    const auto document = parse_json(result.out);
    for (const auto& row : document.at("rows")) {
        INFO(row.dump());
        if (row.at("sureness") != "unsure") CHECK(row.at("system") == system);
        keys += row.at("keys").get<std::int64_t>();
        // Without a TTL nothing tells the two windows of Upstash apart.
        const bool either = scheme == "upstash-sliding" && row.at("system") == "upstash-fixed";
        right += either || row.at("system") == system ? row.at("keys").get<std::int64_t>() : 0;
    }
    // On a busy machine the shortest of the windows have ended by now.
    const auto left = std::stoll(limiter.server().command({"EVAL", "return #redis.call('keys', '*')", "0"}));
    CHECK(keys >= std::min<std::int64_t>(kLeastStates, left));
    CHECK(right * 100 >= keys * 97);
}

/// No TTL that it gave is a fault. Some had theirs taken away, which is one.
void expect_sound(const CountingLimiter& limiter) {
    auto found = limiter.findings("expiry-absurd,expiry-past,ttl-short,ttl-long");
    // Laravel writes its two keys one after the other, and may be kept waiting in between.
    std::erase_if(found, [&](const auto& row) {
        if (limiter.kind().scheme != "laravel" || row.at("class") != "ttl-long") return false;
        const auto late = row.at("counter_expires_at_ms").template get<std::int64_t>() -
                          row.at("expiry_expires_at_ms").template get<std::int64_t>();
        return late > 0 && late < 20'000;
    });
    INFO(json(found).dump());
    CHECK(found.empty());
}

void test_limiter(const LimiterKind& kind) {
    RandomSource random;
    SHOW_SEED(random);
    // Windows that are numbered end for all clients at once, and must not do so meanwhile.
    constexpr std::int64_t hour_ms = 3'600'000;
    const auto left = hour_ms - milliseconds_now() % hour_ms;
    if (kind.numbers() && left < 60'000) wait_ms(left);
    // Nothing is to be free again meanwhile, either.
    CountingLimiter limiter(kind, random_policies(random, kind.numbers() ? 3600 : kind.moves ? 60 : 0));
    const auto clients = random_clients(random, limiter);
    load(random, limiter, clients);
    expect_identified(limiter);
    expect_sound(limiter);
    const auto states = states_of(limiter, clients);
    CHECK(states.size() >= kLeastStates);
    Faults faults;
    compare(faults, limiter, states);
    const auto changes = change(random, limiter, states);
    compare(faults, limiter, changes);
    INFO(kind.name << ", " << states.size() << " states and " << changes.size()
                   << " changes; the first fault: " << faults.first);
    CHECK(!changes.empty());
    CHECK(faults.count == 0);
}

}  // namespace

TEST_CASE("what ratectl says of windows is what rate-limiter-flexible answers next") {
    if (without_npm("rate-limiter-flexible")) return;
    test_limiter({.name = "rate-limiter-flexible",
                  .scheme = "rate-limiter-flexible",
                  .key = "rlflx:POLICY:{client}",
                  .program = "node",
                  .driver = {driver("rate_limiter_flexible.cjs")},
                  .verbs = {"back", "block"}});
}

TEST_CASE("what ratectl says of windows is what rate-limit-redis answers express next") {
    if (without_npm("rate-limit-redis") || without_npm("express-rate-limit")) return;
    test_limiter({.name = "rate-limit-redis",
                  .scheme = "express",
                  .key = "rl:POLICY:{client}",
                  .program = "node",
                  .driver = {driver("express.cjs")},
                  .verbs = {"back"}});
}

TEST_CASE("what ratectl says of windows is what fastify's rate-limit answers next") {
    if (without_npm("@fastify/rate-limit")) return;
    test_limiter({.name = "@fastify/rate-limit",
                  .scheme = "fastify",
                  .key = "fastify-rate-limit-POLICY-{client}",
                  .program = "node",
                  .driver = {driver("fastify.cjs")},
                  .floor = 1});
}

TEST_CASE("what ratectl says of windows is what Python's limits answers next") {
    if (without_python("limits", "python3-limits")) return;
    test_limiter({.name = "limits",
                  .scheme = "limits-fixed",
                  .key = "LIMITER/{client}/POLICY/LIMIT/UNITS",
                  .program = "python3",
                  .driver = {driver("limits_fixed.py")},
                  .floor = 1});
}

TEST_CASE("what ratectl says of logs is what the moving windows of Python's limits answer next") {
    if (without_python("limits", "python3-limits")) return;
    test_limiter({.name = "limits",
                  .scheme = "limits-moving",
                  .key = "LIMITER/{client}/POLICY/LIMIT/UNITS",
                  .program = "python3",
                  .driver = {driver("limits_moving.py")},
                  .counts_refused = false,
                  .moves = true});
}

TEST_CASE("what ratectl says of logs is what ratelimiter answers next") {
    if (without_npm("ratelimiter")) return;
    test_limiter({.name = "ratelimiter",
                  .scheme = "koa",
                  .key = "limit:POLICY:{client}",
                  .program = "node",
                  .driver = {driver("koa.cjs")},
                  .counts_refused = false,
                  .moves = true});
}

TEST_CASE("what ratectl says of logs is what rolling-rate-limiter answers next") {
    if (without_npm("rolling-rate-limiter")) return;
    test_limiter({.name = "rolling-rate-limiter",
                  .scheme = "rolling",
                  .key = "rolling:POLICY:{client}",
                  .program = "node",
                  .driver = {driver("rolling.cjs")},
                  .moves = true});
}

TEST_CASE("what ratectl says of numbered windows is what Upstash's ratelimit answers next") {
    if (without_npm("@upstash/ratelimit")) return;
    test_limiter({.name = "fixed windows of @upstash/ratelimit",
                  .scheme = "upstash-fixed",
                  .key = "@upstash/ratelimit:POLICY:{client}:{bucket}",
                  .program = "node",
                  .driver = {driver("upstash_fixed.cjs")},
                  .floor = 1});
}

TEST_CASE("what ratectl says of sliding windows is what Upstash's ratelimit answers next") {
    if (without_npm("@upstash/ratelimit")) return;
    test_limiter({.name = "sliding windows of @upstash/ratelimit",
                  .scheme = "upstash-sliding",
                  .key = "@upstash/ratelimit:POLICY:{client}:{bucket}",
                  .program = "node",
                  .driver = {driver("upstash_sliding.cjs")},
                  .counts_refused = false,
                  .moves = true});
}

TEST_CASE("what ratectl says of buckets is what Upstash's ratelimit answers next") {
    if (without_npm("@upstash/ratelimit")) return;
    test_limiter({.name = "token buckets of @upstash/ratelimit",
                  .scheme = "upstash-token",
                  .key = "@upstash/ratelimit:POLICY:{client}",
                  .program = "node",
                  .driver = {driver("upstash_token.cjs")},
                  .counts_refused = false,
                  .moves = true,
                  .has_burst = true});
}

TEST_CASE("what ratectl says of windows is what Flask-Limiter answers next") {
    if (without_python("flask_limiter", "python3-flask-limiter")) return;
    test_limiter({.name = "Flask-Limiter",
                  .scheme = "flask-limiter",
                  .key = "LIMITER/{client}/POLICY/LIMIT/UNITS",
                  .program = "python3",
                  .driver = {driver("flask_app.py")},
                  .floor = 1});
}

TEST_CASE("what ratectl says of windows is what Laravel answers next") {
    if (without_laravel()) return;
    test_limiter(laravel());
}

TEST_CASE("what ratectl says of windows is what the patterns of Redis and of Close answer next") {
    if (!redis_rb_preset()) return;
    LimiterKind kind{.name = "Redis' documentation",
                     .scheme = "redis-docs-2",
                     .key = "POLICY:{client}",
                     .program = "ruby",
                     .driver = {driver("docs_pattern.rb"), "docs"},
                     .floor = 1,
                     .lets_more = 1,
                     .counts_refused = false};
    test_limiter(kind);
    kind.name = "Close";
    kind.scheme = "close-v1";
    kind.driver.back() = "close";
    kind.lets_more = 0;
    kind.counts_refused = true;
    test_limiter(kind);
}

TEST_CASE("what ratectl says of numbered windows is what rack-attack answers next") {
    const bool absent = is_absent("rack-attack", "ruby-rack-attack ruby-redis", "ruby",
                                  {"-e", "require 'redis'; require 'rack/attack'"});
    if (absent) return;
    test_limiter({.name = "rack-attack",
                  .scheme = "rack-attack",
                  .key = "rack::attack:{bucket}:POLICY:{client}",
                  .program = "ruby",
                  .driver = {driver("rack_attack.rb")}});
}

// At 0 its next request gives the counter a whole period from then on: it outlived the window, and what it held was
// counted in the next one, too.
TEST_CASE("what is given back of a window of Laravel's does not count in the next one") {
    if (without_laravel()) return;
    CountingLimiter limiter(laravel(), {{"p0", 5, 4, "4/second"}});
    const auto client = limiter.client("alice", 0);
    const auto first = limiter.ask(limiter.line("hit", client, 3)).at(0);
    REQUIRE(first.reset.has_value());
    limiter.change({"refund", "-", "--amount", "3", "--clamp"}, {client});
    wait_ms(first.reset->first - 1500 - milliseconds_now());
    CHECK(limiter.ask(limiter.line("hit", client, 2)).at(0).remaining == 2);
    wait_ms(first.reset->second + 200 - milliseconds_now());
    CHECK(limiter.ask(limiter.line("hit", client)).at(0).used == 1);
}
