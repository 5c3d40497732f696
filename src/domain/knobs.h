// Knobs beside a throttle: what people turn so that it lets more requests through, or fewer. Source: limitlion 1.1,
// throttle.lua and throttle.py.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ratectl::domain {

/// In the order in which they are stored.
enum class Knob : std::size_t { rps, burst, window };
inline constexpr std::array<std::string_view, 3> kKnobNames{"rps", "burst", "window"};
/// What a caller of the limiter has who says nothing else.
inline constexpr std::string_view kUsualBurst = "1";
inline constexpr std::string_view kUsualWindow = "5";

/// As they are stored; null: that one is not.
struct Knobs {
    std::array<std::optional<std::string>, kKnobNames.size()> texts;

    const std::optional<std::string>& of(Knob knob) const { return texts[static_cast<std::size_t>(knob)]; }
    std::optional<std::string>& of(Knob knob) { return texts[static_cast<std::size_t>(knob)]; }
    bool operator==(const Knobs&) const = default;
};

/// `rps 9, burst 1, window 5`
std::string words_of(const Knobs& knobs);
/// A number without a sign and an exponent: `0.5`, `40`; null: it is none. What ratectl writes.
std::optional<double> knob_number(std::string_view text);
/// What LimitLion takes it for, which is Lua's tonumber(): with a sign, an exponent, white space around it, in
/// hexadecimal; infinite, too, or NaN. Null: no number, with which every call of the limiter fails.
std::optional<double> limiter_number(std::string_view text);

/// Why every call of a limiter fails that finds these, or its count is lost; empty: it counts by them, or lets no
/// request through, or every one.
std::string breakage_of(const Knobs& knobs);

/// Why a limiter with these would fail, forget what is used, or let no request through although it says so many a
/// second; empty: it counts by them, or is stopped (rps 0), or lets every request through (rps -1).
std::string fault_in(const Knobs& knobs);
/// So many requests come back with each window, which is a whole number: a fraction is rounded up. Null: that is what
/// they say.
std::optional<std::int64_t> rounded_up(const Knobs& knobs);

}  // namespace ratectl::domain
