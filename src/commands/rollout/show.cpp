// rollout show: for whom features are on, as Flipper's Redis has them.
#include <algorithm>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/rollout/feature.h"
#include "commands/rollout/rollout_requests.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::rollout {
namespace {

constexpr std::string_view kFeatureSchema = "ratectl.feature.v1";

/// All that Flipper knows, by name.
std::vector<std::string> known_features(FeatureContext& context, Outcome& outcome) {
    const auto answer = names_of_features(context);
    if (!answer.holding) {
        if (!context.stop()) outcome.fail(answer.node, answer.holding.error());
        return {};
    }
    const auto& key = answer.holding->key;
    if (key.hidden || (key.is_there() && key.type != domain::HeldKey::Type::set)) {
        throw support::Failure(ExitCode::guard,
                               key.hidden
                                   ? fmt::format("this account may not read key {}, which has the features' names",
                                                 support::quoted(kNamesOfFeatures))
                                   : fmt::format("key {} is a {}, and the names of Flipper's features are a set",
                                                 support::quoted(kNamesOfFeatures), domain::name_of(key.type)),
                               "rollout show NAME needs no list");
    }
    outcome.answer();
    if (key.length > static_cast<std::int64_t>(key.elements.size())) {
        context.messages().warning(fmt::format("{} of {} features are shown", key.elements.size(), key.length),
                                   "rollout show NAME");
        outcome.leave_undone();
    }
    std::vector<std::string> features;
    for (const auto& [name, nothing] : key.elements) features.push_back(name);
    std::ranges::sort(features);
    return features;
}

/// Says which percentages are none. True: there is one.
bool tell_what_is_none(const std::string& name, const domain::FeatureGates& gates, Context& context) {
    bool told = false;
    for (const auto gate : {domain::FeatureGate::actors, domain::FeatureGate::time}) {
        const auto text = gates.of(gate).value_or("0");
        const auto share = support::parse_percent(text);
        if (share && *share <= 100) continue;
        context.messages().warning(
            fmt::format("feature {}: {} is stored as {}, which is no percentage", support::quoted(name),
                        domain::kGateFields.at(static_cast<std::size_t>(gate)), support::quoted(text)),
            "what Flipper makes of it is its own business; rollout set stores one of actors");
        told = true;
    }
    return told;
}

}  // namespace

ExitCode run_show(const ShowRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(feature_fields()))) return ExitCode::done;
    FeatureContext features(context);
    Outcome outcome(context);
    RowWriter<FeatureRow> rows(context, feature_fields(), kFeatureSchema, {}, true, request.order);
    std::int64_t absent = 0;
    const bool is_listed = request.features.empty();
    const auto names = is_listed ? known_features(features, outcome) : request.features;
    for (const auto& name : names) {
        if (context.stop()) break;
        if (name.empty()) throw_empty("feature");
        auto seen = look_at_feature(name, features);
        // It has no gates, and is off for all.
        if (seen.gates && !*seen.gates && (is_listed || is_listed_feature(name, features)))
            seen.gates = domain::FeatureGates();
        if (seen.gates) {
            outcome.answer();
        } else {
            outcome.fail(seen.node, seen.gates.error());
        }
        FeatureRow row{name, seen.node.name(), seen.gates.has_value(), {}};
        if (seen.gates) row.gates = *seen.gates;
        if (row.gates && tell_what_is_none(name, *row.gates, context)) outcome.attend();
        absent += seen.gates && !row.gates ? 1 : 0;
        rows.write(row);
    }
    outcome.add(rows.end(outcome.footer(!context.stop())));
    const auto count = static_cast<std::int64_t>(names.size());
    return outcome.close(fmt::format("{} of {} features are there", count - absent, count),
                         {{"features", count}, {"absent", absent}});
}

}  // namespace ratectl::commands::rollout
