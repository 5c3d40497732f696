// The commonest layout of all: one integer under K with a TTL, which is when the window ends.
#pragma once

#include "redis/script.h"
#include "schemes/counter/buckets.h"
#include "schemes/typed_keys_scheme.h"

namespace ratectl::schemes::counter {

/// What limiters of this layout do differently.
struct Rules {
    /// No refund goes below it, and no window is opened with less. 1 where the request that counts the first sets the
    /// TTL: at 0 the next one would be the first again, and begin the window anew.
    std::int64_t floor = 0;
    /// The second that clients are told as a window's end is so much later than its last one, at most.
    std::int64_t told_late = 1;
    /// It lets a request pass as long as no more than the limit are used, which makes one more than the limit.
    bool lets_one_more = false;
    /// The next request begins a counter without a TTL anew. Elsewhere it goes on counting, and nothing ends it.
    bool begins_anew = false;
    /// Its keys end in `/100/1/minute`: the limit, how many units the period has, and the unit.
    bool names_quota = false;
    /// It may give a counter a longer TTL than a period: for a block, or because nothing says how long one is.
    bool lengthens = false;
    /// A numbered window's key goes at most so much later than its window.
    int outlives_periods = 0;
    support::Seconds outlives{1};
    /// Its counters are lists, an element a request.
    bool keeps_calls = false;
    /// Its keys say which window they are, and so when it ends, whatever the TTL is.
    std::optional<Buckets> buckets = {};
};

/// A window's last second is the one before its key expires.
class CounterScheme final : public TypedKeysScheme {
public:
    explicit CounterScheme(Rules rules) : TypedKeysScheme(false), rules_(std::move(rules)) {}

    std::string_view layout() const override {
        return rules_.keeps_calls ? "list of calls" : rules_.buckets ? "numbered counter" : "counter";
    }
    std::span<const Part> parts() const override;
    std::optional<std::size_t> used_part() const override {
        return rules_.keeps_calls ? std::nullopt : std::optional<std::size_t>{0};
    }
    std::string_view reset_kind() const override { return rules_.buckets ? "computed" : "ttl"; }

    std::optional<Quota> quota_in(std::string_view key) const override;
    domain::Captures holes_at(std::string_view policy, support::Moment now) const override;
    std::string key_at(std::string key, support::Moment now) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;

    bool outgrows(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::int64_t most_let_through(std::int64_t limit) const override;
    support::Seconds told_late() const override { return support::Seconds{rules_.told_late}; }
    domain::Window judge(const domain::WindowLook& look, support::Moment now,
                         std::optional<std::int64_t> limit) const override;
    std::optional<support::Instant> open_until(const domain::WindowLook& look, support::Moment now) const override;
    std::string corruption(const domain::WindowLook& look) const override;
    std::string words_of(const domain::WindowLook& look, support::Moment now) const override;
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    std::int64_t lowest_used() const override { return rules_.floor; }
    domain::StoredWindow stored(const domain::WindowLook& look, support::Moment now) const override;
    domain::WindowLook look_at(std::string key, const domain::StoredWindow& stored) const override;

    redis::ScriptCall count_call(std::span<const domain::CountItem* const> items, const CallHead& head) const override;
    redis::ScriptCall refund_call(std::span<const domain::RefundItem* const> items,
                                  const CallHead& head) const override;
    redis::ScriptCall reset_call(std::span<const domain::ResetItem* const> items, const CallHead& head) const override;
    redis::ScriptCall restore_call(std::span<const domain::RestoreItem* const> items,
                                   const CallHead& head) const override;

private:
    /// The seconds in which a window counts, the last one included.
    struct Span {
        std::optional<support::Instant> first;  // null: it has begun
        std::optional<support::Instant> last;   // null: nothing says

        bool has_begun(support::Moment now) const { return !first || *first <= now || now == domain::kWhenever; }
        bool holds(support::Moment now) const { return has_begun(now) && last && *last >= now; }
    };
    Span span_of(const domain::WindowLook& look) const;
    /// How many it counts; null: nothing is there, or no counter.
    std::optional<std::int64_t> used_in(const domain::WindowLook& look) const;
    /// The same as it is stored.
    std::optional<std::string> used_text(const domain::WindowLook& look) const;
    std::optional<Bucket> bucket_of(std::string_view key) const;
    /// The same as an argument of scripts, where the key tells it; else the empty text.
    std::string named_end(const std::string& key) const;
    domain::Finding endless(const domain::WindowLook& look) const;
    /// Of a numbered window, and of one that its TTL ends.
    std::optional<domain::Finding> number_fault(const domain::WindowLook& look, const Bucket& bucket,
                                                const domain::Circumstances& around) const;
    std::optional<domain::Finding> wrong_expiry(const domain::WindowLook& look, const Bucket& bucket,
                                                const domain::Circumstances& around) const;
    std::optional<domain::Finding> ttl_fault(const domain::WindowLook& look, const domain::Circumstances& around) const;

    const Scripts& scripts() const;

    Rules rules_;
};

/// Embedded from lua/counter/ at build.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::counter

/// The scripts of counters that are lists, an element a request.
namespace ratectl::schemes::counter::calls {

/// Embedded from lua/counter/ at build, behind calls.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::counter::calls
