// The scripts of token buckets against the limiter's own arithmetic, on random states and a real server.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

const std::string kTokensKey = "request_rate_limiter.u.tokens";
const std::string kSecondKey = "request_rate_limiter.u.timestamp";

struct BucketTerms {
    std::int64_t limit;
    std::int64_t period;
    std::int64_t capacity;

    double rate() const { return static_cast<double>(limit) / static_cast<double>(period); }
};

const schemes::Scheme& bucket_scheme(const char* name, const BucketTerms& terms) {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("request_rate_limiter.{client}.tokens"));
    policies[0].limit = terms.limit;
    policies[0].period = support::Seconds{terms.period};
    policies[0].burst = terms.capacity;
    return schemes::scheme_of(schemes::scheme_of({name, ""}, policies).of(kTokensKey));
}

/// One client. The application's clock goes wrong; Spring's limiter asks the server's.
class BucketBox {
public:
    BucketBox(const char* name, const BucketTerms& terms, std::uint32_t seed)
        : window_(seed),
          terms_(terms),
          scheme_(bucket_scheme(name, terms)),
          by_server_(std::string_view(name) == "spring-gateway") {}

    WindowFixture& window() { return window_; }
    /// The application's.
    support::Moment now() const { return support::from_epoch(by_server_ ? now_ - 3600 : now_); }
    /// The second of the clock that counts is still that of the random state.
    bool is_same_second() { return !by_server_ || window_.server_seconds() == now_; }

    /// Half of the stored numbers are fractions, as fractional rates leave them. The word of what is odd, or empty.
    std::string randomize() {
        window_.server().command({"DEL", kTokensKey, kSecondKey});
        now_ = window_.server_seconds() + (by_server_ ? 0 : window_.between(-600, 600));
        if (window_.one_in(10)) {
            window_.server().command({"RPUSH", kTokensKey, "1"});
            return "wrong-type";
        }
        const bool odd = window_.one_in(10);
        const auto whole = window_.between(-5, terms_.capacity + 3);
        const auto tokens = odd ? std::string("1e3") : fmt::format("{}{}", whole, window_.one_in(2) ? ".5" : "");
        if (!window_.one_in(8)) window_.server().command({"SET", kTokensKey, tokens, "EX", "900"});
        if (!window_.one_in(8) || odd) {
            const auto at = std::to_string(now_ - window_.between(-10, 20));
            window_.server().command({"SET", kSecondKey, at, "EX", "900"});
        }
        return odd && window_.read_half(kTokensKey).value ? "not-an-integer" : "";
    }
    bool is_there() { return stored(kTokensKey) || stored(kSecondKey); }
    /// As the limiter's script works it out.
    double filled() {
        const auto tokens = stored(kTokensKey);
        const auto at = stored(kSecondKey);
        const auto capacity = static_cast<double>(terms_.capacity);
        const double last = tokens ? std::stod(*tokens) : capacity;
        const double passed = std::max(0.0, static_cast<double>(now_) - (at ? std::stod(*at) : 0));
        return std::min(capacity, last + passed * terms_.rate());
    }
    std::int64_t used() { return terms_.capacity - static_cast<std::int64_t>(std::floor(filled())); }

    template <class Item>
    schemes::WriteAnswer answer(redis::ScriptCall (schemes::Scheme::*call)(std::span<const Item* const>,
                                                                           const schemes::CallHead&) const,
                                const Item& item) {
        const std::vector<const Item*> all{&item};
        const std::vector<std::string_view> keys{kTokensKey};
        const auto answers = schemes::decode_writes(keys, window_.call((scheme_.*call)(all, {})));
        REQUIRE(answers.has_value());
        window_.words.insert(answers->windows.at(0).reason);
        return answers->windows.at(0);
    }
    /// What looks say that is there is what scripts say.
    void check_state(const domain::StoredWindow& told) {
        if (!told.state) return;
        auto look = scheme_.look_at(kTokensKey, told);
        look.server_ms = by_server_ ? now_ * 1000 : 0;
        const auto judged = scheme_.judge(look, now(), terms_.limit);
        CHECK(std::to_string(judged.used.value_or(0)) == told.used);
        CHECK(std::to_string(support::epoch_seconds(*judged.reset_at)) == told.reset_at);
        CHECK(*judged.used == used());
    }

private:
    std::optional<std::string> stored(const std::string& key) { return window_.read_half(key).value; }

    WindowFixture window_;
    BucketTerms terms_;
    const schemes::Scheme& scheme_;
    bool by_server_;
    std::int64_t now_ = 0;
};

void take_and_give(const char* name, const BucketTerms& terms, std::uint32_t seed) {
    BucketBox box(name, terms, seed);
    auto& window = box.window();
    const auto capacity = static_cast<double>(terms.capacity);
    for (int i = 0; i < random_states(800); ++i) {
        const auto odd = box.randomize();
        INFO(name << ' ' << i << ' ' << odd);
        const auto before = window.snapshot();
        const bool there = !odd.empty() || box.is_there();
        const double filled = odd.empty() ? box.filled() : 0;
        const bool open = odd.empty() && there && filled < capacity;
        const auto used = odd.empty() ? box.used() : 0;
        std::string word = odd;
        if (window.one_in(2)) {
            domain::CountItem item{{kTokensKey, 0}, window.between(0, 9)};
            item.now = box.now();
            if (window.one_in(4)) item.if_used_at_least = window.between(1, 9);
            if (word.empty() && item.amount == 0) word = "nothing-to-count";
            if (word.empty() && item.if_used_at_least && (open ? used : 0) < *item.if_used_at_least)
                word = open ? "used-too-low" : "no-window";
            const auto answer = box.answer(&schemes::Scheme::count_call, item);
            if (!box.is_same_second()) continue;
            CHECK(answer.reason == word);
            if (word.empty()) {
                CHECK(box.filled() == filled - static_cast<double>(item.amount));
                CHECK(window.server().command({"TTL", kSecondKey}) ==
                      std::to_string(static_cast<std::int64_t>(std::floor(2 * capacity / terms.rate()))));
                box.check_state(answer.after);
            }
        } else {
            domain::RefundItem item{{kTokensKey, 0}, window.between(0, terms.capacity)};
            item.now = box.now();
            item.clamp = window.one_in(2);
            if (word.empty() && !open) word = there ? "closed" : "no-window";
            if (word.empty() && used < item.amount && !item.clamp) word = "below-zero";
            if (word.empty() && item.amount == 0) word = "nothing-to-take";
            const auto answer = box.answer(&schemes::Scheme::refund_call, item);
            if (!box.is_same_second()) continue;
            CHECK(answer.reason == word);
            if (word.empty()) {
                CHECK(answer.taken == std::min(item.amount, used));
                CHECK(box.filled() == std::min(capacity, filled + static_cast<double>(answer.taken)));
                if (box.is_there()) CHECK(window.server().command({"TTL", kTokensKey}).size() == 3);  // of 900 seconds
                box.check_state(answer.after);
            }
        }
        if (!word.empty()) CHECK(window.snapshot() == before);
    }
    for (const char* word : {"", "wrong-type", "not-an-integer", "no-window", "closed", "below-zero", "used-too-low",
                             "nothing-to-count", "nothing-to-take"}) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

TEST_CASE("Counts into and refunds of buckets do what the limiter's arithmetic says") {
    take_and_give("stripe", {10, 1, 50}, 11);
    take_and_give("stripe", {1, 2, 20}, 12);
    take_and_give("spring-gateway", {10, 1, 50}, 13);
}

}  // namespace
}  // namespace ratectl::test
