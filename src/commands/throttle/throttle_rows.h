// Windows of throttles as rows that have their knobs.
#pragma once

#include <string_view>

#include "commands/report/fields/throttle_fields.h"
#include "commands/report/row_writer.h"
#include "commands/report/window_report.h"

namespace ratectl::commands::throttle {

inline constexpr std::string_view kThrottlesSchema = "ratectl.throttles.v1";

class ThrottleRows final : public RowReceiver {
public:
    /// `narrow`: as RowWriter has it.
    ThrottleRows(Context& context, std::string_view narrow)
        : rows_(context, throttle_fields(), kThrottlesSchema, narrow) {}

    void take(const WindowRow& row) override {
        rows_.write({row, row.look.limiter->of(row.look.key).knobs_in(row.look)});
    }
    void take_kept(const WindowRow& /*row*/) override {}
    void finish(const output::Footer& footer, std::span<const store::ShardProgress> /*shards*/) override {
        code_ = rows_.end(footer);
    }
    ExitCode code() const { return code_; }

private:
    RowWriter<ThrottleRow> rows_;
    ExitCode code_ = ExitCode::done;
};

}  // namespace ratectl::commands::throttle
