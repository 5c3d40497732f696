// What the stored keys of one kind of limiter mean. Pure; schemes implement it, and every look says whose it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/key_template.h"
#include "domain/knobs.h"
#include "domain/rollout.h"
#include "domain/window.h"
#include "domain/write.h"
#include "support/time.h"

namespace ratectl::domain {

struct Circumstances;
struct Finding;

/// Which kind of limiter keeps a deployment's windows, and what its keys are called.
struct Layout {
    std::string scheme = "window";
    std::string expiry_suffix = ":exp";  // of schemes that keep the end of a window in a key of its own

    bool operator==(const Layout&) const = default;
};

/// No moment that is stored lies behind that: more nanoseconds since the epoch are none of 64 bits.
inline constexpr support::Instant kLatestMoment = support::from_epoch(9'000'000'000);

class Limiter {
public:
    virtual ~Limiter() = default;

    /// The one that keeps the window with this key: another one only where policies have schemes of their own.
    virtual const Limiter& of(std::string_view /*key*/) const { return *this; }

    /// How windows are stored, in a word: what was changed under one layout is taken back under it alone.
    /// Lives as long as the limiter.
    virtual std::string_view layout() const = 0;

    // ---- the keys of a window: its own, which says where it lives, is the first part
    struct Part {
        std::string_view name;  // `counter`
        std::string_view plural;
        std::string_view type = "string";               // as TYPE names it
        std::span<const std::string_view> fields = {};  // of a hash, those that count
        bool kept = false;    // it says how windows are counted: a reset leaves it, and without the others it is none
        bool shared = false;  // of a hash: its program keeps other fields beside these, and perhaps none of these
        bool sparse = false;  // of a hash: without these fields it is as good as none
    };
    /// In the order of a look's parts.
    virtual std::span<const Part> parts() const = 0;
    /// Which part holds how many are used, and which one when the window ends; null: that is not stored.
    virtual std::optional<std::size_t> used_part() const = 0;
    virtual std::optional<std::size_t> reset_part() const = 0;
    /// Where its windows' ends come from: they are `stored`, they are those of a `ttl`, or `computed` from what is
    /// stored, the policy and the time. Static storage.
    virtual std::string_view reset_kind() const { return reset_part() ? "stored" : "computed"; }
    /// The name of one part of the window with this key.
    virtual std::string part_key(std::string_view key, std::size_t part) const = 0;
    /// The pattern of the names of that part, of windows whose keys match the glob.
    virtual std::string part_glob(std::string_view glob, std::size_t part) const = 0;
    /// Another part may be the key of a window of its own, too.
    virtual bool parts_are_windows() const { return false; }
    struct PartOf {
        std::string_view stem;         // what this and the window's key begin with
        std::size_t part = 0;          // not the first: any name may be a window's own
        std::string_view ending = {};  // of the window's key, behind the stem; static storage
        bool may_be_window = true;     // where what is stored says so

        std::string key() const { return std::string(stem).append(ending); }
    };
    /// What this would be, if not a window's own key; null: it is no name of another part.
    virtual std::optional<PartOf> part_of(std::string_view stored) const = 0;

    /// Dump files show its windows: each is one string, or two whose second name says whose it is.
    bool is_shown_by_dumps() const { return reset_part() || (parts().size() == 1 && parts().front().type == "string"); }

    /// What the name of a window says of its limit: some limiters write it there.
    struct Quota {
        std::int64_t limit = 0;
        support::Seconds period{};
    };
    virtual std::optional<Quota> quota_in(std::string_view /*key*/) const { return std::nullopt; }

    /// What is stored with a window says of its limit, above all else that does.
    struct StoredLimit {
        std::optional<std::int64_t> limit;            // null: nothing limits it
        std::optional<support::Seconds> period = {};  // in which it comes back, where that is stored, too
    };
    virtual std::optional<StoredLimit> limit_in(const WindowLook& /*look*/) const { return std::nullopt; }

    /// Some limiters number their windows in their keys: what the hole {bucket} of this policy's keys holds at that
    /// moment. Nothing: it numbers none.
    virtual Captures holes_at(std::string_view /*policy*/, support::Moment /*now*/) const { return {}; }
    /// The key of the window that the same client has at that moment.
    virtual std::string key_at(std::string key, support::Moment /*now*/) const { return key; }
    /// The last second of a window that is opened under this key at `now`; null: nothing says how long it lasts.
    virtual std::optional<support::Instant> next_end(std::string_view /*key*/, support::Moment now,
                                                     std::optional<support::Seconds> period) const {
        return period ? std::optional{now + *period} : std::nullopt;
    }

    /// So much later than its last second a window ends by what clients are told, at most: libraries round up.
    virtual support::Seconds told_late() const { return {}; }

    /// Its windows have no end of their own by which they could be known: each request moves it.
    virtual bool end_moves() const { return false; }
    /// Where it moves: a look at what is there after so many requests more (negative: given back).
    virtual WindowLook look_after(const WindowLook& look, support::Moment /*now*/, std::int64_t /*requests*/) const {
        return look;
    }
    /// What that shows at this moment. Nothing: no window.
    virtual StoredWindow foreseen(const WindowLook& /*look*/, support::Moment /*now*/,
                                  std::int64_t /*requests*/) const {
        return {};
    }
    /// Its scripts will not count so many requests more, as they store no so many elements.
    virtual bool outgrows(const WindowLook& /*look*/, support::Moment /*now*/, std::int64_t /*requests*/) const {
        return false;
    }
    /// Why its scripts will count nothing into what was looked at: `no-rate`, `not-counted`, `read-only`; empty: they
    /// will.
    virtual std::string_view uncountable(const WindowLook& /*look*/) const { return ""; }
    /// It limits what clients do: not so where settings alone are kept.
    virtual bool limits_clients() const { return true; }
    /// Its keys never expire, by its own will: what is over stays all the same.
    virtual bool stays_for_good() const { return false; }
    /// Its limit is so many in a period; else so many at a time.
    virtual bool limits_rate() const { return true; }

    // ---- what a look means; total over any look
    /// So many requests pass in a window with this limit, and then none: what `exhausted` is told by.
    virtual std::int64_t most_let_through(std::int64_t limit) const { return limit; }
    virtual Window judge(const WindowLook& look, support::Moment now, std::optional<std::int64_t> limit) const = 0;
    virtual std::optional<support::Instant> open_until(const WindowLook& look, support::Moment now) const = 0;
    /// Why it is corrupt, in a few words; empty: it is not.
    virtual std::string corruption(const WindowLook& look) const = 0;
    /// `7 used until 2026-01-01T00:00:00Z`, `no window` ...
    virtual std::string words_of(const WindowLook& look, support::Moment now) const = 0;
    /// What explain tells of it beside that, in sentences; usually nothing.
    virtual std::string remark(const WindowLook& /*look*/, support::Moment /*now*/) const { return {}; }

    // ---- what is wrong with it: see domain/diagnosis/finding.h
    virtual std::vector<Finding> diagnose(const WindowLook& look, const Circumstances& around) const = 0;
    virtual bool looks_sound(const WindowLook& look, const Circumstances& around) const = 0;
    virtual std::optional<std::int64_t> right_expiry_ms(const WindowLook& look) const = 0;

    // ---- what is stored, for guards, records and undo
    /// Without expiries; of limiters whose use follows from the time, with what is used at that moment.
    virtual StoredWindow stored(const WindowLook& look, support::Moment now) const = 0;
    /// No refund goes below it, and no window is opened with less.
    virtual std::int64_t lowest_used() const { return 0; }
    /// The same of this window, where some of what is used is not to be given back.
    virtual std::int64_t floor_of(const WindowLook& /*look*/, support::Moment /*now*/) const { return lowest_used(); }
    /// What a window that is opened now begins with: some limiters count on in a counter that has outlived its window.
    virtual std::int64_t carried_over(const WindowLook& /*look*/, std::optional<std::int64_t> /*limit*/) const {
        return 0;
    }
    /// The requests that a refund between the two has given back, where they are kept one by one: an undo brings those
    /// very ones back. Null: they are not.
    virtual std::optional<StoredWindow> given_back(const StoredWindow& /*before*/,
                                                   const StoredWindow& /*after*/) const {
        return std::nullopt;
    }
    /// Where ends move: what is there may be what `was` there, in the same window, has become by more requests and by
    /// time. False: it is another window, or requests were given back since. True also where nothing tells.
    virtual bool went_on(const WindowLook& /*look*/, const StoredWindow& /*was*/) const { return true; }
    /// What a write has done to a window, as it is on record.
    struct Counted {
        const StoredWindow& before;
        const StoredWindow& after;
        std::int64_t requests = 0;  // negative: given back
        support::WallTime at{};     // by its server's clock
    };
    /// By the limit and period that are known now so many requests are another share of what is stored than they were
    /// then. Never where what is stored is requests, and not where nothing tells.
    virtual bool has_other_terms(std::string_view /*key*/, const Counted& /*counted*/) const { return false; }
    /// The knobs of this window, where there are some beside it; null: there are none.
    virtual std::optional<Knobs> knobs_in(const WindowLook& /*look*/) const { return std::nullopt; }
    /// What a key of knobs stores that has these.
    virtual std::string state_with(const Knobs& /*knobs*/) const { return {}; }
    /// The gates of the feature that is kept there; null: none is.
    virtual std::optional<FeatureGates> gates_in(const WindowLook& /*look*/) const { return std::nullopt; }
    /// What the key of a feature stores that has these.
    virtual std::string state_with(const FeatureGates& /*gates*/) const { return {}; }

    /// A light look that would show this.
    virtual WindowLook look_at(std::string key, const StoredWindow& stored) const = 0;
};

}  // namespace ratectl::domain
