// rollout show: for whom features are on, as Flipper's Redis has them.
#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/rollout/feature.h"
#include "commands/rollout/rollout_requests.h"

namespace ratectl::commands::rollout {
namespace {

constexpr std::string_view kFeatureSchema = "ratectl.feature.v1";

}  // namespace

ExitCode run_show(const ShowRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(feature_fields()))) return ExitCode::done;
    FeatureContext features(context);
    Outcome outcome(context);
    RowWriter<FeatureRow> rows(context, feature_fields(), kFeatureSchema, {}, true, request.order);
    std::int64_t absent = 0;
    for (const auto& name : request.features) {
        if (context.stop()) break;
        if (name.empty()) throw_empty("feature");
        const auto seen = look_at_feature(name, features);
        if (seen.gates) {
            outcome.answer();
        } else {
            outcome.fail(seen.node, seen.gates.error());
        }
        FeatureRow row{name, seen.node.name(), seen.gates.has_value(), {}};
        if (seen.gates) row.gates = *seen.gates;
        absent += seen.gates && !row.gates ? 1 : 0;
        rows.write(row);
    }
    outcome.add(rows.end(outcome.footer(!context.stop())));
    const auto count = static_cast<std::int64_t>(request.features.size());
    return outcome.close(fmt::format("{} of {} features are there", count - absent, count),
                         {{"features", count}, {"absent", absent}});
}

}  // namespace ratectl::commands::rollout
