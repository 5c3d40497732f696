// Writes a command's rows: what every command does before, with and after them.
#include "commands/report/row_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "output/cell.h"
#include "support/quote.h"

namespace ratectl::commands {

void bind_row_order(Syntax syntax, ColumnOrder& order) {
    syntax.add_option("--sort", order.sort, "order rows by this column").type_name("COLUMN");
    syntax.add_flag("--reverse", order.reverse, "the other way round");
}

OrderedRows::OrderedRows(const ColumnOrder& order) : wanted_(order.sort.has_value()), descending_(order.reverse) {
    if (order.reverse && !wanted_)
        throw support::Failure(ExitCode::usage, "--reverse needs an order to reverse", "name one with --sort");
}

void OrderedRows::add(const output::Cell& order, const output::Row& row) {
    Kept kept{owned(order), row};
    for (output::Cell& cell : kept.row) cell = owned(std::move(cell));
    rows_.push_back(std::move(kept));
}

void OrderedRows::for_each(const std::function<void(const output::Row&)>& visit) {
    std::ranges::stable_sort(
        rows_, [this](const Kept& a, const Kept& b) { return stands_before(a.order, b.order, descending_); });
    for (const Kept& kept : rows_) visit(kept.row);
}

void throw_no_columns() {
    throw support::Failure(ExitCode::usage, "--columns names no column", "`--columns help` lists them");
}

bool answer_columns_help(Context& context, std::span<const output::Column> columns) {
    const auto& names = context.options().columns;
    if (names != "help") {
        if (names && names->empty()) throw_no_columns();
        // The variable is of all commands, and names what some of them may not have.
        if (names && !context.env("RATECTL_COLUMNS"))
            support::value_or_throw(output::choose_columns(columns, *names, output::Column::Shown::machine));
        return false;
    }
    context.out().write(output::describe_columns(columns));
    context.out().flush();
    return true;
}

ExitCode report_left_out(Context& context, const output::RowSink& sink) {
    const std::uint64_t count = sink.left_out_count();
    if (count == 0) return ExitCode::done;
    const auto& keys = sink.left_out();
    for (const std::string& key : keys) {
        context.messages().error(
            {ExitCode::partial,
             "key " + support::quoted(key) + " is left out: written raw it would be unsafe or ambiguous", ""});
    }
    if (count > keys.size()) {
        context.messages().error(
            {ExitCode::partial, fmt::format("{} more keys are left out for the same reason", count - keys.size()), ""});
    }
    context.messages().notice(fmt::format("{} of the keys could not be printed as they are", count),
                              std::string("--key-format escaped prints every key, and reads it back") +
                                  (context.options().nul ? "" : "; -0 does unless there is a NUL in it"));
    return ExitCode::partial;
}

}  // namespace ratectl::commands
