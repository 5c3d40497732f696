// Rows of one value type on their way out: the columns as chosen, the sink, and what format name had to leave out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/request/syntax.h"
#include "output/field.h"
#include "output/row_sink.h"

namespace ratectl::commands {

[[noreturn]] void throw_no_columns();
/// True when the command was `--columns help`, which has now been answered: the command returns ExitCode::done at once.
/// Throws Failure (usage) where --columns names none of these; asked before anything is looked for.
bool answer_columns_help(Context& context, std::span<const output::Column> columns);
/// Names the keys that could not be printed; partial when there are any, else done.
ExitCode report_left_out(Context& context, const output::RowSink& sink);

/// --sort and --reverse, for rows that are printed in the order in which they come unless these are given.
struct ColumnOrder {
    std::optional<std::string> sort;  // a column
    bool reverse = false;
};
void bind_row_order(Syntax syntax, ColumnOrder& order);

/// The rows of a command that has an order, until its end.
class OrderedRows {
public:
    /// Throws Failure (usage) for --reverse alone.
    explicit OrderedRows(const ColumnOrder& order);
    bool wanted() const { return wanted_; }
    void add(const output::Cell& order, const output::Row& row);
    /// In order.
    void for_each(const std::function<void(const output::Row&)>& visit);

private:
    struct Kept {
        output::Cell order;
        output::Row row;
    };
    bool wanted_;
    bool descending_;
    std::vector<Kept> rows_;
};

/// The column of --sort. Throws Failure (usage) for one that is not there.
template <class T>
output::Field<T> order_field(std::span<const output::Field<T>> all, const std::string& sort) {
    const auto chosen = output::choose_fields(all, sort, output::Column::Shown::machine);
    if (!chosen) throw support::Failure(ExitCode::usage, "--sort: " + chosen.error().message, chosen.error().hint);
    if (chosen->size() != 1) throw support::Failure(ExitCode::usage, "--sort takes one column", {});
    return chosen->front();
}

template <class T>
class RowWriter {
public:
    /// `narrow`: default columns for the table instead of those that Shown::table gives; empty: those.
    /// `header`: false where what was printed before has one.
    RowWriter(Context& context, std::span<const output::Field<T>> all, std::string_view schema,
              std::string_view narrow = {}, bool header = true, const ColumnOrder& order = {})
        : context_(context), options_(context.sink_options(schema)), ordered_(order) {
        options_.header = options_.header && header;
        std::string names = context.options().columns.value_or("");
        if (context.options().columns && names.empty()) throw_no_columns();
        if (names.empty() && options_.format == output::Format::table) names = narrow;
        for (const auto& field : all) {
            if (names.empty() && options_.format == output::Format::name && field.column.names_row)
                names = field.column.name;
        }
        fields_ = support::value_or_throw(output::choose_fields(all, names, output::breadth_of(options_.format)));
        if (context.options().columns || options_.format != output::Format::table) {
            for (auto& field : fields_) {  // all of these were asked for
                field.column.drop = 0;
                field.column.quiet = output::Column::Quiet::never;
            }
        }
        if (ordered_.wanted()) order_ = order_field(all, *order.sort);
        sink_ = output::make_row_sink(options_, output::columns_of(std::span<const output::Field<T>>(fields_)),
                                      context.out());
    }

    /// `known`: the facts of T (see Field) that are as they were in the row before.
    void write(const T& value, unsigned known = 0) {
        const std::uint64_t same = filler_.fill(fields_, value, known, row_);
        if (ordered_.wanted()) return ordered_.add(order_->get(value), row_);
        sink_->row(row_, same);
    }
    void flush() { sink_->flush(); }
    /// Ends the output and says what was left out of it; once.
    ExitCode end(const output::Footer& footer) {
        ordered_.for_each([this](const output::Row& row) { sink_->row(row); });
        sink_->end(footer);
        return report_left_out(context_, *sink_);
    }
    const output::SinkOptions& options() const { return options_; }

private:
    Context& context_;
    output::SinkOptions options_;
    OrderedRows ordered_;
    std::optional<output::Field<T>> order_;
    output::Fields<T> fields_;
    std::unique_ptr<output::RowSink> sink_;
    output::RowFiller<T> filler_;
    output::Row row_;
};

}  // namespace ratectl::commands
