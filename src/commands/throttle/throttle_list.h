// What `throttle list` and its like are asked, and the rows that they give: windows of throttles with their knobs.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "commands/report/fields/throttle_fields.h"
#include "commands/report/row_writer.h"
#include "commands/report/window_report.h"
#include "commands/request/sweep_flags.h"
#include "commands/request/throttle_names.h"

namespace ratectl::commands::throttle {

inline constexpr std::string_view kThrottlesSchema = "ratectl.throttles.v1";

class ThrottleRows final : public RowReceiver {
public:
    /// `narrow`: as RowWriter has it.
    ThrottleRows(Context& context, std::string_view narrow)
        : rows_(context, throttle_fields(), kThrottlesSchema, narrow) {}

    void take(const WindowRow& row) override {
        auto shown = row;
        const auto format = rows_.options().format;
        if (row.stale && (format == output::Format::table || format == output::Format::wide))
            shown.shard = *stale_shards_.insert(std::string(row.shard) + " (stale)").first;
        rows_.write({shown, row.look.limiter->of(row.look.key).knobs_in(row.look)});
    }
    void take_kept(const WindowRow& /*row*/) override {}
    void finish(const output::Footer& footer, std::span<const store::ShardProgress> /*shards*/) override {
        code_ = rows_.end(footer);
    }
    ExitCode code() const { return code_; }

private:
    RowWriter<ThrottleRow> rows_;
    std::set<std::string> stale_shards_;  // as people see them
    ExitCode code_ = ExitCode::done;
};

/// Every throttle that has a bucket, and those that have knobs alone.
ExitCode run_list(const Names& names, const PaceFlags& pace, Context& context);
/// What a table is about.
enum class Shown { throttles, knobs };
/// These, whatever they have.
ExitCode run_show(const Names& names, Shown shown, Context& context);

}  // namespace ratectl::commands::throttle
