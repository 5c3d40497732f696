// Rows of a simulation, or its curves.
#include "commands/governor/simulation.h"

namespace ratectl::commands::governor {

Drawn drawn_of(const Context& context) {
    const auto& wish = context.options().output;
    if (wish == "plot") return Drawn::text;
    if (wish == "svg") return Drawn::svg;
    return wish == "html" ? Drawn::page : Drawn::no;
}

SimulationOutput::SimulationOutput(std::string_view narrow, double set_point, Context& context)
    : context_(context), drawn_(drawn_of(context)) {
    if (drawn_ == Drawn::no) {
        rows_.emplace(context, governor_fields(), kGovernorSchema, narrow);
        return;
    }
    chart_.title = "A governed throttle: load and rate over time";
    chart_.curves = {{"load", {}, set_point}, {"rps", {}, {}}};
}

void SimulationOutput::take(const GovernorRow& row, double second) {
    if (rows_) return rows_->write(row);
    chart_.times.push_back(second);
    chart_.curves[0].values.push_back(row.store_load ? *row.store_load : row.load.value_or(0));
    chart_.curves[1].values.push_back(row.decision.rps);
}

ExitCode SimulationOutput::end(const output::Footer& footer, std::string about) {
    if (rows_) return rows_->end(footer);
    chart_.about = std::move(about);
    if (drawn_ == Drawn::text) context_.out().write(output::text_of(chart_, 0));
    if (drawn_ == Drawn::svg) context_.out().write(output::svg_of(chart_));
    if (drawn_ == Drawn::page) output::write_chart_page(context_.out(), chart_);
    context_.out().flush();
    return ExitCode::done;
}

}  // namespace ratectl::commands::governor
