// Prints the windows that were written as every node has them; the rows are those of `check --from all`.
#include "commands/write/replica_table.h"

#include "commands/report/window_report.h"

namespace ratectl::commands {

namespace {

constexpr std::size_t kMostKeys = 100;

}  // namespace

void ReplicaTable::note(std::span<const PlannedKey> chunk, std::span<const WriteRow> rows) {
    if (!wanted_) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].status != RowStatus::applied && rows[i].status != RowStatus::already_applied) continue;
        too_many_ = keys_.size() == kMostKeys;
        if (too_many_) return;
        keys_.push_back({chunk[i].key, chunk[i].shard});
    }
}

ExitCode ReplicaTable::print(Context& context) {
    if (keys_.empty()) return ExitCode::done;
    if (too_many_) context.messages().notice("--show-replicas shows the first 100 keys");
    const Selection everything;
    const Filter filter(everything, context.settings(), context.directory());
    context.out().write("\n");
    WindowReport report(context, filter, {}, Attention::limited, kWindowColumnsWithNode);
    const auto answers =
        context.store().look({keys_, {domain::ReadFrom::Which::all, {}}, domain::LookDepth::full, false});
    for (const auto& answer : answers) {
        if (!answer.look) {
            report.outcome().fail_once(answer.node, answer.look.error());
        } else {
            const auto meaning = meaning_of(answer.look->key, context.settings());
            report.take({*answer.look, meaning, &answer.node, answer.read_at, answer.stale});
        }
    }
    return report.finish(!context.stop());
}

}  // namespace ratectl::commands
