// The scripts of counters with a TTL against the limiter's arithmetic, on random states and a real server, as it is and
// as Redis 6 would run them.
#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

using support::from_epoch;

/// What a call is to answer, and what is to be stored then.
struct Told {
    std::string word;  // empty: applied
    StoredHalf after;
    std::optional<std::int64_t> taken = {};
    /// The key expires within the second that comes before `after` says: a window that was opened.
    bool opened = false;
};

class CounterFixture {
public:
    CounterFixture(const char* scheme, std::uint32_t seed)
        : scheme_(schemes::scheme_of({scheme, ""}, numbered())),
          begins_anew_(std::string_view(scheme) == "express"),
          numbers_(std::string_view(scheme) == "rack-attack"),
          floor_(scheme_.lowest_used()),
          window_(seed) {}

    /// Windows of a minute each, where the scheme numbers them.
    static std::vector<domain::Policy> numbered() {
        std::vector<domain::Policy> policies(1);
        policies.front().key = support::value_or_throw(domain::KeyTemplate::parse("k:{bucket}"));
        policies.front().period = support::Seconds{60};
        return policies;
    }
    const std::string& key() const { return key_; }

    WindowFixture& window() { return window_; }
    const schemes::Scheme& scheme() const { return scheme_; }

    StoredHalf randomize(std::int64_t now) {
        auto& server = window_.server();
        const auto number = now / 60 + window_.between(-1, 1);
        if (numbers_) key_ = "k:" + std::to_string(number);
        if (numbers_) named_end_ = number * 60 + 59;
        server.command({"DEL", key_});
        if (window_.one_in(6)) return window_.read_half(key_);
        if (window_.one_in(12)) {
            server.command({"RPUSH", key_, "x"});
        } else {
            const bool odd = window_.one_in(10);
            server.command({"SET", key_, odd ? "7.5" : std::to_string(window_.between(-5, 40))});
        }
        if (!window_.one_in(5))
            server.command({"PEXPIREAT", key_, std::to_string((now + 5) * 1000 + window_.between(0, 60'000))});
        return window_.read_half(key_);
    }

    std::optional<std::int64_t> end_of(const StoredHalf& half) const {
        if (named_end_) return named_end_;
        return half.expires_ms > 0 ? std::optional{(half.expires_ms - 1) / 1000} : std::nullopt;
    }
    domain::StoredWindow stored(const StoredHalf& half) const {
        if (!half.value) return {};
        const auto end = end_of(half);
        return {half.value, end ? std::optional{std::to_string(*end)} : std::nullopt, {}};
    }

    /// Why the window is not the one that ends then.
    std::string fault(const StoredHalf& half, const std::optional<support::Instant>& if_reset,
                      support::Instant now) const {
        if (!if_reset) return "";
        if (!half.value) return "no-window";
        const auto end = end_of(half);
        if (!end || from_epoch(*end) != *if_reset) return "window-changed";
        return from_epoch(*end) < now ? "closed" : "";
    }

    Told count(const StoredHalf& before, const domain::CountItem& item) const {
        if (before.is_list()) return {"wrong-type", before};
        const auto end = end_of(before);
        const bool open = before.value && end && from_epoch(*end) >= item.now;
        const bool asks_nothing = item.if_stored && !item.if_stored->used && !item.if_stored->reset_at;
        if (item.if_stored && !same_bytes(*item.if_stored, stored(before)) && (!asks_nothing || open))
            return {"window-changed", before};
        if (const auto why = fault(before, item.if_reset, item.now); !why.empty()) return {why, before};
        if (before.value && !before.number()) return {"not-an-integer", before};
        const std::int64_t used = open ? *before.number() : 0;
        if (item.if_used_at_least && used < *item.if_used_at_least)
            return {open ? "used-too-low" : "no-window", before};
        if (before.value && !end && !begins_anew_) return {"no-expiry", before};
        if (named_end_ && from_epoch(*named_end_) < item.now) return {"closed", before};
        if (!open && floor_ == 1 && item.amount < 1) return {"below-one", before};
        const auto reset = support::epoch_seconds(item.next_reset);
        const auto opened = named_end_ ? (*named_end_ + 2) * 1000 : (reset + 1) * 1000;
        return {"",
                {"string", std::to_string(used + item.amount), open ? before.expires_ms : opened},
                {},
                !open && !named_end_};
    }

    Told refund(const StoredHalf& before, const domain::RefundItem& item) const {
        if (before.is_list()) return {"wrong-type", before};
        if (const auto why = fault(before, item.if_reset, item.now); !why.empty()) return {why, before};
        if (!before.number()) return {"not-an-integer", before};
        const auto used = *before.number();
        if (item.opened && used == item.amount) return {"", {}, item.amount};
        const auto most = std::max<std::int64_t>(used - floor_, 0);
        if (most < item.amount && !item.clamp) return {floor_ == 1 ? "below-one" : "below-zero", before};
        const auto taken = std::min(item.amount, most);
        if (taken == 0) return {"nothing-to-take", before};
        auto after = before;
        after.value = std::to_string(used - taken);
        return {"", after, taken};
    }

    template <class Item>
    void check(redis::ScriptCall (schemes::Scheme::*call)(std::span<const Item* const>, const schemes::CallHead&) const,
               const Item& item, const Told& told) {
        const std::vector<const Item*> all{&item};
        const auto made = (scheme_.*call)(all, {});
        std::vector<std::string_view> keys{key_};
        const auto answers = schemes::decode_writes(keys, window_.call(made));
        REQUIRE(answers.has_value());
        const auto& answer = answers->windows.at(0);
        CHECK(answer.reason == told.word);
        auto stored = window_.read_half(key_);
        if (told.opened) {
            CHECK(stored.expires_ms > told.after.expires_ms - 1000);
            CHECK(stored.expires_ms <= told.after.expires_ms);
            stored.expires_ms = told.after.expires_ms;
        }
        CHECK(stored == told.after);
        if (told.taken) CHECK(answer.taken == told.taken);
        window_.words.insert(answer.reason);
    }

private:
    const schemes::Scheme& scheme_;
    bool begins_anew_;
    bool numbers_;
    std::string key_ = "k";
    std::optional<std::int64_t> named_end_;
    std::int64_t floor_;
    WindowFixture window_;
};

void count_and_give_back(const char* scheme, std::uint32_t seed) {
    CounterFixture box(scheme, seed);
    auto& window = box.window();
    for (int i = 0; i < random_states(400); ++i) {
        const auto now = window.server_seconds();
        const auto before = box.randomize(now);
        const auto end = box.end_of(before).value_or(now + 60);
        INFO(scheme << " " << i << ": " << before);
        // The application's clock may be ahead of the server's.
        const auto theirs = from_epoch(window.one_in(6) ? end + 1 : now);
        if (window.one_in(2)) {
            domain::CountItem item{{box.key(), 0}, window.between(0, 9), from_epoch(now + 120), theirs};
            if (window.one_in(4)) item.if_reset = from_epoch(window.one_in(3) ? end + 1 : end);
            if (window.one_in(6)) item.if_stored = window.one_in(3) ? domain::StoredWindow{} : box.stored(before);
            if (window.one_in(4)) item.if_used_at_least = window.between(1, 30);
            box.check(&schemes::Scheme::count_call, item, box.count(before, item));
        } else {
            domain::RefundItem item{{box.key(), 0},
                                    window.between(0, 45),
                                    from_epoch(window.one_in(6) ? end + 1 : end),
                                    window.one_in(2),
                                    theirs};
            item.opened = window.one_in(4);
            if (item.opened && before.number() && window.one_in(2))
                item.amount = std::max<std::int64_t>(*before.number(), 0);
            box.check(&schemes::Scheme::refund_call, item, box.refund(before, item));
        }
    }
    for (const char* word : {"", "wrong-type", "not-an-integer", "window-changed", "no-window", "closed"}) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

TEST_CASE("Counts into and refunds of counters do what their limiter's arithmetic says") {
    count_and_give_back("fastify", 1);
    count_and_give_back("express", 2);
    count_and_give_back("rack-attack", 5);
}

TEST_CASE("Counts into and refunds of counters are the same before Redis 7") {
    // An expiry is worked out there, to the millisecond; the windows end in whole seconds here.
    CounterFixture box("fastify", 3);
    auto& window = box.window();
    window.be_six();
    const auto now = window.server_seconds();
    window.server().command({"SET", "k", "5", "PXAT", std::to_string((now + 60) * 1000 + 500)});
    const auto before = window.read_half("k");
    const auto end = *box.end_of(before);
    const domain::RefundItem back{{"k", 0}, 2, from_epoch(end), false, from_epoch(now)};
    box.check(&schemes::Scheme::refund_call, back, box.refund(before, back));
    const auto less = window.read_half("k");
    const domain::CountItem more{{"k", 0}, 4, from_epoch(now + 120), from_epoch(now), from_epoch(end)};
    box.check(&schemes::Scheme::count_call, more, box.count(less, more));
    CHECK(window.read_half("k").value == "7");
}

TEST_CASE("A counter that was removed comes back as it was") {
    CounterFixture box("fastify", 4);
    auto& window = box.window();
    const auto now = window.server_seconds();
    for (const bool endless : {false, true}) {
        window.server().command({"SET", "k", "5"});
        if (!endless) window.server().command({"PEXPIREAT", "k", std::to_string((now + 60) * 1000 + 250)});
        const auto before = window.read_half("k");
        const domain::ResetItem all{{"k", 0}, std::nullopt, std::nullopt, box.stored(before)};
        const domain::ResetItem another{{"k", 0}, std::nullopt, std::nullopt, domain::StoredWindow{"6", "1", {}}};
        box.check(&schemes::Scheme::reset_call, another, {"window-changed", before});
        box.check(&schemes::Scheme::reset_call, all, {"", {}});
        box.check(&schemes::Scheme::reset_call, all, {"absent", {}});
        domain::RestoreItem back{{"k", 0}, box.stored(before), false, from_epoch(now)};
        if (!endless) back.window.expires = {before.expires_ms, before.expires_ms};
        box.check(&schemes::Scheme::restore_call, back, {"", before});
        box.check(&schemes::Scheme::restore_call, back, {"window-there", before});
        back.merge = true;
        auto merged = before;
        merged.value = "10";
        box.check(&schemes::Scheme::restore_call, back, {"", merged});
        if (endless) continue;
        window.server().command({"DEL", "k"});
        back.window.expires = {now * 1000 - 1, now * 1000 - 1};
        box.check(&schemes::Scheme::restore_call, back, {"closed", {}});
    }
}

}  // namespace
}  // namespace ratectl::test
