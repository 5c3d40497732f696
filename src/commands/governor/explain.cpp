// governor explain: who governs a throttle, since when, and what was decided last and why; from what is remembered.

#include <fmt/format.h>

#include "commands/governor/subcommands.h"
#include "commands/report/key_mask.h"
#include "commands/report/property_sheet.h"
#include "domain/governor/decide.h"
#include "output/printable.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands::governor {
namespace {

namespace control = domain::governor;
using control::LeaseAnswer;

/// The first decision changes a rate only where that is not to be.
std::string beginning_words(control::Bound bound) {
    if (bound == control::Bound::max) return "it had just begun, and more than --max had been let through before";
    if (bound == control::Bound::min) return "it had just begun, and less than --min had been let through before";
    return "it had just begun, and left the rate as it was";
}

/// What kept the rate from where P, I and D point.
std::string bound_words(control::Bound bound) {
    switch (bound) {
        case control::Bound::none: return {};
        case control::Bound::below: return "; it was not lowered, as the load was below its set point";
        case control::Bound::above: return "; it was not raised, as the load was above its set point";
        default: return fmt::format("; --{} bounded it", name_of(bound));
    }
}

std::string reason_words(const control::Decision& decision) {
    switch (decision.why) {
        case control::Why::began: return beginning_words(decision.bound);
        case control::Why::settled: return "the load was at its set point";
        case control::Why::adjusted: break;
        case control::Why::held: return "no fresh load had come, so the rate was held";
        case control::Why::tripped: return "the load was at the breaker's level, so the breaker opened";
        case control::Why::blind: return "no fresh load had come for too long, so the breaker opened";
        case control::Why::open:
            return fmt::format("the breaker was open and had seen {} calm samples", decision.next.calm);
        case control::Why::rearmed:
            return "enough samples were calm, so the breaker closed and began at the least rate";
        case control::Why::stopped: return "another writer had stopped the throttle, which was left alone";
        case control::Why::unlimited: return "another writer had let everything through, which was left alone";
    }
    return fmt::format("P added {:+.1f} %, I {:+.1f} % and D {:+.1f} % of the rate{}", decision.p * 100,
                       decision.i * 100, decision.d * 100, bound_words(decision.bound));
}

std::string holder_words(const LeaseAnswer& answer) {
    const auto by = fmt::format("{} on {}", output::printable(answer.actor), output::printable(answer.host));
    if (answer.actor.empty()) return "was never governed, or nothing is remembered of it";
    if (answer.until <= answer.server_now) return fmt::format("is governed by none now; {} did so last", by);
    return fmt::format(
        "is {} {} since {}; the lease is over in {}", answer.token.empty() ? "reserved for" : "governed by", by,
        support::format_wall_time(answer.since), support::format_duration(answer.until - answer.server_now));
}

std::string sentences(const std::string& name, const LeaseAnswer& answer,
                      const std::optional<control::Decision>& last) {
    std::string text = fmt::format("Throttle {} {}.\n", output::printable(name), holder_words(answer));
    if (!last) return text;
    if (last->next.decided_at)
        text +=
            fmt::format("The last decision was made at {}: {}, because {}.\n",
                        support::format_wall_time(*last->next.decided_at), rate_words(last->rps), reason_words(*last));
    if (last->next.last)
        text += fmt::format("The load was {:.2f} times its set point then, as measured at {}.\n", last->next.last->load,
                            support::format_wall_time(last->next.last->at));
    return text;
}

}  // namespace

void bind_explain(Syntax syntax, throttle::Names& names) {
    throttle::bind_names(syntax, names, false);
    syntax.option("NAME").expected(1);
}

ExitCode run_explain(const throttle::Names& names, Context& context) {
    if (answer_columns_help(context, output::columns_of(governed_fields()))) return ExitCode::done;
    const Throttle throttle(names, context);
    const auto answer = support::value_or_throw(
        context.store().lease(throttle.shard, {control::LeaseCall::Verb::look, throttle.key, {}, {}, {}, {}, {}}));
    if (answer.word == LeaseAnswer::Word::odd)
        throw support::Failure(ExitCode::guard,
                               fmt::format("key {}{} holds what no governor writes", control::kGovernorPrefix,
                                           visible_key(throttle.key, context.settings())),
                               {});
    const auto last = control::decision_in(answer.memory);
    if (stands_upright(context, kGovernedSchema)) {
        context.out().write(sentences(throttle.name, answer, last));
        context.out().flush();
        return ExitCode::done;
    }
    Outcome outcome(context);
    RowWriter<GovernedRow> rows(context, governed_fields(), kGovernedSchema);
    rows.write({throttle.name, answer, last});
    outcome.add(rows.end(outcome.footer()));
    return outcome.code();
}

}  // namespace ratectl::commands::governor
