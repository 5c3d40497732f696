// knobs: what LimitLion's throttles go by, as soon as it is there. All of them are written in one step, in the place of
// those that were seen.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "commands/all_commands.h"
#include "commands/report/fields/throttle_fields.h"
#include "commands/report/key_mask.h"
#include "commands/request/refused_flags.h"
#include "commands/throttle/throttle_list.h"
#include "commands/write/change.h"
#include "commands/write/write_run.h"
#include "domain/governor/decide.h"
#include "domain/governor/lease.h"
#include "domain/knobs.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

using domain::Knob;
using domain::Knobs;

struct KnobsRequest {
    enum class Action { get, set, unset, stop, unlimited };
    Action action = KnobsRequest::Action::get;
    throttle::Names names;
    std::vector<std::string> turned;  // KNOB=N
    ConsentFlags consent;
    OrderFlags order;
};

void bind_knobs_change(Syntax sub, KnobsRequest& request) {
    bind_consent(sub, request.consent);
    bind_op_id(sub, request.order);
    bind_delivery(sub, request.order);
}

void bind_knobs(Syntax syntax, KnobsRequest& request) {
    using Action = KnobsRequest::Action;
    const auto add = [&](Action action, const char* name, const char* about) {
        auto sub = syntax.add_subcommand(name, about, request.action, action);
        throttle::bind_names(sub, request.names);
        return sub;
    };
    add(Action::get, "get", "what they say, and when they are forgotten");
    auto set = add(Action::set, "set", "turn some, and leave the others as they are");
    set.option("NAME").expected(1);
    set.add_option(
           "KNOB=N", request.turned,
           "rps=N: so many requests a second; burst=N: so many windows' requests may come at once; window=N: how "
           "long a window is, in seconds")
        .required();
    refuse_flags(set, {"--rps", "--burst", "--window"}, "knobs are turned as arguments, without dashes",
                 "`ratectl knobs set NAME rps=N burst=N window=N`, those that are to be turned");
    bind_knobs_change(set, request);
    bind_knobs_change(add(Action::unset, "unset", "remove them: the application's own figures count"), request);
    bind_knobs_change(add(Action::stop, "stop", "let no request through (rps 0)"), request);
    bind_knobs_change(add(Action::unlimited, "unlimited", "let every request through (rps -1)"), request);
}

/// Turns knobs of a throttle.
class Turn final : public Change {
public:
    struct Met {
        std::string knobs;
        std::size_t shard;
    };
    /// `fills`: knobs that neither `wanted` nor the throttle has are the usual ones.
    Turn(Knobs wanted, bool fills) : wanted_(std::move(wanted)), fills_(fills) {}

    domain::WriteKind kind() const override { return domain::WriteKind::put; }
    std::string_view command() const override { return "knobs"; }
    std::string asked() const override { return "knobs " + domain::words_of(wanted_); }
    std::string verb() const override { return "turn the knobs to " + domain::words_of(wanted_) + " of"; }
    CountedAs counted_as() const override { return {"throttle", 1}; }
    PlanRules rules() const override { return {.takes_closed = true}; }
    std::optional<std::int64_t> amount_of(const Subject& /*subject*/) const override { return std::nullopt; }

    std::optional<Refusal> prepare(const Subject& subject) override {
        met_.push_back({subject.planned.key, subject.planned.shard});
        auto knobs = knobs_for(subject);
        if (!knobs) return knobs.error();
        items_.push_back({{subject.planned.key, subject.planned.shard},
                          limiter_of(subject).state_with(*knobs),
                          domain::stored_window(subject.look).state});
        last_ = *std::move(knobs);
        return std::nullopt;
    }
    /// The knobs that were to be turned.
    std::span<const Met> met() const { return met_; }
    /// Of the throttle that was turned last.
    const Knobs& last() const { return last_; }

    Forecast forecast(const Subject& subject) const override {
        const auto knobs = knobs_for(subject);
        if (!knobs) return {knobs.error(), {}, {}};
        return {std::nullopt, {domain::words_of(*knobs), {}, {}, limiter_of(subject).state_with(*knobs)}, {}};
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    static const domain::Limiter& limiter_of(const Subject& subject) {
        return subject.look.limiter->of(subject.planned.key);
    }

    /// All of them, as they are to be.
    tl::expected<Knobs, Refusal> knobs_for(const Subject& subject) const {
        if (subject.window.state == domain::WindowState::corrupt) return tl::make_unexpected(refuse_corrupt(subject));
        const auto seen = limiter_of(subject).knobs_in(subject.look);
        auto knobs = seen.value_or(Knobs());
        for (std::size_t i = 0; i < knobs.texts.size(); ++i) {
            if (wanted_.texts[i]) knobs.texts[i] = wanted_.texts[i];
        }
        if (fills_ && !knobs.of(Knob::burst)) knobs.of(Knob::burst) = domain::kUsualBurst;
        if (fills_ && !knobs.of(Knob::window)) knobs.of(Knob::window) = domain::kUsualWindow;
        if (!seen && !is_whole(knobs))
            return tl::make_unexpected(refused(
                subject.planned, "no-knobs", "holds no knobs yet, and a limiter that finds some wants all three",
                "rps=N burst=N window=N; calls of the application have burst 1 and window 5 unless they say otherwise",
                ExitCode::usage));
        if (const auto fault = domain::fault_in(knobs); !fault.empty())
            return tl::make_unexpected(refused(subject.planned, "bad-knobs", "would be broken: " + fault));
        if (seen == knobs) return tl::make_unexpected(skipped("already-so"));
        return knobs;
    }

    static bool is_whole(const Knobs& knobs) {
        return std::ranges::all_of(knobs.texts, &std::optional<std::string>::has_value);
    }

    Knobs wanted_;
    bool fills_;
    Knobs last_;
    std::vector<Met> met_;
    std::vector<domain::PutItem> items_;
};

Selection knobs_selected(const KnobsRequest& request, Context& context) {
    const Consent before_reading(request.consent, context);
    Selection selection;
    selection.exact.emplace();
    for (const auto& throttle : throttle::keys_of(request.names, context))
        selection.exact->push_back(throttle::knobs_key(throttle));
    return selection;
}

/// What people may not expect of what they ask for.
void say_what_follows(const Knobs& knobs, Context& context) {
    if (const auto back = domain::rounded_up(knobs))
        context.messages().notice(
            fmt::format("a fraction of a request is rounded up: {} come back with each window of {} s", *back,
                        *knobs.of(Knob::window)));
    context.messages().notice("knobs that are there count above all else, until a week after the throttle's last call");
}

/// A governor takes the 0 of a stop for that of its own open breaker, which closes again.
void say_what_lifts(std::span<const Turn::Met> stopped, Context& context) {
    using domain::governor::LeaseCall;
    for (const auto& [knobs, shard] : stopped) {
        const std::string throttle(throttle::throttle_of(knobs));
        const auto answer = context.store().lease(shard, {LeaseCall::Verb::look, throttle, {}, {}, {}, {}, {}});
        const auto last = answer ? domain::governor::decision_in(answer->memory) : std::nullopt;
        if (!last || !last->next.open) continue;
        context.messages().notice(
            fmt::format("the open breaker of a governor holds throttle {} at rps 0, too, and the governor lifts it "
                        "once the load is calm",
                        support::quoted(visible_client(*match_of(throttle, context.settings())))),
            "a stop stays where that governor is ended: `ratectl governor explain NAME` says who it is");
    }
}

/// `rps=4`, one or more of them.
Knobs knobs_of(const std::vector<std::string>& turned) {
    Knobs knobs;
    for (const auto& text : turned) {
        const auto equals = text.find('=');
        const auto found = std::ranges::find(domain::kKnobNames, std::string_view(text).substr(0, equals));
        if (equals == std::string::npos || found == domain::kKnobNames.end())
            throw support::Failure(ExitCode::usage, support::quoted(text) + " turns no knob",
                                   "rps=N, burst=N, window=N");
        const auto value = text.substr(equals + 1);
        auto& wanted = knobs.texts[static_cast<std::size_t>(found - domain::kKnobNames.begin())];
        if (wanted) throw support::Failure(ExitCode::usage, fmt::format("{} is turned twice", *found), "say it once");
        if (found == domain::kKnobNames.begin() && value.starts_with('-'))
            throw support::Failure(ExitCode::usage, "rps is no number below 0, as LimitLion itself has it",
                                   "`ratectl knobs unlimited NAME` lets every request through");
        if (!domain::knob_number(value))
            throw support::Failure(ExitCode::usage, support::quoted(text) + " has no number from 0 on behind it",
                                   "a plain one: 40, 0.5");
        wanted = value;
    }
    return knobs;
}

ExitCode run_turn(const KnobsRequest& request, Context& context) {
    const bool sets = request.action == KnobsRequest::Action::set;
    auto wanted = knobs_of(request.turned);
    if (!sets) wanted.of(Knob::rps) = request.action == KnobsRequest::Action::stop ? "0" : "-1";
    Turn turn(wanted, !sets);
    const auto code = run_change(knobs_selected(request, context), request.consent, request.order, turn, context);
    if (code == ExitCode::done) say_what_follows(turn.last(), context);
    if (request.action == KnobsRequest::Action::stop && !context.stop()) say_what_lifts(turn.met(), context);
    return code;
}

ExitCode run_knobs(const KnobsRequest& request, Context& context) {
    refuse_terms(context, "knobs count whatever a policy says, and their server's clock with them",
                 "knobs are turned as arguments: rps=N burst=N window=N");
    if (request.action == KnobsRequest::Action::get)
        return throttle::run_show(request.names, throttle::Shown::knobs, context);
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    if (request.action != KnobsRequest::Action::unset) return run_turn(request, context);
    const auto reset = make_reset("knobs unset", {"throttle", 1});
    return run_change(knobs_selected(request, context), request.consent, request.order, *reset, context);
}

}  // namespace

Command knobs_command() {
    return {"knobs", Group::limiters, "knobs of throttles: get, set, unset, stop, unlimited",
            "# what does this throttle go by?\n"
            "ratectl knobs get search\n"
            "# forty a second, and leave the rest as it is\n"
            "ratectl knobs set search rps=40\n"
            "# let no request through, and again as before\n"
            "ratectl knobs stop search --op-id halt\n"
            "ratectl undo halt",
            bind_request<KnobsRequest, bind_knobs, run_knobs>};
}

}  // namespace ratectl::commands
