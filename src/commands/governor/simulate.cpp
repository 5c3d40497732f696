// Runs the model, or reads a file of loads, and decides as `step` and `run` do.
#include "commands/governor/subcommands.h"

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "commands/governor/load_rows.h"
#include "commands/outcome.h"
#include "commands/report/fields/governor_fields.h"
#include "commands/report/row_writer.h"
#include "domain/governor/plant.h"
#include "output/report/line_chart.h"
#include "support/number_text.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands::governor {
namespace {

namespace control = domain::governor;
using support::Failure;

/// What -o says beside the formats of rows.
enum class Drawn { no, text, svg, page };
Drawn drawn_of(const Context& context) {
    const auto& wish = context.options().output;
    if (wish == "plot") return Drawn::text;
    if (wish == "svg") return Drawn::svg;
    return wish == "html" ? Drawn::page : Drawn::no;
}

/// A simulation's decisions on their way out: rows, or curves in the formats that only it has.
class SimulationOutput {
public:
    /// `narrow`: the table's columns. `set_point`: of the load, which is drawn across its curve.
    SimulationOutput(std::string_view narrow, double set_point, Context& context);

    void take(const GovernorRow& row, double second);
    ExitCode end(const output::Footer& footer, std::string about);

private:
    Context& context_;
    Drawn drawn_;
    std::optional<RowWriter<GovernorRow>> rows_;  // null: it is drawn
    output::LineChart chart_;
};

SimulationOutput::SimulationOutput(std::string_view narrow, double set_point, Context& context)
    : context_(context), drawn_(drawn_of(context)) {
    if (drawn_ == Drawn::no) {
        rows_.emplace(context, governor_fields(), kGovernorSchema, narrow);
        return;
    }
    chart_.title = "A governed throttle: load and rate over time";
    chart_.curves = {{"load", {}, set_point}, {"rps", {}, {}}};
}

void SimulationOutput::take(const GovernorRow& row, double second) {
    if (rows_) return rows_->write(row);
    chart_.times.push_back(second);
    chart_.curves[0].values.push_back(row.store_load ? *row.store_load : row.load.value_or(std::nan("")));
    chart_.curves[1].values.push_back(row.decision.rps);
}

ExitCode SimulationOutput::end(const output::Footer& footer, std::string about) {
    if (rows_) return rows_->end(footer);
    chart_.about = std::move(about);
    if (drawn_ == Drawn::text) context_.out().write(output::text_of(chart_, 0));
    if (drawn_ == Drawn::svg) context_.out().write(output::svg_of(chart_));
    if (drawn_ == Drawn::page) output::write_chart_page(context_.out(), chart_);
    context_.out().flush();
    return ExitCode::done;
}

constexpr double kUsualSetPoint = 2;
constexpr double kUsualMax = 200;
constexpr support::Milliseconds kLongest{30LL * 86'400'000};

double seconds_of(std::string_view flag, const std::string& text) {
    const auto span = support::duration_of(flag, text);
    if (span > kLongest) throw Failure(ExitCode::usage, std::string(flag) + " takes 30 days at most", {});
    return static_cast<double>(span.count()) / 1000;
}

/// `30m=5`
control::CostStep cost_step_of(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
        throw Failure(ExitCode::usage, "--cost-at takes DURATION=FACTOR, and not " + support::quoted(text), "30m=5");
    return {seconds_of("--cost-at", text.substr(0, equals)), number_of("--cost-at", text.substr(equals + 1))};
}

control::PlantShape shape_of(const SimulateFlags& flags) {
    control::PlantShape shape;
    if (flags.offered) shape.offered = number_of("--offered", *flags.offered);
    if (flags.swing) shape.swing = share_of("--swing", *flags.swing);
    if (flags.capacity) shape.capacity = number_of("--capacity", *flags.capacity);
    if (flags.background) shape.background = number_of("--background", *flags.background);
    if (flags.lag) shape.lag = seconds_of("--lag", *flags.lag);
    if (flags.delay) shape.delay = seconds_of("--delay", *flags.delay);
    if (flags.noise) shape.noise = share_of("--noise", *flags.noise);
    if (shape.capacity <= 0) throw Failure(ExitCode::usage, "--capacity takes a number above 0", {});
    if (flags.seed) {
        const auto seed = support::parse_unsigned(*flags.seed);
        if (!seed) throw Failure(ExitCode::usage, "--seed takes a number, and not " + support::quoted(*flags.seed), {});
        shape.seed = *seed;
    }
    for (const auto& text : flags.cost_at) {
        shape.cost.push_back(cost_step_of(text));
        if (shape.cost.size() > 1 && shape.cost[shape.cost.size() - 2].at > shape.cost.back().at)
            throw Failure(ExitCode::usage, "--cost-at: the steps are not in the order of their times", {});
    }
    if (flags.cost_at.empty()) shape.cost = {{1800, 5}};
    return shape;
}

TuningFlags filled(TuningFlags flags) {
    if (flags.set_points.empty()) flags.set_points = {fmt::format("{}", kUsualSetPoint)};
    if (!flags.max) flags.max = fmt::format("{}", kUsualMax);
    return flags;
}

std::string words_of(const control::Recovery& recovery) {
    auto words =
        fmt::format("cost step at {:.0f} s: load up to {:.2f} times the set point", recovery.at, recovery.highest);
    if (recovery.tripped_at) words += fmt::format(", breaker open {:.0f} s later", *recovery.tripped_at - recovery.at);
    if (recovery.rearmed_at)
        words += fmt::format(", closed after {:.0f} s, then up to {:.2f}", *recovery.rearmed_at - recovery.at,
                             recovery.highest_rearmed);
    return words + (recovery.back_after ? fmt::format(", back within 10 % after {:.0f} s", *recovery.back_after)
                                        : ", not back within 10 %");
}

class Simulation {
public:
    Simulation(const SimulateFlags& flags, Context& context)
        : context_(context),
          outcome_(context),
          given_(filled(flags.tuning)),
          tuning_(tuning_of(given_)),
          set_point_(set_points_of(given_, 1).front()),
          rps_(flags.start ? number_of("--start", *flags.start) : tuning_.max),
          output_(flags.csv ? kReplayedColumns : kSimulatedColumns, set_point_, context) {}

    /// The model, a second at a time.
    ExitCode run_model(const control::PlantShape& shape, double every, double duration) {
        control::Plant plant(shape);
        plant.settle(rps_);
        std::vector<double> steps;
        double factor = 1;
        for (const auto& step : shape.cost) {
            if (step.factor != factor) steps.push_back(step.at);
            factor = step.factor;
        }
        control::RecoveryWatch recovery(std::move(steps));
        double next = 0;
        while (plant.second() < duration && !context_.stop()) {
            recovery.see(plant.second(), plant.load() / set_point_);
            if (plant.second() >= next) {
                decide_for(plant, shape.delay);
                recovery.decided(plant.second(), row_.decision.why);
                output_.take(row_, plant.second());
                next += every;
            }
            plant.step(control::rounded(rps_));
        }
        std::string about;
        for (const auto& one : recovery.recoveries()) about += (about.empty() ? "" : "; ") + words_of(one);
        return end(about);
    }

    /// Loads as they were, one decision each; and one where a gap between them lets the breaker open, as `run` is up
    /// then.
    ExitCode run_rows(LoadRows rows) {
        std::optional<support::WallTime> first;
        while (const auto load = rows.next()) {
            if (context_.stop()) break;
            if (!first) first = load->at;
            const auto blind_at = control::held_until(tuning_, state_);
            if (blind_at && *blind_at < load->at) decide_at(*blind_at, std::nullopt, *first);
            decide_at(load->at, load->load, *first);
        }
        if (rows.unreadable() > 0) {
            outcome_.attend();
            context_.messages().warning(
                fmt::format("{} row{} no load that can be one: decided without ({})", rows.unreadable(),
                            rows.unreadable() == 1 ? " has" : "s have", rows.first_unreadable()),
                "a number from 0 on; an empty load, or NaN, says that there was none");
        }
        return end({});
    }

private:
    void decide_at(support::WallTime at, std::optional<double> load, support::WallTime first) {
        row_ = {};
        row_.at = at;
        row_.load = load;
        if (load) row_.sample = control::Sample{*load / set_point_, at};
        decide(at);
        output_.take(row_, static_cast<double>((at - first).count()) / 1000);
    }

    void decide_for(const control::Plant& plant, double delay) {
        const auto now = support::WallTime{support::Milliseconds{static_cast<std::int64_t>(plant.second() * 1000)}};
        row_ = {};
        row_.second = plant.second();
        row_.load = plant.measured();
        row_.sample = control::Sample{plant.measured() / set_point_,
                                      now - support::Milliseconds{static_cast<std::int64_t>(delay * 1000)}};
        row_.store_load = plant.load();
        row_.offered = plant.offered();
        row_.admitted = plant.admitted();
        decide(now);
    }

    void decide(support::WallTime now) {
        row_.before = control::rounded(rps_);
        row_.decision = control::decide(tuning_, state_, control::StandingRate{*row_.before}, row_.sample, now);
        state_ = row_.decision.next;
        rps_ = row_.decision.rps;
        ++decisions_;
        changes_ += control::rounded(rps_) != row_.before ? 1 : 0;
    }

    ExitCode end(const std::string& about) {
        outcome_.add(output_.end(outcome_.footer(!context_.stop()), about));
        const auto words =
            fmt::format("{} decision{}, {} of them changed the rate", decisions_, decisions_ == 1 ? "" : "s", changes_);
        context_.messages().summary(about.empty() ? words : words + "; " + about,
                                    {{"decisions", decisions_}, {"changes", changes_}});
        if (context_.stop()) outcome_.add(stopped(context_.stop()));
        return outcome_.code();
    }

    Context& context_;
    Outcome outcome_;
    TuningFlags given_;
    control::Tuning tuning_;
    double set_point_;
    double rps_;
    SimulationOutput output_;
    control::State state_;
    GovernorRow row_;
    std::int64_t decisions_ = 0;
    std::int64_t changes_ = 0;
};

}  // namespace

void bind_simulate(Syntax syntax, SimulateFlags& flags) {
    bind_tuning(syntax, flags.tuning);
    const auto add = [&syntax](const char* name, auto& value, const char* type, const char* about) {
        return syntax.add_option(name, value, about).type_name(type).group("Simulation");
    };
    const auto csv =
        add("--csv", flags.csv, "FILE", "rows of time and load, `-` reads them: what would have been decided then?");
    add("--start", flags.start, "RPS", "the rate at the beginning (default: --max)");
    const auto of_model = [&](const char* name, auto& value, const char* type, const char* about) {
        add(name, value, type, about).excludes(csv);  // what was recorded has all of that
    };
    of_model("--every", flags.every, "DURATION", "how long from one decision to the next (default 15s)");
    of_model("--duration", flags.duration, "DURATION", "how long the model runs (default 1h30m)");
    of_model("--offered", flags.offered, "RPS", "what callers of the model make, on average over a day (default 150)");
    of_model("--swing", flags.swing, "P%",
             "by so much more at the peak, with which the day begins, and less in the trough");
    of_model("--capacity", flags.capacity, "RPS",
             "what loads the model's store by 1, as long as its cost is 1 (default 50)");
    of_model("--background", flags.background, "N", "load of the store by other work (default 0)");
    of_model("--cost-at", flags.cost_at, "DURATION=FACTOR",
             "from then on a request costs so many times as much (default 30m=5)");
    of_model("--lag", flags.lag, "DURATION", "time constant of the store's load (default 20s)");
    of_model("--delay", flags.delay, "DURATION", "how old a load is when it is read (default 15s)");
    of_model("--noise", flags.noise, "P%", "what callers make varies by so much (default none)");
    of_model("--seed", flags.seed, "N", "of the noise; the same seed is the same noise (default 1)");
}

ExitCode run_simulate(const SimulateFlags& flags, Context& context) {
    if (answer_columns_help(context, output::columns_of(governor_fields()))) return ExitCode::done;
    if (flags.csv) return Simulation(flags, context).run_rows(LoadRows(*flags.csv, context));
    const double every = flags.every ? seconds_of("--every", *flags.every) : 15;
    const double duration = flags.duration ? seconds_of("--duration", *flags.duration) : 5400;
    const auto shape = shape_of(flags);
    return Simulation(flags, context).run_model(shape, std::max(1.0, every), duration);
}

}  // namespace ratectl::commands::governor
