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
#include "output/formats/machine_text.h"

namespace ratectl::commands {
namespace {

std::string number(const std::optional<std::int64_t>& value) { return value ? fmt::to_string(*value) : "null"; }

std::string resource(const domain::ToldWindow& told) {
    std::optional<std::int64_t> reset;
    if (told.reset_at) reset = support::epoch_seconds(*told.reset_at);
    return fmt::format(R"({{"limit":{},"used":{},"remaining":{},"reset":{}}})", number(told.limit), number(told.used),
                       number(told.remaining), number(reset));
}

/// Policy and body of each.
using Resources = std::vector<std::pair<std::string, std::string>>;

std::string document(const Resources& resources) {
    std::string text = "{\"resources\":{";
    std::string rate;
    for (const auto& [name, body] : resources) {
        if (text.back() != '{') text += ',';
        output::append_json_string(text, name);
        text += ':' + body;
        if (name == "core") rate = body;
    }
    text += '}';
    if (!rate.empty()) text += ",\"rate\":" + rate;
    text += "}\n";
    return text;
}

}  // namespace

ExitCode print_rate_limit_document(const Selection& selection, bool exit_status, Context& context) {
    const auto& settings = context.settings();
    if (settings.read_from.which == domain::ReadFrom::Which::all) {
        throw support::Failure(ExitCode::usage, "-o github is one answer, and --from all gives one a node",
                               "name one node with --from, or choose another output");
    }
    const Filter filter(selection, settings);
    KeyStream keys(selection, context);
    Resources resources;
    Outcome outcome(context);
    std::optional<std::string> unknown_limit_key;
    LookReceiver receiver;
    receiver.take = [&](const domain::WindowLook& look, const KeyMeaning& meaning, const domain::Node*,
                        support::WallTime read_at, bool) {
        const std::string name(resource_of(meaning));
        if (meaning.exempt()) {
            context.messages().notice(
                fmt::format("the client is exempt from policy '{}', and told nothing of it", name));
            return outcome.answer();
        }
        const support::Instant now = settings.now.value_or(support::to_instant(read_at));
        const auto told = domain::told_window(look, meaning.limit, period_of(meaning, settings), now);
        resources.emplace_back(name, resource(told));
        outcome.answer();
        if (!exit_status) return;
        const auto window = domain::judge(look, now, meaning.limit);
        if (window.exhausted) outcome.attend();
        if (!window.limit) unknown_limit_key = look.key;
    };
    receiver.fail = [&](const domain::Node& node, const support::Error& error) { outcome.fail(node, error); };
    receiver.idle = [] {};
    look_at_what_is_told(selection, keys, {settings.read_from, domain::LookDepth::light, false}, filter, context,
                         receiver);

    context.out().write(document(resources));
    context.out().flush();
    outcome.add(keys.left_out().say());
    if (unknown_limit_key) {
        const auto error = unknown_for_exit_status(*unknown_limit_key);
        context.messages().error(error);
        outcome.add(error.code);
    }
    return outcome.code();
}

}  // namespace ratectl::commands
