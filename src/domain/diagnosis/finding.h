// What can be wrong with a window, or with a server that holds windows: classes under stable words, and the rules that
// tell them apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/window.h"
#include "support/time.h"

namespace ratectl::domain {

/// In the order in which they are listed. The first thirteen are about windows, the others about servers.
enum class FindingClass {
    corrupt,
    orphan_counter,
    orphan_expiry,
    expiry_absurd,
    expiry_past,
    leaked,
    endless,
    ttl_short,
    ttl_long,
    negative,
    suffix_clash,
    misplaced,
    duplicate,
    wrong_role,
    two_primaries,
    link_down,
    replica_lag,
    clock_skew,
    can_evict,
    memory_near_limit,
    not_persisting,
    scripts_denied,
    commands_denied,
    old_version,
    cluster_node,
    same_server,
    masked_keys,
};

/// What a repair of the class does. It never makes a value up: a count or an end that is lost stays lost.
enum class Repair {
    none,             // a person who knows what should be there has to say so; the advice names the command
    set_expiries,     // both halves expire one second after the end of the window, values untouched
    remove,           // what is there counts for no client any more
    remove_if_named,  // it goes only where the class is named: a person may still want to read it
};
/// `no`, `set-expiries`, `remove`, `remove-if-named`.
std::string_view name_of(Repair repair);

/// One class, as `doctor --classes` and the manual tell it.
struct FindingKind {
    FindingClass what;
    std::string_view name;    // `orphan-counter`
    std::string_view wrong;   // what is wrong
    std::string_view effect;  // what the application sees
    std::string_view advice;  // what to do
    Repair repair = Repair::none;
    bool is_window() const { return what <= FindingClass::duplicate; }
};
std::span<const FindingKind> finding_kinds();
const FindingKind& kind_of(FindingClass what);
inline std::string_view name_of(FindingClass what) { return kind_of(what).name; }
std::optional<FindingClass> finding_class_from(std::string_view name);

/// What is known around a look.
struct Circumstances {
    support::Moment now{};                   // the application's clock
    support::WallTime server_now{};          // the clock of the server that was looked at
    std::optional<support::Seconds> period;  // of the policy that matches the key
    bool is_ours =
        true;  // a policy says that the key is a window; else half a window is one only if it holds an integer
};

/// One fault of one window.
struct Finding {
    FindingClass what = FindingClass::corrupt;
    std::string detail;  // in words, one line; may hold stored bytes
    // Of this very case; empty: what is said of its class.
    std::string_view own_effect{};
    std::string_view own_advice{};
    std::optional<Repair> own_repair{};

    std::string_view effect() const { return own_effect.empty() ? kind_of(what).effect : own_effect; }
    std::string_view advice() const { return own_advice.empty() ? kind_of(what).advice : own_advice; }
    Repair repair() const { return own_repair.value_or(kind_of(what).repair); }
    bool operator==(const Finding&) const = default;
};

/// How far an expiry may be from where it should be: what PTTL and a second clock cost the program that wrote it.
inline constexpr support::Milliseconds kExpiryTolerance{1000};
/// A window is over for sure when its last second is so long ago on both clocks.
inline constexpr support::Seconds kOverGrace{10};

/// It ends in more than ten periods (or a day, where that is longer), or in ten years where no period is known.
std::optional<Finding> absurd_end(support::Instant end, const Circumstances& around);
/// For sure, whichever clock is right.
bool is_over(support::Instant end, const Circumstances& around);

/// When the keys of this window have to expire, in milliseconds. Null: its limiter demands nothing, or it has no end
/// that counts.
std::optional<std::int64_t> right_expiry_ms(const WindowLook& look);

/// True when a look of any depth but light shows nothing to be looked at again. May say false of a sound window, never
/// true of a faulty one.
bool looks_sound(const WindowLook& look, const Circumstances& around);

/// The faults of one window by itself: an atomic full look. At most one of corrupt, orphan-counter, orphan-expiry,
/// expiry-absurd, expiry-past, leaked, endless, ttl-short, ttl-long, the first in this order that fits, because each
/// hides or explains those behind it; negative and suffix-clash can come on top. misplaced and duplicate are about
/// where a window is, and not found here. Nothing there, or nothing that could be a window: no findings.
std::vector<Finding> diagnose(const WindowLook& look, const Circumstances& around);

}  // namespace ratectl::domain
