// Writes the JSON document of a client's limits, as GitHub's GET /rate_limit would answer.
#include "commands/look/rate_limit_document.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/looks/binding_limit.h"
#include "commands/outcome.h"
#include "commands/report/window_report.h"
#include "domain/rate_headers.h"
#include "domain/verdict.h"
#include "output/formats/json_writer.h"

namespace ratectl::commands {
namespace {

std::string resource(const domain::ToldWindow& told) {
    std::optional<std::int64_t> reset;
    if (told.reset_at) reset = support::epoch_seconds(*told.reset_at);
    output::JsonWriter out;
    out.open('{');
    out.member("limit", told.limit);
    out.member("used", told.used);
    out.member("remaining", told.remaining);
    out.member("reset", reset);
    out.close('}');
    return out.take();
}

/// Policy and body of each.
using Resources = std::vector<std::pair<std::string, std::string>>;

std::string document(const Resources& resources) {
    output::JsonWriter out;
    const std::string* rate = nullptr;
    out.open('{');
    out.name("resources").open('{');
    for (const auto& [name, body] : resources) {
        out.name(name).raw(body);
        if (name == "core") rate = &body;
    }
    out.close('}');
    if (rate != nullptr) out.name("rate").raw(*rate);
    out.close('}');
    return out.take() + "\n";
}

}  // namespace

ExitCode print_rate_limit_document(const Selection& selection, bool exit_status, Context& context) {
    const auto& settings = context.settings();
    if (settings.read_from.which == domain::ReadFrom::Which::all) {
        throw support::Failure(ExitCode::usage, "-o github is one answer, and --from all gives one a node",
                               "name one node with --from, or choose another output");
    }
    const Filter filter(selection, settings, context.directory());
    KeyStream keys(selection, context);
    Resources resources;
    Outcome outcome(context);
    std::optional<std::string> unknown_limit_key;
    LookReceiver receiver;
    receiver.take = [&](const SeenLook& seen) {
        const auto& look = seen.look;
        const auto& meaning = seen.meaning;
        const std::string name(resource_of(meaning));
        if (meaning.exempt()) {
            context.messages().notice(
                fmt::format("the client is exempt from policy '{}', and told nothing of it", name));
            return outcome.answer();
        }
        const support::Instant now = settings.now.value_or(support::to_instant(seen.read_at));
        const auto told = domain::told_window(look, meaning.limit, period_of(meaning, settings), now);
        resources.emplace_back(name, resource(told));
        outcome.answer();
        const auto verdict = domain::rule_on(domain::judge(look, now, meaning.limit), now).verdict;
        if (verdict == domain::Verdict::broken) {
            context.messages().error(untold_of_corrupt(look.key));
            outcome.attend();
        }
        if (!exit_status) return;
        if (domain::calls_for_attention(verdict)) outcome.attend();
        if (verdict == domain::Verdict::limit_unknown) unknown_limit_key = look.key;
    };
    receiver.fail = [&](const domain::Node& node, const support::Error& error) { outcome.fail(node, error); };
    receiver.idle = [] {};
    auto question = question_of_named(filter, settings);
    if (exit_status) question.depth = domain::LookDepth::full;
    look_at_what_is_told(selection, keys, question, filter, context, receiver);

    context.out().write(document(resources));
    context.out().flush();
    keys.left_out().tell(outcome);
    if (unknown_limit_key) {
        const auto error = unknown_for_exit_status(*unknown_limit_key);
        context.messages().error(error);
        outcome.add(error.code);
    }
    return outcome.code();
}

}  // namespace ratectl::commands
