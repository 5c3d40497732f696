// Windows of throttles as rows that have their knobs.
#pragma once

#include <functional>
#include <string_view>

#include "commands/report/fields/throttle_fields.h"
#include "commands/report/row_writer.h"
#include "commands/report/window_report.h"

namespace ratectl::commands::throttle {

inline constexpr std::string_view kThrottlesSchema = "ratectl.throttles.v1";

class ThrottleRows final : public RowReceiver {
public:
    /// `narrow`: as RowWriter has it. `before_end`: may take more rows; may be unset.
    ThrottleRows(Context& context, std::string_view narrow, std::function<void(ThrottleRows&)> before_end = {})
        : rows_(context, throttle_fields(), kThrottlesSchema, narrow), before_end_(std::move(before_end)) {}

    void take(const WindowRow& row) override {
        rows_.write({row, row.look.limiter->of(row.look.key).knobs_in(row.look)});
    }
    void take_kept(const WindowRow& /*row*/) override {}
    void finish(const output::Footer& footer, std::span<const store::ShardProgress> /*shards*/) override {
        if (before_end_) before_end_(*this);
        code_ = rows_.end(footer);
    }
    ExitCode code() const { return code_; }

private:
    RowWriter<ThrottleRow> rows_;
    std::function<void(ThrottleRows&)> before_end_;
    ExitCode code_ = ExitCode::done;
};

}  // namespace ratectl::commands::throttle
