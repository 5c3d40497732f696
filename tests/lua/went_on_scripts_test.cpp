// Windows whose ends move, known again by what they were: the scripts against what ratectl foresees, on random changes
// and a real server.
#include <cstdlib>
#include <map>
#include <utility>

#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

constexpr std::int64_t kMonthSeconds = 30 * 24 * 3600;

struct MovingKind {
    const char* scheme;
    const char* key;
    std::int64_t period;
};
constexpr MovingKind kMovingKinds[] = {{"throttled", "k", 3600},
                                       {"redis-cell", "k", 3601},
                                       {"redis-rate", "k", 3607},
                                       {"redis-gcra", "k", 3607},
                                       {"stripe", "k.tokens", 3600},
                                       {"spring-gateway", "k.tokens", 3607},
                                       {"upstash-token", "k", 3600},
                                       {"limitlion", "k", 3600},
                                       {"limits-moving", "LIMITS:LIMITER/k/50/1/hour", 3600},
                                       {"discourse", "k", 3600},
                                       {"koa", "k", 3600},
                                       {"rolling", "k", 3600},
                                       {"limits-sliding", "LIMITS:LIMITER/k/50/1/hour", 3600},
                                       {"upstash-sliding", "k:{bucket}", kMonthSeconds},
                                       {"stripe-concurrent", "k", 3600}};

class MovingBox {
public:
    MovingBox(const MovingKind& kind, std::uint32_t seed) : window_(seed), key_(kind.key) {
        std::vector<domain::Policy> policies(1);
        policies[0].name = "api";
        policies[0].key = support::value_or_throw(domain::KeyTemplate::parse(kind.key));
        policies[0].limit = 50;
        policies[0].period = support::Seconds{kind.period};
        policies[0].burst = 60;
        if (const auto hole = key_.find("{bucket}"); hole != std::string::npos)
            key_.replace(hole, key_.size() - hole, std::to_string(window_.server_seconds() / kMonthSeconds));
        scheme_ = &schemes::scheme_of(schemes::scheme_of({kind.scheme, ""}, policies).of(key_));
    }

    WindowFixture& window() { return window_; }

    schemes::WriteAnswer count(std::int64_t amount) {
        domain::CountItem item{{key_, 0}, amount, now() + support::Seconds{3600}, now()};
        return write(&schemes::Scheme::count_call, item);
    }
    schemes::WriteAnswer refund(std::int64_t amount, const std::optional<domain::StoredWindow>& if_was = {}) {
        domain::RefundItem item{{key_, 0}, amount};
        item.now = now();
        item.if_was = if_was;
        return write(&schemes::Scheme::refund_call, item);
    }
    schemes::WriteAnswer count_again(std::int64_t amount, const domain::StoredWindow& if_was) {
        domain::CountItem item{{key_, 0}, amount, now() + support::Seconds{3600}, now()};
        item.if_was = if_was;
        return write(&schemes::Scheme::count_call, item);
    }
    void reset() { write(&schemes::Scheme::reset_call, domain::ResetItem{{key_, 0}, {}, {}, {}, now()}); }
    void await_another_millisecond() {
        const auto now = window_.server_ms();
        while (window_.server_ms() == now) continue;
    }
    domain::WindowLook look() {
        const std::vector<std::string> keys{key_};
        std::vector<redis::Reply> replies;
        for (const auto& call : scheme_->script_look_calls(keys)) replies.push_back(window_.call(call));
        return support::value_or_throw(scheme_->decode_script_looks(keys, replies).at(0));
    }
    /// What a look foresees.
    bool went_on(const domain::StoredWindow& was) { return scheme_->went_on(look(), was); }
    /// The window as it is foreseen behind so many requests more is one that this may have become.
    bool will_have_gone_on(const domain::WindowLook& look, std::int64_t requests, const domain::StoredWindow& was) {
        return scheme_->went_on(scheme_->look_after(look, now(), requests), was);
    }
    /// A window's end may be another second by the time that the script is run.
    void check_foreseen(const domain::WindowLook& look, std::int64_t requests, const domain::StoredWindow& is) {
        const auto foreseen = scheme_->foreseen(look, now(), requests);
        CHECK(foreseen.used == is.used);
        const auto end_of = [](const domain::StoredWindow& window) {
            return support::parse_decimal(window.reset_at.value_or("0")).value_or(-1);
        };
        CHECK(std::abs(end_of(foreseen) - end_of(is)) <= 1);
    }

private:
    support::Moment now() { return support::WallTime{support::Milliseconds{window_.server_ms()}}; }
    template <class Item>
    schemes::WriteAnswer write(redis::ScriptCall (schemes::Scheme::*call)(std::span<const Item* const>,
                                                                          const schemes::CallHead&) const,
                               const Item& item) {
        const std::vector<const Item*> all{&item};
        const std::vector<std::string_view> keys{key_};
        const auto answers = schemes::decode_writes(keys, window_.call((scheme_->*call)(all, {})));
        return support::value_or_throw(answers).windows.at(0);
    }

    WindowFixture window_;
    std::string key_;
    const schemes::Scheme* scheme_ = nullptr;
};

}  // namespace

TEST_CASE("A window whose end moves is known again as looks foresee it, by what it was at any time before") {
    for (const auto& kind : kMovingKinds) {
        INFO(kind.scheme);
        MovingBox box(kind, 27);
        std::map<bool, int> answered;
        for (int i = 0; i < random_states(40); ++i) {
            box.reset();
            auto was = box.count(box.window().between(3, 12)).after;
            if (box.window().one_in(3)) box.count(box.window().between(1, 5));
            if (box.window().one_in(3)) box.reset();
            if (box.window().one_in(2)) box.count(box.window().between(1, 12));
            if (box.window().one_in(4)) box.refund(1);
            const bool is_there = box.count(1).before.state.has_value();
            const bool foreseen = is_there && box.went_on(was);
            INFO(i << ' ' << was.state.value_or("nothing") << ' ' << foreseen);
            if (!is_there) box.reset();
            const auto again = box.count_again(1, was);
            CHECK(again.reason == (foreseen ? "" : "window-changed"));
            if (is_there) CHECK(box.refund(1, was).reason == (foreseen ? "" : "window-changed"));
            ++answered[foreseen];
        }
        CHECK(answered[true] > 0);
        CHECK(answered[false] > 0);
    }
}

// A refund reached whatever was opened between its look and its call.
TEST_CASE("A refund of what was seen takes nothing of a window that was opened behind its look") {
    for (const auto& kind : kMovingKinds) {
        if (std::string_view(kind.scheme) == "discourse") continue;  // whole seconds, in which both may have begun
        INFO(kind.scheme);
        MovingBox box(kind, 28);
        const auto seen = box.count(5).after;
        CHECK(box.refund(1, seen).reason.empty());
        box.reset();
        CHECK(box.refund(1, seen).reason == "no-window");
        box.count(3);
        CHECK(box.refund(1, seen).reason == "window-changed");
        CHECK(box.refund(1).reason.empty());
    }
}

TEST_CASE("A moment is known again after many requests and after some were given back") {
    for (const auto* scheme : {"throttled", "redis-rate", "redis-gcra"}) {
        INFO(scheme);
        MovingBox box({scheme, "k", 3607}, 29);
        const auto was = box.count(5).after;
        for (int i = 0; i < 100; ++i) box.count(7);
        CHECK(box.went_on(was));
        CHECK(box.refund(90, was).reason.empty());
        CHECK(box.went_on(was));
        CHECK(box.count_again(3, was).reason.empty());
    }
}

TEST_CASE("What scripts make of a window that is counted into and given back in is foreseen by one look before") {
    for (const auto& kind : kMovingKinds) {
        INFO(kind.scheme);
        MovingBox box(kind, 31);
        for (int i = 0; i < random_states(10); ++i) {
            box.reset();
            if (box.window().one_in(2)) box.count(box.window().between(1, 9));
            std::vector<std::pair<std::int64_t, domain::StoredWindow>> rows;
            std::int64_t requests = 0;
            const auto before = box.look();
            for (int row = 0; row < 3; ++row) {
                const auto amount = box.window().between(1, 20);
                box.await_another_millisecond();  // of one, no log tells the newest
                rows.emplace_back(amount, box.count(amount).after);
                INFO(i << ' ' << row << ' ' << rows.back().second.state.value_or("nothing"));
                box.check_foreseen(before, requests += amount, rows.back().second);
            }
            const auto behind = box.look();
            requests = 0;
            for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
                INFO(i << ' ' << requests << ' ' << row->second.state.value_or("nothing"));
                CHECK(box.will_have_gone_on(behind, requests, row->second));
                requests -= row->first;
                box.check_foreseen(behind, requests, box.refund(row->first).after);
            }
        }
    }
}

}  // namespace ratectl::test
