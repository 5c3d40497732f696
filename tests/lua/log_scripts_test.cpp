// The scripts of logs and of lists of calls against what the libraries themselves do, on random states and a real
// server.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

constexpr std::int64_t kLimit = 7;
constexpr std::int64_t kPeriod = 60;

enum class LogKind { limits, discourse, koa, rolling };
constexpr LogKind kLogKinds[] = {LogKind::limits, LogKind::discourse, LogKind::koa, LogKind::rolling};

/// What the library does with a request at `now`, in its own unit: 1 it passes, 0 it does not. ARGV: now, limit, period
/// in that unit, in seconds, member.
const char* library_of(LogKind kind) {
    switch (kind) {
        case LogKind::limits:
            return "local now, limit, period = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]) "
                   "local entry = redis.call('LINDEX', KEYS[1], limit - 1) "
                   "if entry and tonumber(entry) >= now - period then return 0 end "
                   "redis.call('LPUSH', KEYS[1], now) redis.call('LTRIM', KEYS[1], 0, limit - 1) "
                   "redis.call('EXPIRE', KEYS[1], period) return 1";
        case LogKind::discourse:
            return "local now, max, secs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]) "
                   "if redis.call('LLEN', KEYS[1]) >= max and "
                   "now - tonumber(redis.call('LRANGE', KEYS[1], -1, -1)[1]) <= secs then return 0 end "
                   "redis.call('LPUSH', KEYS[1], now) redis.call('LTRIM', KEYS[1], 0, max - 1) "
                   "redis.call('EXPIRE', KEYS[1], secs * 2) return 1";
        case LogKind::koa:
            return "redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[3]) "
                   "local count = redis.call('ZCARD', KEYS[1]) redis.call('ZADD', KEYS[1], ARGV[1], ARGV[5]) "
                   "redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -(ARGV[2] + 1)) "
                   "redis.call('PEXPIRE', KEYS[1], ARGV[4] * 1000) return count < tonumber(ARGV[2]) and 1 or 0";
        case LogKind::rolling:
            return "redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[3]) "
                   "redis.call('ZADD', KEYS[1], ARGV[1], ARGV[5]) redis.call('EXPIRE', KEYS[1], ARGV[4]) "
                   "return redis.call('ZCARD', KEYS[1]) > tonumber(ARGV[2]) and 0 or 1";
    }
    return "";
}

const char* scheme_name(LogKind kind) {
    constexpr const char* names[] = {"limits-moving", "discourse", "koa", "rolling"};
    return names[static_cast<int>(kind)];
}

const schemes::Scheme& log_scheme(const char* name) {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("k"));
    policies[0].limit = kLimit;
    policies[0].period = support::Seconds{kPeriod};
    return schemes::scheme_of(schemes::scheme_of({name, ""}, policies).of("k"));
}

class LogBox {
public:
    LogBox(LogKind kind, std::uint32_t seed) : kind_(kind), window_(seed), scheme_(log_scheme(scheme_name(kind))) {}

    WindowFixture& window() { return window_; }
    const schemes::Scheme& scheme() const { return scheme_; }
    bool in_list() const { return kind_ == LogKind::limits || kind_ == LogKind::discourse; }
    double unit() const { return in_list() ? 1 : 1e6; }
    /// The application's clock, which stands still.
    support::Moment now() const { return support::WallTime{support::Milliseconds{now_ms_}}; }
    std::int64_t second() const { return now_ms_ / 1000; }
    const std::string& odd() const { return odd_; }
    bool is_in_order() const { return in_order_; }

    /// A random state at the moment that now() is from then on. The server's clock may be another one.
    void randomize() {
        auto& server = window_.server();
        server.command({"DEL", "k"});
        now_ms_ = window_.server_ms() + (window_.one_in(2) ? 0 : window_.between(-3'600'000, 3'600'000));
        odd_.clear();
        in_order_ = true;
        if (window_.one_in(6)) return;
        if (window_.one_in(12)) {
            server.command({"SET", "k", "x"});
            odd_ = "wrong-type";
            return;
        }
        std::vector<std::int64_t> ages;
        for (auto left = window_.between(1, kLimit + 4); left > 0; --left) {
            ages.push_back(window_.one_in(4) ? kPeriod : window_.between(window_.one_in(3) ? -2 : 40, 75));
        }
        std::ranges::sort(ages);
        if (in_list() && window_.one_in(5)) std::ranges::shuffle(ages, shuffler_);
        in_order_ = std::ranges::is_sorted(ages);
        for (const auto age : ages) put(age);
        if (in_list() && !ages.empty() && window_.one_in(10)) {
            server.command({"LSET", "k", "-1", "soon"});
            odd_ = "not-an-integer";
        }
        if (!window_.one_in(6)) server.command({"PEXPIRE", "k", "90000"});
    }

    /// What the library says of a request now.
    bool library_passes(const std::string& key) {
        const auto at = kind_ == LogKind::discourse ? fmt::format("{}", second())
                        : in_list()                 ? fmt::format("{}.{:03}", second(), now_ms_ % 1000)
                                                    : fmt::format("{}", now_ms_ * 1000);
        const auto period = std::to_string(kPeriod * static_cast<std::int64_t>(unit()));
        return window_.server().command({"EVAL", library_of(kind_), "1", key, at, std::to_string(kLimit), period,
                                         std::to_string(kPeriod), "m" + std::to_string(++member_)}) == "1";
    }
    std::int64_t library_passes_of_copy() {
        window_.server().command({"DEL", "copy"});
        window_.server().command({"COPY", "k", "copy"});
        std::int64_t passes = 0;
        while (passes < kLimit + 2 && library_passes("copy")) ++passes;
        return passes;
    }

    domain::WindowLook look() {
        const std::vector<std::string> keys{"k"};
        std::vector<redis::Reply> replies;
        for (const auto& call : scheme_.script_look_calls(keys)) replies.push_back(window_.call(call));
        std::vector<schemes::Scheme::Look> looks(1, tl::make_unexpected(support::Error{}));
        scheme_.decode_script_looks(keys, replies, looks);
        REQUIRE(looks.front().has_value());
        return *looks.front();
    }
    domain::Window judged() { return scheme_.judge(look(), now(), kLimit); }

    /// The stored elements, the newest first; of a sorted set member and score.
    std::vector<std::string> elements() {
        std::vector<std::string> all;
        const auto reply = in_list() ? window_.server().reply({"LRANGE", "k", "0", "-1"})
                                     : window_.server().reply({"ZREVRANGE", "k", "0", "-1", "WITHSCORES"});
        for (std::size_t i = 0; i < reply.items.size(); i += in_list() ? 1 : 2)
            all.push_back(reply.items[i].text + (in_list() ? "" : " " + reply.items[i + 1].text));
        return all;
    }

    template <class Item>
    schemes::WriteAnswer write(redis::ScriptCall (schemes::Scheme::*call)(std::span<const Item* const>,
                                                                          const schemes::CallHead&) const,
                               const Item& item) {
        const std::vector<const Item*> all{&item};
        const std::vector<std::string_view> keys{"k"};
        const auto reply = window_.call((scheme_.*call)(all, {}));
        INFO(reply.text);
        const auto answers = schemes::decode_writes(keys, reply);
        REQUIRE(answers.has_value());
        written_ms_ = answers->server_time_ms;
        window_.words.insert(answers->windows.at(0).reason);
        return answers->windows.at(0);
    }
    std::int64_t written_ms() const { return written_ms_; }

private:
    void put(std::int64_t age) {
        auto& server = window_.server();
        const auto whole = std::to_string(second() - age);
        switch (kind_) {
            case LogKind::limits: server.command({"RPUSH", "k", whole + ".5"}); break;
            case LogKind::discourse: server.command({"RPUSH", "k", whole}); break;
            default: {
                const auto at = whole + "5000" + std::to_string(10 + ++member_ % 90);
                server.command({"ZADD", "k", at, kind_ == LogKind::koa ? at : "id" + std::to_string(member_)});
            }
        }
    }

    LogKind kind_;
    WindowFixture window_;
    const schemes::Scheme& scheme_;
    std::mt19937 shuffler_{7};
    std::int64_t now_ms_ = 0;
    std::int64_t member_ = 0;
    std::int64_t written_ms_ = 0;
    std::string odd_;
    bool in_order_ = true;
};

/// After a write, and before: ratectl and the library say the same.
void agrees_with_library(LogBox& box) {
    const auto window = box.judged();
    const auto passes = box.library_passes_of_copy();
    CHECK((window.remaining == 0) == (passes == 0));
    if (box.is_in_order()) CHECK(window.remaining == passes);
}

void check_counted(LogBox& box, LogKind kind, const std::vector<std::string>& before, bool open, std::int64_t counting,
                   const domain::CountItem& item, const schemes::WriteAnswer& answer) {
    const auto after = box.elements();
    const bool in_list = box.in_list();
    const auto kept = !open ? 0 : in_list ? std::ssize(before) : counting;
    const auto most = kind == LogKind::rolling ? 1000 : kLimit;
    REQUIRE(std::ssize(after) == std::min(most, kept + item.amount));
    for (std::int64_t i = 0; in_list && i < std::min(item.amount, most); ++i) {
        const double at = std::stod(after[static_cast<std::size_t>(i)]);
        const auto ms = box.now().exact().time_since_epoch().count();
        CHECK(at == (kind == LogKind::discourse ? static_cast<double>(box.second()) : static_cast<double>(ms) / 1000));
    }
    for (const auto& one : after) {
        const auto member = one.substr(0, one.find(' '));
        const bool is_new = std::ranges::find(before, one) == before.end();
        if (kind == LogKind::koa) CHECK(one == member + " " + member);
        if (kind == LogKind::rolling && is_new) CHECK(member.size() == 36);
    }
    const auto periods = kind == LogKind::discourse ? 2 : 1;
    CHECK(box.window().read_half("k").expires_ms == box.written_ms() + periods * kPeriod * 1000);
    CHECK(answer.taken == item.amount);
}

void check_taken(LogBox& box, const StoredHalf& key, const std::vector<std::string>& before,
                 const schemes::WriteAnswer& answer) {
    const auto after = box.elements();
    const std::vector<std::string> rest(before.begin() + answer.taken, before.end());
    if (after.empty()) {
        CHECK_FALSE(answer.after.used);
        return;
    }
    CHECK(after == rest);
    CHECK(box.window().read_half("k").expires_ms == key.expires_ms);
}

void write_logs(LogKind kind, std::uint32_t seed) {
    LogBox box(kind, seed);
    auto& window = box.window();
    for (int i = 0; i < random_states(500); ++i) {
        box.randomize();
        const auto key = window.read_half("k");
        INFO(scheme_name(kind) << ' ' << i << ' ' << box.odd());
        if (box.odd().empty()) agrees_with_library(box);
        const auto judged = box.judged();
        CHECK((judged.state == domain::WindowState::corrupt) == !box.odd().empty());
        const auto before = box.odd().empty() ? box.elements() : std::vector<std::string>();
        const auto used = judged.used.value_or(0);
        schemes::WriteAnswer answer;
        const bool counts = window.one_in(2);
        if (counts) {
            const domain::CountItem item{{"k", 0}, window.between(0, 9), {}, box.now()};
            answer = box.write(&schemes::Scheme::count_call, item);
            const auto word = !box.odd().empty() ? box.odd() : item.amount == 0 ? "nothing-to-count" : "";
            CHECK(answer.reason == word);
            if (word.empty()) check_counted(box, kind, before, used > 0, used, item, answer);
        } else {
            domain::RefundItem item{{"k", 0}, window.between(0, 9)};
            item.now = box.now();
            item.clamp = window.one_in(2);
            answer = box.write(&schemes::Scheme::refund_call, item);
            const auto word = !box.odd().empty()                  ? box.odd()
                              : before.empty()                    ? "no-window"
                              : used == 0                         ? "closed"
                              : used < item.amount && !item.clamp ? "below-zero"
                              : item.amount == 0                  ? "nothing-to-take"
                                                                  : "";
            CHECK(answer.reason == word);
            if (word.empty()) CHECK(answer.taken == std::min(item.amount, used));
            if (word.empty()) check_taken(box, key, before, answer);
        }
        if (!answer.reason.empty()) {
            CHECK(window.read_half("k") == key);
            continue;
        }
        agrees_with_library(box);
        const auto now_judged = box.judged();
        CHECK(answer.after.used == (now_judged.used ? std::optional{std::to_string(*now_judged.used)} : std::nullopt));
        if (now_judged.reset_at)
            CHECK(answer.after.reset_at == std::to_string(support::epoch_seconds(*now_judged.reset_at)));
        CHECK(answer.after.state == box.look().parts.front().value);
    }
    for (const char* word :
         {"", "wrong-type", "no-window", "closed", "below-zero", "nothing-to-count", "nothing-to-take"}) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

TEST_CASE("Counts into and refunds of logs leave what their libraries would have left") {
    std::uint32_t seed = 1;
    for (const auto kind : kLogKinds) write_logs(kind, seed++);
}

TEST_CASE("A log that was removed comes back byte for byte and on top of what came since") {
    for (const auto kind : kLogKinds) {
        LogBox box(kind, 9);
        auto& window = box.window();
        do {
            box.randomize();
        } while (!box.odd().empty() || !box.is_in_order() || box.judged().used.value_or(0) < 3 ||
                 box.judged().used > 5);
        const auto used = *box.judged().used;
        window.server().command({"PEXPIRE", "k", "80000"});
        const auto before = window.snapshot();
        const domain::ResetItem all{{"k", 0}, std::nullopt, std::nullopt, {}, box.now()};
        auto another = all;
        another.if_stored = domain::StoredWindow{{}, {}, {}, "1:5"};
        CHECK(box.write(&schemes::Scheme::reset_call, another).reason == "window-changed");
        const auto removed = box.write(&schemes::Scheme::reset_call, all);
        CHECK(removed.status == domain::WriteStatus::applied);
        CHECK(removed.before.used == std::to_string(used));
        CHECK(box.elements().empty());
        domain::RestoreItem back{{"k", 0}, removed.before, false, box.now()};
        CHECK(box.write(&schemes::Scheme::restore_call, back).status == domain::WriteStatus::applied);
        CHECK(window.snapshot() == before);
        CHECK(box.write(&schemes::Scheme::restore_call, back).reason == "window-there");
        window.server().command({"DEL", "k"});
        const domain::CountItem one{{"k", 0}, 2, {}, box.now()};
        CHECK(box.write(&schemes::Scheme::count_call, one).status == domain::WriteStatus::applied);
        back.merge = true;
        CHECK(box.write(&schemes::Scheme::restore_call, back).after.used == std::to_string(used + 2));
        CHECK(box.judged().used == used + 2);
        agrees_with_library(box);
    }
}

TEST_CASE("A log of more than ten thousand elements is neither read nor written") {
    for (const char* name : {"limits-moving", "rolling", "redis-docs-list"}) {
        INFO(name);
        WindowFixture window(1);
        const auto& scheme = log_scheme(name);
        const bool in_list = std::string_view(name) != "rolling";
        window.server().command({"EVAL",
                                 std::string("for i = 1, 10001 do redis.call(") +
                                     (in_list ? "'RPUSH', 'k', '1'" : "'ZADD', 'k', i, i") + ") end",
                                 "0"});
        const domain::ResetItem item{{"k", 0}, std::nullopt, std::nullopt};
        const std::vector<const domain::ResetItem*> all{&item};
        const std::vector<std::string_view> keys{"k"};
        const auto answers = schemes::decode_writes(keys, window.call(scheme.reset_call(all, {})));
        CHECK(answers.value().windows.at(0).reason == "too-large");
    }
}

// ---- lists of calls

TEST_CASE("Calls in a list are counted and given back as the counter of the documentation does") {
    WindowFixture window(11);
    const auto& scheme = log_scheme("redis-docs-list");
    auto& server = window.server();
    const auto answer_of = [&](const redis::ScriptCall& call) {
        const std::vector<std::string_view> keys{"k"};
        const auto answers = schemes::decode_writes(keys, window.call(call));
        REQUIRE(answers.has_value());
        window.words.insert(answers->windows.at(0).reason);
        return answers->windows.at(0);
    };
    for (int i = 0; i < random_states(300); ++i) {
        server.command({"DEL", "k"});
        const auto many = window.between(0, 14);
        const std::string element = window.one_in(3) ? "10.0.0.1" : "k";
        for (std::int64_t n = 0; n < many; ++n) server.command({"RPUSH", "k", element});
        const bool ends = !window.one_in(6);
        const auto end_ms = (window.server_seconds() + 40) * 1000;
        if (ends && many > 0) server.command({"PEXPIREAT", "k", std::to_string(end_ms)});
        const auto now = support::from_epoch(window.server_seconds());
        const auto end = support::from_epoch(end_ms / 1000 - 1);
        INFO(i << ' ' << many << ' ' << ends);
        if (window.one_in(2)) {
            const domain::CountItem item{{"k", 0}, window.between(0, 5), now + support::Seconds{kPeriod}, now};
            const std::vector<const domain::CountItem*> all{&item};
            const auto answer = answer_of(scheme.count_call(all, {}));
            const auto* word = many > 0 && !ends ? "no-expiry" : many == 0 && item.amount == 0 ? "below-one" : "";
            CHECK(answer.reason == word);
            CHECK(server.command({"LLEN", "k"}) == std::to_string(many + (*word == '\0' ? item.amount : 0)));
            if (*word != '\0') continue;
            CHECK(answer.after.used == std::to_string(many + item.amount));
            CHECK(server.command({"LINDEX", "k", "-1"}) == (many > 0 ? element : "k"));
            const auto expires = window.read_half("k").expires_ms;
            CHECK((many > 0 ? expires == end_ms : std::abs(expires - window.server_ms() - kPeriod * 1000) <= 1000));
        } else {
            domain::RefundItem item{{"k", 0}, window.between(0, 9), end};
            item.now = now;
            item.clamp = window.one_in(2);
            const std::vector<const domain::RefundItem*> all{&item};
            const auto answer = answer_of(scheme.refund_call(all, {}));
            const auto most = std::max<std::int64_t>(many - 1, 0);
            const auto taken = std::min(item.amount, most);
            const auto* word = many == 0                           ? "no-window"
                               : !ends                             ? "window-changed"
                               : item.amount > most && !item.clamp ? "below-one"
                               : taken == 0                        ? "nothing-to-take"
                                                                   : "";
            CHECK(answer.reason == word);
            CHECK(server.command({"LLEN", "k"}) == std::to_string(many - (*word == '\0' ? taken : 0)));
            if (*word == '\0') CHECK(window.read_half("k").expires_ms == end_ms);
        }
    }
    for (const char* word : {"", "no-expiry", "below-one", "no-window", "window-changed", "nothing-to-take"}) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

TEST_CASE("A list of calls that was removed comes back with its elements") {
    WindowFixture window(12);
    const auto& scheme = log_scheme("redis-docs-list");
    auto& server = window.server();
    for (const char* element : {"k", "x", "", "10.0.0.1"}) server.command({"RPUSH", "k", element});
    server.command({"PEXPIRE", "k", "40000"});
    const auto before = window.snapshot();
    const std::vector<std::string_view> keys{"k"};
    const domain::ResetItem item{{"k", 0}, std::nullopt, 4};
    const std::vector<const domain::ResetItem*> all{&item};
    const auto removed = schemes::decode_writes(keys, window.call(scheme.reset_call(all, {}))).value().windows.at(0);
    CHECK(removed.before.used == "4");
    CHECK(server.command({"EXISTS", "k"}) == "0");
    domain::RestoreItem back{{"k", 0}, removed.before, false};
    const std::vector<const domain::RestoreItem*> items{&back};
    const auto put_back = [&] {
        return schemes::decode_writes(keys, window.call(scheme.restore_call(items, {}))).value().windows.at(0);
    };
    CHECK(put_back().status == domain::WriteStatus::applied);
    CHECK(window.snapshot() == before);
    CHECK(put_back().reason == "window-there");
    server.command({"DEL", "k"});
    for (int i = 0; i < 2; ++i) server.command({"RPUSH", "k", "k"});
    server.command({"PEXPIRE", "k", "50000"});
    back.merge = true;
    CHECK(put_back().after.used == "6");
    CHECK(server.command({"LLEN", "k"}) == "6");
    CHECK(window.read_half("k").expires_ms == removed.before.expires.front());
}

}  // namespace
}  // namespace ratectl::test
