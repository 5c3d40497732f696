// Flags of a governor's tuning.
#include "commands/governor/tuning_flags.h"

#include <fmt/format.h>

#include "domain/knobs.h"
#include "support/error.h"
#include "support/number_text.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands::governor {
namespace {

using support::ExitCode;
using support::Failure;

void take_number(std::string_view flag, const std::optional<std::string>& text, double& value) {
    if (text) value = number_of(flag, *text);
}

void take_share(std::string_view flag, const std::optional<std::string>& text, double& value) {
    if (text) value = share_of(flag, *text);
}

void take_duration(std::string_view flag, const std::optional<std::string>& text, support::Milliseconds& value) {
    if (text) value = support::duration_of(flag, *text);
}

}  // namespace

void bind_tuning(Syntax syntax, TuningFlags& flags) {
    const auto add = [&syntax](const char* name, auto& value, const char* type, const char* about) {
        return syntax.add_option(name, value, about).type_name(type).group("Tuning");
    };
    add("--set-point", flags.set_points, "N",
        "the load to stay at; with several inputs one for all, or one for each: commands first, then files, then "
        "queries")
        .delimiter(',');
    add("--min", flags.min, "RPS", "the least rate, from which it begins when the breaker closes (default 1)");
    add("--max", flags.max, "RPS", "the greatest rate");
    add("--trip", flags.trip, "N", "the breaker opens at so many times the set point (default 3)");
    add("--rearm", flags.rearm, "N", "a sample is calm up to so many times the set point (default 1)");
    add("--rearm-samples", flags.rearm_samples, "N",
        "so many calm samples, one behind the other, close the breaker (default 2)");
    add("--open-rps", flags.open_rps, "RPS", "what is let through while the breaker is open (default 0)");
    add("--rise", flags.rise, "P%", "a rate grows by no more than this a second (default 2%)");
    add("--fall", flags.fall, "P%", "a rate shrinks by no more than this a second, but for the breaker (default 20%)");
    add("--kp", flags.kp, "N", "gain of a change of the error (default 0.2)");
    add("--ki", flags.ki, "N", "gain of the error, a second (default 0.012)");
    add("--kd", flags.kd, "N", "gain of the load's slope, in seconds (default 2)");
    add("--deadband", flags.deadband, "P%", "a load so near to its set point is left as it is (default 3%)");
    add("--stale-after", flags.stale_after, "DURATION", "an older sample counts as none (default 1m)");
    add("--hold-for", flags.hold_for, "DURATION", "without a sample for so long the breaker opens (default 5m)");
}

domain::governor::Tuning tuning_of(const TuningFlags& flags) {
    domain::governor::Tuning tuning;
    take_number("--min", flags.min, tuning.min);
    take_number("--max", flags.max, tuning.max);
    take_number("--trip", flags.trip, tuning.trip);
    take_number("--rearm", flags.rearm, tuning.rearm);
    take_number("--open-rps", flags.open_rps, tuning.open_rps);
    take_number("--kp", flags.kp, tuning.kp);
    take_number("--ki", flags.ki, tuning.ki);
    take_number("--kd", flags.kd, tuning.kd);
    take_share("--rise", flags.rise, tuning.rise);
    take_share("--fall", flags.fall, tuning.fall);
    take_share("--deadband", flags.deadband, tuning.deadband);
    take_duration("--stale-after", flags.stale_after, tuning.stale_after);
    take_duration("--hold-for", flags.hold_for, tuning.hold_for);
    if (flags.rearm_samples) {
        const auto count = support::parse_unsigned(*flags.rearm_samples, 1000);
        if (!count)
            throw Failure(ExitCode::usage,
                          "--rearm-samples takes a number up to 1000, and not " + support::quoted(*flags.rearm_samples),
                          {});
        tuning.rearm_samples = static_cast<int>(*count);
    }
    if (const auto fault = domain::governor::fault_in(tuning); !fault.empty())
        throw Failure(ExitCode::usage, "nothing can be governed so: " + std::string(fault), {});
    return tuning;
}

std::vector<double> set_points_of(const TuningFlags& flags, std::size_t inputs) {
    if (flags.set_points.empty())
        throw Failure(ExitCode::usage, "which load is it to stay at? no set point was given", "--set-point 2");
    if (flags.set_points.size() != 1 && flags.set_points.size() != inputs)
        throw Failure(ExitCode::usage,
                      fmt::format("{} set points were given for {} inputs", flags.set_points.size(), inputs),
                      "one for all of them, or one for each: commands first, then files, then queries");
    std::vector<double> points;
    for (const auto& text : flags.set_points) {
        points.push_back(number_of("--set-point", text));
        if (points.back() <= 0) throw Failure(ExitCode::usage, "--set-point takes a number above 0", "--set-point 2");
    }
    points.resize(inputs, points.front());
    return points;
}

double number_of(std::string_view flag, const std::string& text) {
    if (const auto number = domain::knob_number(text)) return *number;
    throw Failure(ExitCode::usage, fmt::format("{} takes a number from 0 on, and not {}", flag, support::quoted(text)),
                  "a plain one: 40, 0.5");
}

double share_of(std::string_view flag, const std::string& text) {
    const auto percent = text.ends_with('%') ? support::parse_percent(text.substr(0, text.size() - 1)) : std::nullopt;
    if (percent) return *percent / 100;
    throw Failure(ExitCode::usage,
                  fmt::format("{} takes {}, and not {}", flag, support::kPercentWords, support::quoted(text)), "2%");
}

}  // namespace ratectl::commands::governor
