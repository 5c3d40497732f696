// Rows of one value type on their way out: the columns as chosen, the sink, and what format name had to leave out.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "output/field.h"
#include "output/row_sink.h"

namespace ratectl::commands {

/// True when the command was `--columns help`, which has now been answered: the command returns ExitCode::done at once.
bool answer_columns_help(Context& context, std::span<const output::Column> columns);
/// The footer's failures, for the formats that carry them; each is also said on standard error by the command.
output::FailureRow failure_row(const domain::Node& node, const support::Error& error);
/// Says it on standard error and adds its row; nothing for a node that is there already.
void report_failure(Context& context, std::vector<output::FailureRow>& failures, const domain::Node& node,
                    const support::Error& error);
/// Names the keys that could not be printed; partial when there are any, else done.
ExitCode report_left_out(Context& context, const output::RowSink& sink);

template <class T>
class RowWriter {
public:
    /// `narrow`: default columns for the table instead of those that Shown::table gives; empty: those.
    /// `header`: false where what was printed before has one.
    RowWriter(Context& context, std::span<const output::Field<T>> all, std::string_view schema,
              std::string_view narrow = {}, bool header = true)
        : context_(context), options_(context.sink_options(schema)) {
        options_.header = options_.header && header;
        std::string names = context.options().columns.value_or("");
        if (context.options().columns && names.empty()) {
            throw support::Failure(ExitCode::usage, "--columns names no column", "`--columns help` lists them");
        }
        if (names.empty() && options_.format == output::Format::table) names = narrow;
        fields_ = support::value_or_throw(output::choose_fields(all, names, output::breadth_of(options_.format)));
        if (context.options().columns || options_.format != output::Format::table) {
            for (auto& field : fields_) field.column.drop = 0;  // all of these were asked for
        }
        sink_ = output::make_row_sink(options_, output::columns_of(std::span<const output::Field<T>>(fields_)),
                                      context.out());
    }

    /// `known`: the facts of T (see Field) that are as they were in the row before.
    void write(const T& value, unsigned known = 0) {
        const std::uint64_t same = filler_.fill(fields_, value, known, row_);
        sink_->row(row_, same);
    }
    void flush() { sink_->flush(); }
    /// Ends the output and says what was left out of it; once.
    ExitCode end(const output::Footer& footer) {
        sink_->end(footer);
        return report_left_out(context_, *sink_);
    }
    const output::SinkOptions& options() const { return options_; }

private:
    Context& context_;
    output::SinkOptions options_;
    output::Fields<T> fields_;
    std::unique_ptr<output::RowSink> sink_;
    output::RowFiller<T> filler_;
    output::Row row_;
};

}  // namespace ratectl::commands
