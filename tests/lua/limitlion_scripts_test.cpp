// The scripts of LimitLion's throttles against the limiter's own arithmetic, on random states and a real server.
#include <fmt/format.h>

#include "domain/knobs.h"
#include "domain/window.h"
#include "lua/window_fixture.h"
#include "schemes/packed.h"

namespace ratectl::test {
namespace {

constexpr const char* kName = "throttle:a";
constexpr const char* kKnobs = "throttle:a:knobs";

/// What a call of the limiter finds at a moment, by its own algorithm; it writes nothing here. ARGV: now, and the
/// caller's rps, burst and window. Reply: capacity, tokens, refreshed and how long the bucket would live.
constexpr const char* kLimitlion = R"(
local knobs = redis.call('HMGET', KEYS[1] .. ':knobs', 'rps', 'burst', 'window')
local rps, burst, window = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if knobs[1] then rps, burst, window = tonumber(knobs[1]), tonumber(knobs[2]), tonumber(knobs[3]) end
local now = tonumber(ARGV[1])
local life = math.floor(burst * window * 2)
if rps == 0 or rps == -1 then return { 'none', tostring(rps), '0', tostring(life) } end
local capacity = math.ceil(rps * burst * window)
local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens')) or capacity
local refreshed = tonumber(redis.call('HGET', KEYS[1], 'refreshed')) or 0
local windows = math.floor(math.max(0, now - refreshed) / window)
local more = math.ceil(windows * rps * window)
if more > 0 then refreshed = refreshed == 0 and now or refreshed + windows * window end
return { tostring(capacity), string.format('%.17g', math.min(capacity, tokens + more)),
    string.format('%.17g', refreshed), tostring(life) }
)";

struct Answered {
    bool counts = false;
    double capacity = 0, tokens = 0;
    std::string refreshed;
    std::int64_t life = 0;
};

struct Tuned {
    const char *rps, *burst, *window;  // null: the field is not there
};

/// 8 tokens in 5 seconds, and 20 at once, where no knobs are.
class ThrottleBox {
public:
    explicit ThrottleBox(std::uint32_t seed) : window_(seed) {}

    static const schemes::Scheme& scheme() {
        std::vector<domain::Policy> policies(1);
        policies[0].name = "throttle";
        policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("throttle:{client}"));
        policies[0].limit = 8;
        policies[0].period = support::Seconds{5};
        policies[0].burst = 20;
        return schemes::scheme_of(schemes::scheme_of({"limitlion", ""}, policies).of(kName));
    }
    WindowFixture& window() { return window_; }
    RedisServer& server() { return window_.server(); }

    /// As the limiter would answer then.
    Answered ask(std::int64_t now) {
        const auto told = server().reply({"EVAL", kLimitlion, "1", kName, std::to_string(now), "1.6", "2.5", "5"});
        if (told.items.size() != 4) return {};  // a call of it fails
        Answered answered;
        answered.life = *support::parse_decimal(told.items[3].text);
        answered.counts = told.items[0].text != "none";
        if (!answered.counts) return answered;
        answered.capacity = std::stod(told.items[0].text);
        answered.tokens = std::stod(told.items[1].text);
        answered.refreshed = told.items[2].text;
        return answered;
    }

    void tune(const Tuned& knobs) {
        const auto set = [this](const char* field, const char* value) {
            if (value != nullptr) server().command({"HSET", kKnobs, field, value});
        };
        set("rps", knobs.rps);
        set("burst", knobs.burst);
        set("window", knobs.window);
    }
    std::string bucket() {
        return server().command(
            {"EVAL", "return cjson.encode(redis.call('HMGET', KEYS[1], 'tokens', 'refreshed'))", "1", kName});
    }
    std::string knobs() { return server().command({"EVAL", "return redis.call('DUMP', KEYS[1]) or '-'", "1", kKnobs}); }

    template <class Item>
    schemes::WriteAnswer write(redis::ScriptCall (schemes::Scheme::*make)(std::span<const Item* const>,
                                                                          const schemes::CallHead&) const,
                               const Item& item, std::int64_t& server_ms) {
        const std::vector<const Item*> items{&item};
        const auto answers = window_.answers((scheme().*make)(items, {}));
        REQUIRE(answers);
        server_ms = answers->server_time_ms;
        const auto& answer = answers->windows.at(0);
        window_.words.insert(answer.status == domain::WriteStatus::applied ? "" : answer.reason);
        return answer;
    }

    /// What the look at it means, as C++ has it.
    domain::Window judged(std::int64_t server_ms) {
        const std::vector<std::string> keys{kName};
        const auto replies = std::vector{to_reply(server().reply(words_of(scheme().script_look_calls(keys).at(0))))};
        auto look = scheme().decode_script_looks(keys, replies).at(0).value();
        look.server_ms = server_ms;
        return scheme().judge(look, support::from_epoch(server_ms / 1000), 8);
    }

private:
    WindowFixture window_;
};

constexpr Tuned kTunings[] = {{"9", "1", "5"},     {"3.5", "2", "5"},     {".5", "1", "5"},       {"1e-04", "3", "5"},
                              {"0.3", "4", "10"},  {"2", "2", "2.5"},     {"0", "1", "5"},        {"-1", "1", "5"},
                              {"-2", "1", "5"},    {"2", "0", "5"},       {"2", "1", "0"},        {"0.1", "1", "0.4"},
                              {"7", nullptr, "5"}, {"7", "twice", "5"},   {nullptr, "3", "3"},    {"1e20", "1", "5"},
                              {"+3", "1.", " 5"},  {"0x10", "1", "5\n"},  {"-1.0", "inf", "nan"}, {"0", "nan", "1e10"},
                              {"0", "1", "inf"},   {"inf", "1", "5"},     {"nan", "1", "5"},      {"2", "inf", "5"},
                              {"2", "-0", "5"},    {"1e-9", "1e16", "5"}, {"5", "", "5"}};
constexpr int kUsual = 6;  // of them, the first ones

void randomize(ThrottleBox& box) {
    auto& window = box.window();
    auto& server = box.server();
    server.command({"DEL", kName, kKnobs});
    if (window.one_in(30)) {
        server.command({"SET", window.one_in(2) ? kName : kKnobs, "x"});
        return;
    }
    const int tunings = window.one_in(3) ? static_cast<int>(std::size(kTunings)) : kUsual;
    if (!window.one_in(4)) box.tune(kTunings[window.between(0, tunings - 1)]);
    if (window.one_in(6)) return;
    auto tokens = std::to_string(window.between(-5, 24));
    if (window.one_in(5)) tokens += ".5";
    if (window.one_in(30)) tokens = "many";
    server.command({"HSET", kName, "tokens", tokens});
    const auto at = window.server_seconds() - window.between(-2, 12);
    if (!window.one_in(12)) server.command({"HSET", kName, "refreshed", std::to_string(at)});
    server.command({"EXPIRE", kName, "1000"});
}

std::string number_text(double number) { return fmt::format("{:.17g}", number); }

std::string bucket_of(double tokens, const std::string& refreshed) {
    return "[\"" + number_text(tokens) + "\",\"" + refreshed + "\"]";
}

}  // namespace

TEST_CASE("Knobs are the numbers that Lua takes them for") {
    ThrottleBox box(11);
    for (const std::string text : {"9",
                                   "+3",
                                   "5.",
                                   ".5",
                                   ".",
                                   " 7",
                                   "7 ",
                                   "\t7\n",
                                   "\v7\f",
                                   "0x10",
                                   "0X1.8p1",
                                   "0x",
                                   "0x1g",
                                   "inf",
                                   "-inf",
                                   "infinity",
                                   "nan",
                                   "NaN(1)",
                                   "1e3",
                                   "1e",
                                   "1e-400",
                                   "1e999",
                                   "",
                                   " ",
                                   "-",
                                   "-0",
                                   "- 1",
                                   "01",
                                   "1_0",
                                   "3f",
                                   "5,0",
                                   "0b1",
                                   "9007199254740993",
                                   "0x7fffffffffffffffff"}) {
        INFO(text);
        const auto told = box.server().command(
            {"EVAL", "local n = tonumber(ARGV[1]) return n and string.format('%.17g', n) or 'none'", "0", text});
        const auto number = domain::limiter_number(text);
        CHECK((number ? fmt::format("{:.17g}", *number) : "none") == told);
    }
    CHECK(domain::limiter_number(std::string("7\0x", 3)) == 7.0);
}

TEST_CASE("After every count and refund a throttle's next answer is what was said") {
    ThrottleBox box(7);
    auto& window = box.window();
    for (int i = 0; i < random_states(2500); ++i) {
        randomize(box);
        const auto knobs = box.knobs();
        const auto before = box.bucket();
        const bool counts_in = window.one_in(2);
        const auto amount = window.between(0, 9);
        std::int64_t server_ms = 0;
        INFO(i << (counts_in ? ": count " : ": refund ") << amount << ' ' << before << ' '
               << box.server().command({"EVAL", "return cjson.encode(redis.pcall('HGETALL', KEYS[1]))", "1", kKnobs}));
        domain::RefundItem refund{{kName, 0}, amount};
        refund.clamp = window.one_in(2);
        const domain::CountItem count{{kName, 0}, amount};
        const auto asked_before = box.ask(window.server_seconds());
        const auto answer = counts_in ? box.write(&schemes::Scheme::count_call, count, server_ms)
                                      : box.write(&schemes::Scheme::refund_call, refund, server_ms);
        CHECK(box.knobs() == knobs);
        const auto now = server_ms / 1000;
        if (answer.status != domain::WriteStatus::applied) {
            CHECK((box.bucket() == before || answer.reason == "wrong-type"));
            if (answer.reason == "not-counted") CHECK((!asked_before.counts || asked_before.tokens <= 0));
            if (answer.reason == "below-zero")
                CHECK(asked_before.capacity - asked_before.tokens < static_cast<double>(amount));
            continue;
        }
        const auto after = box.ask(now);
        REQUIRE(after.counts);
        const auto used = static_cast<std::int64_t>(after.capacity - std::floor(after.tokens));
        if (box.server().command({"EXISTS", kName}) == "0") {
            CHECK_FALSE(counts_in);
            continue;
        }
        CHECK(answer.after.used == std::to_string(used));
        if (counts_in) {
            CHECK(box.server().command({"TTL", kName}) == std::to_string(after.life));
        } else {
            CHECK(std::stol(box.server().command({"TTL", kName})) >= 990);
        }
        // Until the end something is used, and then nothing.
        const auto end = *support::parse_decimal(answer.after.reset_at.value());
        CHECK(box.ask(end).tokens >= after.capacity);
        if (end > now + 1) CHECK(box.ask(end - 1).tokens < after.capacity);
        const auto judged = box.judged(server_ms);
        CHECK(judged.used == used);
        CHECK(judged.limit == static_cast<std::int64_t>(after.capacity));
        CHECK(judged.reset_at == support::from_epoch(end));
        CHECK(judged.exhausted == (after.tokens < 1));
        if (!judged.passes_at) continue;
        const auto passes = support::epoch_seconds(*judged.passes_at);
        CHECK(box.ask(passes).tokens >= 1);
        CHECK(box.ask(passes - 1).tokens < 1);
    }
    for (const char* word : {"", "wrong-type", "not-an-integer", "not-counted", "no-window", "closed", "below-zero",
                             "nothing-to-count", "nothing-to-take"}) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

TEST_CASE("A throttle that is counted into or refunded holds what its limiter would have left") {
    ThrottleBox box(8);
    auto& window = box.window();
    for (int i = 0; i < random_states(400); ++i) {
        randomize(box);
        std::int64_t server_ms = 0;
        const auto amount = window.between(1, 9);
        const auto stored = box.bucket();
        INFO(i << ' ' << amount << ' ' << stored);
        // What the limiter finds is read as of the same second.
        const auto now = window.server_seconds();
        const auto found = box.ask(now);
        const auto answer = box.write(&schemes::Scheme::count_call, domain::CountItem{{kName, 0}, amount}, server_ms);
        if (answer.status != domain::WriteStatus::applied || server_ms / 1000 != now) continue;
        CHECK(box.bucket() == bucket_of(found.tokens - static_cast<double>(amount), found.refreshed));
        const auto taken = box.bucket();
        const auto back = box.write(&schemes::Scheme::refund_call, domain::RefundItem{{kName, 0}, amount}, server_ms);
        if (back.status != domain::WriteStatus::applied || server_ms / 1000 != now) continue;
        const bool gone = box.server().command({"EXISTS", kName}) == "0";
        CHECK(gone == (found.tokens >= found.capacity));
        if (!gone) CHECK(box.bucket() == bucket_of(found.tokens, found.refreshed));
    }
}

TEST_CASE("A throttle that was removed comes back as it was and its knobs stay") {
    ThrottleBox box(9);
    auto& server = box.server();
    const auto now = box.window().server_seconds();
    server.command({"HSET", kName, "tokens", "3", "refreshed", std::to_string(now)});
    server.command({"PEXPIRE", kName, "40123"});
    box.tune({"9", "1", "5"});
    const auto all = box.window().snapshot();
    const auto expires = support::parse_decimal(server.command({"PEXPIRETIME", kName}));
    std::int64_t server_ms = 0;
    const domain::ResetItem reset{{kName, 0}, std::nullopt, std::nullopt};
    const auto removed = box.write(&schemes::Scheme::reset_call, reset, server_ms);
    CHECK(removed.status == domain::WriteStatus::applied);
    CHECK(removed.before.used == "42");
    CHECK(server.command({"EXISTS", kName}) == "0");
    CHECK(server.command({"EXISTS", kKnobs}) == "1");
    CHECK(box.write(&schemes::Scheme::reset_call, reset, server_ms).reason == "absent");
    CHECK(box.write(&schemes::Scheme::refund_call, domain::RefundItem{{kName, 0}, 1}, server_ms).reason == "no-window");
    domain::RestoreItem back{{kName, 0}, removed.before, false};
    back.window.expires = {expires, expires};
    CHECK(box.write(&schemes::Scheme::restore_call, back, server_ms).status == domain::WriteStatus::applied);
    CHECK(box.window().snapshot() == all);
    CHECK(box.write(&schemes::Scheme::restore_call, back, server_ms).reason == "window-there");

    // What was used since comes on top, where the same knobs count.
    server.command({"DEL", kName});
    server.command({"HSET", kKnobs, "burst", "2"});
    server.command({"HSET", kName, "tokens", "35", "refreshed", std::to_string(now)});
    back.merge = true;
    CHECK(box.write(&schemes::Scheme::restore_call, back, server_ms).reason == "window-there");
    CHECK(server.command({"HGET", kName, "tokens"}) == "35");
    server.command({"HSET", kKnobs, "burst", "1"});
    const auto merged = box.write(&schemes::Scheme::restore_call, back, server_ms);
    CHECK(merged.status == domain::WriteStatus::applied);
    CHECK(merged.after.used == std::to_string(static_cast<int>(45 - box.ask(server_ms / 1000).tokens)));
    if (server_ms / 1000 < now + 5) CHECK(merged.after.used == "52");
    CHECK(server.command({"HGET", kKnobs, "burst"}) == "1");
}

}  // namespace ratectl::test
