// A simulation's decisions on their way out: rows, or curves in the formats that only it has.
#pragma once

#include <optional>
#include <string>

#include "commands/outcome.h"
#include "commands/report/fields/governor_fields.h"
#include "commands/report/row_writer.h"
#include "output/report/line_chart.h"

namespace ratectl::commands::governor {

/// What -o says beside the formats of rows.
enum class Drawn { no, text, svg, page };
Drawn drawn_of(const Context& context);

class SimulationOutput {
public:
    /// `narrow`: the table's columns. `set_point`: of the load, which is drawn across its curve.
    SimulationOutput(std::string_view narrow, double set_point, Context& context);

    void take(const GovernorRow& row, double second);
    ExitCode end(const output::Footer& footer, std::string about);

private:
    Context& context_;
    Drawn drawn_;
    std::optional<RowWriter<GovernorRow>> rows_;  // null: it is drawn
    output::LineChart chart_;
};

}  // namespace ratectl::commands::governor
