// The scripts of GCRA's moments against the algorithm's arithmetic, on random states and a real server.
#include <cmath>

#include <fmt/format.h>

#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;

struct Kind {
    const char* scheme;
    bool nanoseconds;
    std::int64_t epoch;
    std::int64_t limit;
    std::int64_t period;
    std::int64_t burst;  // as the limiter is set
    std::int64_t most;   // that may come at once
};

/// What the arithmetic says of a call: in nanoseconds, and as far as the clock that the script reads is known.
struct MovedTo {
    std::string word;                         // empty: applied
    std::optional<std::int64_t> moment = {};  // null: nothing is stored then
    std::int64_t since = 0;                   // the moment is that of a script that ran then
    std::optional<std::int64_t> taken = {};
};

class MomentBox {
public:
    MomentBox(const Kind& kind, std::uint32_t seed) : kind_(kind), window_(seed), scheme_(scheme_of(kind)) {}

    static const schemes::Scheme& scheme_of(const Kind& kind) {
        std::vector<domain::Policy> policies(1);
        policies[0].name = "api";
        policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("k"));
        policies[0].limit = kind.limit;
        policies[0].period = support::Seconds{kind.period};
        policies[0].burst = kind.burst;
        return schemes::scheme_of(schemes::scheme_of({kind.scheme, ""}, policies).of("k"));
    }

    WindowFixture& window() { return window_; }
    std::int64_t now_ns() { return now_ms() * kMillisecond; }
    double each() const {
        const double each = static_cast<double>(kind_.period) * 1e9 / static_cast<double>(kind_.limit);
        return kind_.nanoseconds ? std::floor(each) : each;
    }
    std::string text_of(std::int64_t ns) const {
        if (kind_.nanoseconds) return std::to_string(ns);
        const auto seconds = ns / kSecond - kind_.epoch;
        return fmt::format("{:.17g}", static_cast<double>(seconds) + static_cast<double>(ns % kSecond) / 1e9);
    }
    std::int64_t ns_of(const std::string& text) const {
        if (kind_.nanoseconds) return *support::parse_decimal(text);
        const double seconds = std::stod(text);
        const double whole = std::floor(seconds);
        return (static_cast<std::int64_t>(whole) + kind_.epoch) * kSecond + std::llround((seconds - whole) * 1e9);
    }

    /// A random state; the moment, where one is stored.
    std::optional<std::int64_t> randomize() {
        auto& server = window_.server();
        server.command({"DEL", "k"});
        odd_.clear();
        if (window_.one_in(6)) return std::nullopt;
        if (window_.one_in(12)) {
            server.command({"RPUSH", "k", "x"});
            odd_ = "wrong-type";
        } else if (window_.one_in(10)) {
            server.command({"SET", "k", window_.one_in(2) ? "soon" : "7.5e9"});
            odd_ = "not-an-integer";
        }
        if (!odd_.empty()) return std::nullopt;
        // Not so near that the call's own time decides.
        const auto ahead = window_.between(1, 20) * (window_.one_in(4) ? -1 : 1);
        const auto by =
            static_cast<std::int64_t>(each() * (static_cast<double>(ahead) + 0.5)) + window_.between(0, 999);
        const auto text = text_of(now_ns() + by);
        server.command({"SET", "k", text, "PX", "10000000"});
        return ns_of(text);
    }
    const std::string& odd() const { return odd_; }
    std::int64_t used(std::int64_t ahead) const {
        return std::max<std::int64_t>(
            0, static_cast<std::int64_t>(std::ceil((static_cast<double>(ahead) - 1000) / each())));
    }
    std::int64_t moved(std::int64_t ns, std::int64_t requests) const {
        return ns + std::llround(each() * static_cast<double>(requests));
    }

    template <class Item>
    void check(redis::ScriptCall (schemes::Scheme::*call)(std::span<const Item* const>, const schemes::CallHead&) const,
               const Item& item, const MovedTo& told) {
        const std::vector<const Item*> all{&item};
        const auto before = window_.read_half("k");
        const auto made = (scheme_.*call)(all, {});
        const std::vector<std::string_view> keys{"k"};
        const auto answers = schemes::decode_writes(keys, window_.call(made));
        REQUIRE(answers.has_value());
        const auto& answer = answers->windows.at(0);
        CHECK(answer.reason == told.word);
        window_.words.insert(answer.reason);
        const auto after = window_.read_half("k");
        if (!told.word.empty()) {
            CHECK(after == before);
            return;
        }
        if (before.value) CHECK(answer.before.state == before.value);
        if (told.taken) CHECK(answer.taken == told.taken);
        REQUIRE(after.value.has_value() == told.moment.has_value());
        if (!told.moment) return;
        CHECK(answer.after.state == after.value);
        const auto stored = ns_of(*after.value);
        const auto slack = (told.since > 0 ? now_ns() - told.since + kMillisecond : 0) +
                           (kind_.nanoseconds ? 1 : 200);  // what a double holds of it
        CHECK(std::abs(stored - *told.moment) <= slack);
        const auto used_now = used(stored - answers->server_time_ms * kMillisecond);
        CHECK(answer.after.used == std::to_string(used_now));
        check_life(stored - answers->server_time_ms * kMillisecond, after.expires_ms - answers->server_time_ms);
    }

private:
    std::int64_t now_ms() {
        const auto time = window_.server().reply({"TIME"});
        return *support::parse_decimal(time.items.at(0).text) * 1000 +
               *support::parse_decimal(time.items.at(1).text) / 1000;
    }
    /// As the library would have it expire.
    void check_life(std::int64_t ahead, std::int64_t lives_ms) const {
        const double seconds = static_cast<double>(ahead) / 1e9;
        const std::string_view name = kind_.scheme;
        if (name == "redis-cell") CHECK(lives_ms == std::lround(std::ceil(seconds * 1000)));
        if (name == "throttled") CHECK(lives_ms == std::lround(std::max(1.0, std::floor(seconds)) * 1000));
        if (!kind_.nanoseconds) CHECK(std::abs(static_cast<double>(lives_ms) / 1000 - seconds - 0.5) <= 0.50001);
    }

    Kind kind_;
    std::string odd_;
    WindowFixture window_;
    const schemes::Scheme& scheme_;
};

void move_moments(const Kind& kind, std::uint32_t seed) {
    MomentBox box(kind, seed);
    auto& window = box.window();
    for (int i = 0; i < random_states(1250); ++i) {
        const auto moment = box.randomize();
        const auto now = box.now_ns();
        const bool open = moment && *moment > now;
        const auto used = moment ? box.used(*moment - now) : 0;
        INFO(kind.scheme << ' ' << i << ": " << (moment ? std::to_string(*moment - now) : "-") << ' ' << box.odd());
        if (window.one_in(2)) {
            domain::CountItem item{{"k", 0}, window.between(0, 9)};
            const bool seen = window.one_in(5);
            const bool other = window.one_in(2);
            if (seen) item.if_stored = domain::StoredWindow{};
            if (seen && moment && !other) item.if_stored->state = box.text_of(*moment);
            if (seen && other) item.if_stored->state = "another";
            if (window.one_in(4)) item.if_used_at_least = window.between(1, 15);
            const bool changed = seen && other;
            MovedTo told{box.odd()};
            if (!told.word.empty()) {
                if (changed && told.word == "not-an-integer") told.word = "window-changed";
            } else if (changed) {
                told.word = "window-changed";
            } else if (item.amount == 0) {
                told.word = "nothing-to-count";
            } else if (item.if_used_at_least && used < *item.if_used_at_least) {
                told.word = open ? "used-too-low" : "no-window";
            } else {
                told.moment = box.moved(open ? *moment : now, item.amount);
                if (!open) told.since = now;
            }
            box.check(&schemes::Scheme::count_call, item, told);
            continue;
        }
        domain::RefundItem item{{"k", 0}, window.between(0, 25)};
        item.clamp = window.one_in(2);
        if (window.one_in(4)) item.if_used_at_least = window.between(1, 15);
        MovedTo told{box.odd()};
        if (!told.word.empty()) {
        } else if (!open) {
            told.word = moment ? "closed" : "no-window";
        } else if (item.if_used_at_least && used < *item.if_used_at_least) {
            told.word = "used-too-low";
        } else if (used < item.amount && !item.clamp) {
            told.word = "below-zero";
        } else if (item.amount == 0) {
            told.word = "nothing-to-take";
        } else {
            told.taken = std::min(item.amount, used);
            const auto after = box.moved(*moment, -*told.taken);
            if (after > now) told.moment = after;
        }
        box.check(&schemes::Scheme::refund_call, item, told);
    }
    for (const char* word : {"", "wrong-type", "not-an-integer", "window-changed", "no-window", "closed", "below-zero",
                             "used-too-low", "nothing-to-count", "nothing-to-take"}) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

constexpr Kind kThrottled{"throttled", true, 0, 7, 60, 5, 6};
constexpr Kind kRate{"redis-rate", false, 1'483'228'800, 10, 60, 12, 12};

TEST_CASE("Counts into and refunds of moments do what the algorithm's arithmetic says") {
    move_moments(kThrottled, 1);
    move_moments(kRate, 2);
    move_moments({"redis-cell", true, 0, 30, 60, 15, 16}, 3);
    move_moments({"redis-gcra", false, 0, 60, 3600, 10, 10}, 4);
}

TEST_CASE("A moment that was removed comes back as it was") {
    for (const auto& kind : {kThrottled, kRate}) {
        MomentBox box(kind, 5);
        auto& window = box.window();
        const auto text = box.text_of(box.now_ns() + 40 * kSecond);
        window.server().command({"SET", "k", text, "PX", "40123"});
        const auto before = window.read_half("k");
        const domain::StoredWindow stored{{}, {}, {before.expires_ms, before.expires_ms}, text};
        const domain::ResetItem another{{"k", 0}, std::nullopt, std::nullopt, domain::StoredWindow{{}, {}, {}, "6"}};
        box.check(&schemes::Scheme::reset_call, another, {"window-changed"});
        const domain::ResetItem all{{"k", 0}, std::nullopt, std::nullopt, stored};
        box.check(&schemes::Scheme::reset_call, all, {""});
        box.check(&schemes::Scheme::reset_call, all, {"absent"});
        domain::RestoreItem back{{"k", 0}, stored, false};
        const std::vector<const domain::RestoreItem*> items{&back};
        const std::vector<std::string_view> keys{"k"};
        const auto& scheme = MomentBox::scheme_of(kind);
        const auto answer = [&] {
            return schemes::decode_writes(keys, window.call(scheme.restore_call(items, {}))).value().windows.at(0);
        };
        CHECK(answer().status == domain::WriteStatus::applied);
        CHECK(window.read_half("k") == before);
        CHECK(answer().reason == "window-there");
        // What was used since comes on top.
        back.merge = true;
        const auto asked = box.now_ns();
        box.check(&schemes::Scheme::restore_call, back, {"", 2 * box.ns_of(text) - asked, asked});
        window.server().command({"DEL", "k"});
        back.window.state = box.text_of(box.now_ns() - kSecond);
        CHECK(answer().reason == "closed");
    }
}

}  // namespace
}  // namespace ratectl::test
