// What all limiters share whose use and end follow from what is stored, the policy and the time: every request moves
// them, and so does every moment that passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/policy.h"
#include "redis/script.h"
#include "schemes/typed_keys_scheme.h"

namespace ratectl::schemes::state {

/// Whose time counts.
enum class Clock { server, application };

/// What is stored, at a moment.
struct Meaning {
    /// Null: without a limit and a period nothing says how many requests it stands for.
    std::optional<std::int64_t> used;
    double part_left = 0;     // of one request more, beside the whole ones that are left
    bool counts = false;      // something of it is used
    std::int64_t end_ns = 0;  // all of it is free again
    bool endless = false;     // nothing will ever have it so
    /// One request passes then, where none does now and that is earlier than the end.
    std::optional<std::int64_t> passes_ns = {};
    std::optional<domain::Limiter::StoredLimit> limit = {};  // where what is stored says it
    bool stopped = false;                                    // none passes, and time frees nothing
};

inline constexpr std::int64_t kSecondNs = 1'000'000'000;
inline constexpr std::int64_t kMillisecondNs = 1'000'000;

/// A fraction as programs write it, without an exponent: `12.5`, `312018159.08614701`; null: it is none.
std::optional<double> fraction_in(std::string_view text);
/// The same in nanoseconds, for moments in seconds; null also where 64 bits do not hold it.
std::optional<std::int64_t> nanoseconds_in(std::string_view seconds);
/// As the scripts write one.
std::string fraction_text(double number);
/// The next whole second, as far as 64 bits of nanoseconds hold it.
std::int64_t whole_up(double seconds);
/// A fraction that begins with a digit and is no more than `most`.
std::optional<double> moment_in(std::string_view text, double most);

/// Without a policy most of them can say that something is used, and not how much.
class StateScheme : public TypedKeysScheme {
public:
    StateScheme(const Scripts& scripts, Clock clock, const domain::Policy* policy);

    std::optional<std::size_t> used_part() const override { return std::nullopt; }
    bool end_moves() const override { return true; }

    std::optional<StoredLimit> limit_in(const domain::WindowLook& look) const override;
    domain::WindowLook look_after(const domain::WindowLook& look, support::Moment now,
                                  std::int64_t requests) const override;
    domain::StoredWindow foreseen(const domain::WindowLook& look, support::Moment now,
                                  std::int64_t requests) const override;
    std::string_view uncountable(const domain::WindowLook& look) const override;
    domain::Window judge(const domain::WindowLook& look, support::Moment now,
                         std::optional<std::int64_t> limit) const override;
    std::optional<support::Instant> open_until(const domain::WindowLook& look, support::Moment now) const override;
    std::string corruption(const domain::WindowLook& look) const override;
    std::string words_of(const domain::WindowLook& look, support::Moment now) const override;
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    domain::StoredWindow stored(const domain::WindowLook& look, support::Moment now) const override;
    domain::WindowLook look_at(std::string key, const domain::StoredWindow& stored) const override;

    redis::ScriptCall count_call(std::span<const domain::CountItem* const> items, const CallHead& head) const override;
    redis::ScriptCall refund_call(std::span<const domain::RefundItem* const> items,
                                  const CallHead& head) const override;
    redis::ScriptCall reset_call(std::span<const domain::ResetItem* const> items, const CallHead& head) const override;
    redis::ScriptCall restore_call(std::span<const domain::RestoreItem* const> items,
                                   const CallHead& head) const override;
    redis::ScriptCall put_call(std::span<const domain::PutItem* const> items, const CallHead& head) const override;

    std::optional<domain::StoredWindow> given_back(const domain::StoredWindow& before,
                                                   const domain::StoredWindow& after) const override;
    bool went_on(const domain::WindowLook& look, const domain::StoredWindow& was) const override;

    /// The text of each key, in the order of parts(); null: nothing is there.
    using Texts = std::vector<std::optional<std::string_view>>;

protected:
    /// Null: this limiter stores no such thing. Something is there, if only what a reset leaves.
    virtual std::optional<Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                           std::optional<std::int64_t> limit) const = 0;
    /// The arguments of the limiter's own, behind those of state.lua.
    virtual std::vector<std::string> terms(const std::string& key) const = 0;
    using Keys = std::vector<domain::StoredKey>;
    /// What is stored after so many requests more (negative: given back), as the scripts would have it: its own keys in
    /// their order, without one that is kept. Empty: nothing of it is left.
    virtual Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const = 0;
    /// Whether a limit and the policy say how many requests there are.
    virtual bool is_countable(std::int64_t limit) const { return limit > 0 && period().has_value(); }
    /// Until then this part has to be there; null: its TTL is what tells the end.
    virtual std::optional<std::int64_t> needed_until_ns(const domain::WindowLook& /*look*/, std::size_t /*part*/,
                                                        const Meaning& meant) const {
        return meant.end_ns;
    }
    /// So many texts say what there is to know of one request; 0: requests are not kept one by one.
    virtual std::size_t texts_a_request() const { return 0; }
    /// The same as the script's went_on(w, was, ends), of what is there (`look`) and what was (`then`). This one is
    /// that of limiters that keep each request: one of them is in both.
    virtual bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                          const domain::StoredWindow& was) const;
    /// What is wrong with the TTLs beside what is wrong with any limiter's.
    virtual std::optional<domain::Finding> own_fault(const domain::WindowLook& /*look*/,
                                                     const domain::Circumstances& around) const;
    /// Why there is no meaning, in a few words.
    virtual std::string fault_in(const Texts& /*texts*/) const {
        return "what is stored is no " + std::string(parts().front().name);
    }

    static Texts texts_in(const domain::WindowLook& look);
    const domain::Policy* policy() const { return policy_.empty() ? nullptr : &policy_.policies().front(); }
    std::optional<support::Seconds> period() const { return policy() != nullptr ? policy()->period : std::nullopt; }
    /// Of the key, by the policy.
    virtual std::optional<std::int64_t> limit_of(std::string_view key) const;
    /// The time that counts, at `now` by the application's clock.
    std::int64_t now_ns(const domain::WindowLook& look, support::Moment now) const;

private:
    /// What is stored of the window, in one text; null: it is not there.
    std::optional<std::string> state_in(const domain::WindowLook& look) const;
    std::optional<Meaning> meaning_at(const domain::WindowLook& look, support::Moment now,
                                      std::optional<std::int64_t> limit) const;
    std::optional<std::int64_t> known_limit(std::optional<std::int64_t> limit) const;
    std::optional<domain::Finding> ttl_fault(const domain::WindowLook& look, const Meaning& meant,
                                             const domain::Circumstances& around) const;
    /// As its scripts read it: empty where the server's counts.
    std::string clock_at(support::Moment now) const;
    template <class Item, class Columns>
    redis::ScriptCall call(const redis::Script& script, std::span<const Item* const> items, const CallHead& head,
                           Columns columns_of) const;

    const Scripts& scripts_;
    Clock clock_;
    domain::PolicyBook policy_;  // one or none
};

}  // namespace ratectl::schemes::state
