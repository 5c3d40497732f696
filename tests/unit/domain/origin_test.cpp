// Which limiter wrote a key: keys that limiters stored, and keys that are called or filled like theirs and are not.
#include "domain/identify/origin.h"

#include <chrono>
#include <fstream>
#include <map>
#include <sstream>

#include "support/catch.h"
#include "support/places.h"

using namespace ratectl::domain;
using Type = HeldKey::Type;

namespace {

std::string unescaped(const std::string& text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            bytes += text[i];
        } else if (text[i + 1] == '\\') {
            bytes += text[++i];
        } else {
            bytes += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
            i += 3;
        }
    }
    return bytes;
}

struct Fact {
    std::string writers;  // `a|b`
    Holding holding;

    bool names(std::string_view system) const {
        return ("|" + writers + "|").find("|" + std::string(system) + "|") != std::string::npos;
    }
};

/// The keys of one scene see those of their neighbours that they ask for.
void add_beside(std::vector<Fact>& scene, std::vector<Fact>& into) {
    for (auto& fact : scene) {
        for (const auto& name : keys_beside(fact.holding.key.name, fact.holding.key.type)) {
            for (const auto& other : scene) {
                if (other.holding.key.name == name) fact.holding.beside.push_back(other.holding.key);
            }
        }
    }
    into.insert(into.end(), scene.begin(), scene.end());
    scene.clear();
}

std::vector<Fact> facts_of(const std::string& file) {
    std::ifstream in(ratectl::test::source_dir() + "/tests/data/identify/" + file);
    std::vector<Fact> facts;
    std::vector<Fact> scene;
    std::string scene_name;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("#")) continue;
        std::vector<std::string> cells;
        std::istringstream columns(line);
        for (std::string cell; std::getline(columns, cell, '\t');) cells.push_back(cell);
        cells.resize(std::max<std::size_t>(cells.size(), 8));
        if ((cells.size() - 8) % 2 == 1) cells.emplace_back();
        if (cells[0] != scene_name) add_beside(scene, facts);
        scene_name = cells[0];
        Fact fact{cells[1], {}};
        fact.holding.now_ms = std::stoll(cells[2]);
        auto& key = fact.holding.key;
        key.name = unescaped(cells[3]);
        key.type = held_type_from(cells[4]);
        if (cells[5] != "-1") key.ttl_ms = std::stoll(cells[5]) - fact.holding.now_ms;
        key.value = unescaped(cells[6]);
        key.length = std::stoll(cells[7]);
        for (std::size_t i = 8; i + 1 < cells.size(); i += 2)
            key.elements.emplace_back(unescaped(cells[i]), unescaped(cells[i + 1]));
        scene.push_back(std::move(fact));
    }
    add_beside(scene, facts);
    return facts;
}

std::vector<Fact> all_facts() {
    auto facts = facts_of("measured.tsv");
    const auto derived = facts_of("derived.tsv");
    facts.insert(facts.end(), derived.begin(), derived.end());
    return facts;
}

constexpr std::int64_t kNow = 1'795'247'000;

HeldKey text(const std::string& name, const std::string& value, std::optional<std::int64_t> ttl_s = {}) {
    HeldKey key;
    key.name = name;
    key.type = Type::string;
    key.value = value;
    if (ttl_s) key.ttl_ms = *ttl_s * 1000;
    return key;
}

HeldKey hash(const std::string& name, std::vector<std::pair<std::string, std::string>> fields) {
    HeldKey key;
    key.name = name;
    key.type = Type::hash;
    key.length = static_cast<std::int64_t>(fields.size());
    key.elements = std::move(fields);
    key.ttl_ms = 20'000;
    return key;
}

Origin origin(HeldKey key, std::vector<HeldKey> beside = {}) {
    return origin_of({std::move(key), std::move(beside), kNow * 1000 + 123});
}

bool is_sure(const Origin& found) { return found.sureness && *found.sureness != Sureness::unsure; }

}  // namespace

TEST_CASE("keys that limiters stored are known by who wrote them and none is taken for another's") {
    const auto facts = all_facts();
    REQUIRE(facts.size() > 250);
    std::size_t right = 0;
    for (const auto& fact : facts) {
        const auto found = origin_of(fact.holding);
        INFO(fact.writers << ": " << fact.holding.key.name << " is " << found.system << ", " << found.means);
        if (is_sure(found)) CHECK(fact.names(found.system));
        if (fact.names(found.system)) ++right;
        CHECK_FALSE(found.means.empty());
    }
    INFO(right << " of " << facts.size());
    CHECK(right * 100 >= facts.size() * 97);
}

TEST_CASE("most keys of limiters are known for sure") {
    std::map<std::string, std::pair<int, int>> sure;
    for (const auto& fact : all_facts()) {
        auto& [certain, all] = sure[fact.writers];
        certain += is_sure(origin_of(fact.holding)) ? 1 : 0;
        ++all;
    }
    // What only the length of a life tells from other things is not.
    for (const auto* unsure : {"redis-cell", "redis-gcra", "envoy", "laravel-funnel"}) {
        CHECK(sure.at(unsure).first == 0);
        sure.erase(unsure);
    }
    for (const auto& [writers, counts] : sure) {
        if (writers.find('|') != std::string::npos || writers == "express" || writers == "github") continue;
        INFO(writers);
        CHECK(counts.first == counts.second);
    }
}

TEST_CASE("names that look like a limiter's do not make a key one of its") {
    const std::string end = std::to_string(kNow + 60);
    const std::vector<Origin> found{
        // clients that are called like the second key of another layout
        origin(text("core:x:exp", "5", 60)),
        origin(text("core:x", "3", 60), {text("core:x:exp", "5", 60)}),
        origin(text("x:timer", "5", 60), {text("x", "4", 60)}),
        // an end that nothing lives until
        origin(text("job:exp", end)),
        origin(text("job", "7", 5000), {text("job:exp", end, 9000)}),
        origin(text("session", "opaque"), {text("session:exp", end, 600)}),
        // plain integers under prefixes of others
        origin(text("rate:foo", "17", 60)),
        origin(text("rate:foo", "312018159", 3600)),
        origin(text("rl:core:alice", "5", 60)),
        origin(text("rate_limit:15:login:4155550123", "5", 60)),
        origin(text("throttled:x", "12", 60)),
        // telephone numbers
        origin(text("sms:4155550123", "1", 300)),
        origin(text("sms_login_4155550123", "1", 300)),
        origin(text("sms_login_code_1795246800", "1", 300)),
        origin(text("10.0.0.1:4155550123", "1", 10)),
        origin(text("hits:" + std::to_string(kNow - 3), "12", 7)),
        origin(text("app_database_session1", "DbEm0JPaiLqXx0ZMDJRa", 600)),
        // what other programs keep in a key of that name
        origin(text("game:7:timer", end, 60)),
        origin(text("token:42", "7"), {text("token:42:exp", end)}),
        origin(hash("engine:knobs", {{"window", "3"}})),
        origin(hash("pool:7", {{"tokens", "4"}, {"refilledAt", std::to_string(kNow) + "000"}})),
        origin(text("lease\nof alice", std::to_string(kNow + 60) + "000000000", 60)),
        // moments of other things
        origin(text("token:until", std::to_string(kNow + 3600) + ".25", 3600)),
        origin(text("lease", std::to_string(kNow + 60) + "000000000", 60)),
        origin(text("seen:alice", std::to_string(kNow), 60)),
        origin(hash("job:7", {{"start", end}, {"end", std::to_string(kNow + 600)}, {"count", "2"}})),
        origin(hash("bucket:7", {{"tokens", "4"}, {"refreshed", std::to_string(kNow)}})),
        origin(text("user:12", "12345678901234567890")),
        origin(text("page:views", "99")),
        origin(text(std::string("\0\xff\n", 3), "5", 10)),
        origin(text("a\nb", "5", 10)),
        origin(text("application:7:17", "{}", 10)),
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO(i << ": " << found[i].system << ", " << found[i].means);
        CHECK_FALSE(is_sure(found[i]));
        CHECK_FALSE(found[i].policy);
    }
}

TEST_CASE("clients that are called like a limiter's second key are found under their own") {
    const auto window = [](const std::string& base) {
        const auto end = std::to_string(kNow + 60);
        auto counter = text(base, "5");
        auto until = text(base + ":exp", end);
        counter.ttl_ms = until.ttl_ms = 61'000 - 123;
        return std::pair{counter, until};
    };
    const auto [counter, until] = window("core:x:exp");
    for (const auto& found : {origin(counter, {until}), origin(until, {counter})}) {
        CHECK(found.system == "github");
        CHECK(*found.sureness == Sureness::certain);
        CHECK(found.used == 5);
        CHECK(found.reset_at == ratectl::support::from_epoch(kNow + 60));
        CHECK(found.policy->key == "core:x:{client}");
        CHECK(found.policy->guessed);
    }
    const auto throttle = origin(hash("throttle:x:knobs", {{"tokens", "4"}, {"refreshed", std::to_string(kNow - 2)}}));
    CHECK(throttle.system == "limitlion");
    CHECK(throttle.means.find("4 tokens were left") == 0);
}

TEST_CASE("a key tells limit and period where its limiter writes them there") {
    const auto found = origin(text("LIMITS:LIMITER/user:42/100/2/hour", "7", 7000));
    CHECK(found.system == "limits-fixed");
    CHECK(found.policy->key == "LIMITS:LIMITER/{client}/100/2/hour");
    CHECK(found.policy->limit == 100);
    CHECK(found.policy->period == std::chrono::hours(2));
    for (const char* name : {"LIMITS:{LIMITER/user:42/100/2/hour}", "LIMITS:{LIMITER/user:42/100/2/hour}/-1"}) {
        const auto sliding = origin(text(name, "7", 7000));
        CHECK(sliding.system == "limits-sliding");
        CHECK(sliding.policy->key == "LIMITS:{{LIMITER/{client}/100/2/hour}}");
        CHECK(sliding.policy->limit == 100);
    }
    CHECK(origin(text("rlflx:alice", "7", 60)).policy->key == "rlflx:{client}");
    CHECK(origin(text("rl:2001:db8::/56", "7", 60)).policy->key == "rl:{client}");
    CHECK_FALSE(origin(text("rl:2001:db8::/56", "7")).policy);
}

TEST_CASE("a key with the number of its window tells the period and where the number stands") {
    const auto hint = [](const std::string& name, std::int64_t ttl_s) {
        const auto found = origin(text(name, "5", ttl_s));
        INFO(name << ": " << found.system << ", " << found.means);
        REQUIRE(found.policy);
        return std::pair{found.policy->key, found.policy->period->count()};
    };
    const auto end = kNow / 60 * 60 + 60;
    const auto bucket = std::to_string(kNow / 60);
    using Hint = std::pair<std::string, std::int64_t>;
    CHECK(hint("rack::attack:" + bucket + ":req/ip:2001:db8::7", end + 1 - kNow) ==
          Hint{"rack::attack:{bucket}:req/ip:{client}", 60});
    CHECK(hint("application_rate_limiter:search:user:7:" + bucket, end + 1 - kNow) ==
          Hint{"application_rate_limiter:search:{client}:{bucket}", 60});
    CHECK(hint("rate_limit:7:api:" + bucket, end + 1 - kNow) == Hint{"rate_limit:{client}:api:{bucket}", 60});
    CHECK(hint("@upstash/ratelimit:u7:" + bucket, end - 10 + 60 - kNow) ==
          Hint{"@upstash/ratelimit:{client}:{bucket}", 60});
    CHECK(hint("@upstash/ratelimit:u7:" + std::to_string(kNow / 3600), kNow / 3600 * 3600 + 3 * 3600 - 500 - kNow) ==
          Hint{"@upstash/ratelimit:{client}:{bucket}", 3600});
    CHECK(hint("10.0.0.7:" + std::to_string(kNow), 10) == Hint{"{client}:{bucket}", 1});
    const std::string ids = "c0a1e1f2-3344-4566-8899-aabbccddeeff:00000000-0000-0000-0000-000000000000";
    CHECK(hint("ratelimit:" + ids + ":10.0.0.7:" + std::to_string(end - 60) + "000:minute", 30) ==
          Hint{"ratelimit:" + ids + ":{client}:{bucket}:minute", 60});
    // An expiry on the very second, read a millisecond too early.
    Holding early{text("rack::attack:" + bucket + ":req/ip:a", "5", end + 1 - kNow), {}, kNow * 1000 - 1};
    CHECK(*origin_of(early).sureness == Sureness::certain);
    // A month is one of the calendar: that of November 2026.
    const auto month = origin(text("ratelimit:" + ids + ":10.0.0.7:1793491200000:month", "5", 30));
    CHECK(month.reset_at == ratectl::support::from_epoch(1'796'083'199));
}

TEST_CASE("what is missing and what no rule knows is told apart") {
    CHECK(origin({}).system == kNoSystem);
    CHECK_FALSE(origin({}).sureness);
    CHECK(origin(text("a", "text")).system == kUnknownSystem);
    HeldKey hidden;
    hidden.name = "secret";
    hidden.hidden = true;
    CHECK(origin(hidden).system == kUnknownSystem);
    CHECK(origin(hidden).means.find("account") != std::string::npos);
}

TEST_CASE("the rules are total over any value and any name") {
    const auto facts = all_facts();
    std::size_t asked = 0;
    for (const auto& fact : facts) {
        for (const auto& other : facts) {
            auto holding = fact.holding;
            holding.key.value = other.holding.key.value;
            holding.key.elements = other.holding.key.elements;
            holding.key.ttl_ms = other.holding.key.ttl_ms;
            holding.key.type = other.holding.key.type;
            asked += origin_of(holding).means.empty() ? 0 : 1;
        }
    }
    CHECK(asked == facts.size() * facts.size());
}
