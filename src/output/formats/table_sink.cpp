// Formats table and wide: laid out by what the first rows need, then streamed.
#include <algorithm>
#include <functional>
#include <utility>

#include "output/formats/human_cell.h"
#include "output/formats/sinks.h"
#include "output/formats/table_layout.h"
#include "output/printable.h"

namespace ratectl::output {
namespace {

constexpr std::size_t kLookAhead = 200;

class TableSink final : public RowSink {
public:
    TableSink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out)
        : options_(options), columns_(std::move(columns)), out_(out) {
        if (!options_.terminal) options_.width = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            unshown_.push_back(i);
            if (columns_[i].echoes.empty()) continue;
            const auto told = std::ranges::find(columns_, columns_[i].echoes, &Column::name);
            if (told != columns_.end()) echoes_.emplace_back(i, told - columns_.begin());
        }
    }

    void row(std::span<const Cell> cells, std::uint64_t) override {
        row_.resize(cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i) row_[i] = human_cell(options_, columns_[i], cells[i]);
        leave_out_echoes();
        if (find_shown(cells)) settled_ = false;
        if (settled_) {
            print(row_);
            return;
        }
        waiting_.push_back(std::move(row_));
        if (waiting_.size() >= kLookAhead) print_waiting();
    }

    void end(const Footer&) override {
        print_waiting();
        if (settled_ && options_.header && !layout_.records) name_what_is_missing();
        out_.flush();
    }

    void flush() override {
        if (!settled_ && !waiting_.empty()) settle(true);
        print_waiting();
        out_.flush();
    }

private:
    void leave_out_echoes() {
        for (const auto& [echo, told] : echoes_)
            if (row_[echo].text == row_[told].text) row_[echo] = human_cell(options_, columns_[echo], Null{});
    }

    /// True: a column has something to tell from this row on.
    bool find_shown(std::span<const Cell> cells) {
        if (first_.empty()) first_ = row_;
        const auto tells = [&](std::size_t i) {
            switch (columns_[i].quiet) {
                case Column::Quiet::while_null: return !std::holds_alternative<Null>(cells[i]);
                case Column::Quiet::while_same: return row_[i].text != first_[i].text;
                default: return true;
            }
        };
        const auto begin = std::stable_partition(unshown_.begin(), unshown_.end(), std::not_fn(tells));
        if (begin == unshown_.end()) return false;
        shown_.insert(shown_.end(), begin, unshown_.end());
        unshown_.erase(begin, unshown_.end());
        std::ranges::sort(shown_);
        return true;
    }

    void print_waiting() {
        if (waiting_.empty()) return;
        if (!settled_) settle(false);
        for (const HumanRow& row : waiting_) print(row);
        waiting_.clear();
    }

    /// `early`: other rows than these may follow soon, and must find room for their times.
    void settle(bool early) {
        if (early) waiting_.push_back(room_for_times());
        layout_ = lay_out(options_, columns_, shown_, waiting_);
        if (early) waiting_.pop_back();
        settled_ = true;
        if (options_.header && !layout_.records) print_line(titles());
    }

    /// A row with nothing but times, as long as they usually are.
    HumanRow room_for_times() const {
        const support::Instant soon = options_.now + support::Seconds{7199};
        HumanRow row(columns_.size());
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].type == CellType::time) row[i] = human_cell(options_, columns_[i], soon);
            if (columns_[i].type == CellType::wall_time)
                row[i] = human_cell(options_, columns_[i], support::WallTime{soon});
        }
        return row;
    }

    HumanRow titles() const {
        HumanRow row;
        for (const Column& column : columns_)
            row.push_back({std::string(shown_title(column, layout_.brief)), Tone::dim, {}});
        return row;
    }

    void print(const HumanRow& row) { layout_.records ? print_record(row) : print_line(row); }

    void print_line(const HumanRow& row) {
        for (const std::size_t i : layout_.columns) {
            if (is_prose(i, row[i])) return print_folded(row);
        }
        print_cells(row);
    }

    /// A sentence that its column has no room for goes on below.
    bool is_prose(std::size_t i, const HumanCell& cell) const {
        const bool cut = options_.width > 0 && is_elidable(columns_[i]) && columns_[i].type != CellType::key;
        return cut && cell.text.find(' ') != std::string::npos && display_width(cell.text) > layout_.widths[i];
    }

    void print_folded(const HumanRow& row) {
        std::vector<HumanRow> lines{row};
        for (const std::size_t i : layout_.columns) {
            if (!is_prose(i, row[i])) continue;
            const std::string text = wrap(row[i].text, layout_.widths[i], 0, 0);
            std::size_t line = 0;
            for (std::size_t begin = 0; begin < text.size(); ++line) {
                const std::size_t end = std::min(text.find('\n', begin), text.size());
                if (line == lines.size()) lines.emplace_back(row.size());
                lines[line][i].text = text.substr(begin, end - begin);
                lines[line][i].tone = row[i].tone;
                begin = end + 1;
            }
        }
        for (const HumanRow& line : lines) print_cells(line);
    }

    void print_cells(const HumanRow& row) {
        line_.clear();
        for (const std::size_t i : layout_.columns) {
            if (i != layout_.columns.front()) line_ += kColumnGap;
            append(i, row[i], i == layout_.columns.back());
        }
        end_line();
    }

    void print_record(const HumanRow& row) {
        for (const std::size_t i : layout_.columns) {
            line_.clear();
            append_toned(std::string(columns_[i].title), Tone::dim);
            line_.append(layout_.widths[i] - display_width(columns_[i].title), ' ').append(kColumnGap);
            append_marked(row[i], shown_text(row[i], row[i].dateless));
            end_line();
        }
        out_.write("\n");
    }

    void append(std::size_t i, const HumanCell& cell, bool last) {
        const bool cut = options_.width > 0 && is_elidable(columns_[i]);
        std::string text = shown_text(cell, layout_.brief);
        if (cut) text = elide_middle(text, layout_.widths[i], options_.ascii);
        const std::size_t width = display_width(text);
        const std::size_t padding = width < layout_.widths[i] ? layout_.widths[i] - width : 0;
        layout_.widths[i] += padding == 0 ? width - layout_.widths[i] : 0;  // the rows that follow align with this one
        if (leans_right(columns_[i].type)) line_.append(padding, ' ');
        append_marked(cell, text);
        if (!leans_right(columns_[i].type) && !last) line_.append(padding, ' ');
    }

    /// The mark stands in the gap before the cell; where there is none, it has to do without.
    void append_marked(const HumanCell& cell, const std::string& text) {
        if (cell.mark != ' ' && line_.ends_with(' ')) {
            line_.pop_back();
            append_toned(cell.mark + text, cell.tone);
        } else {
            append_toned(text, cell.tone);
        }
    }

    void append_toned(const std::string& text, Tone tone) {
        if (!options_.color) tone = Tone::plain;
        line_.append(tone_on(tone)).append(text).append(tone_off(tone));
    }

    void end_line() {
        line_.erase(line_.find_last_not_of(' ') + 1);
        line_ += '\n';
        out_.write(line_);
    }

    void name_what_is_missing() {
        std::string names;
        for (const std::size_t i : shown_) {
            if (std::ranges::find(layout_.columns, i) != layout_.columns.end()) continue;
            names.append(names.empty() ? "" : ", ").append(columns_[i].title);
        }
        if (names.empty()) return;
        line_.clear();
        append_toned(wrap("(no room for " + names + ": -o wide shows all)", options_.width, 0, 1), Tone::dim);
        end_line();
    }

    SinkOptions options_;
    std::vector<Column> columns_;
    ByteSink& out_;
    HumanRow row_;  // that came last
    std::vector<HumanRow> waiting_;
    HumanRow first_;
    std::vector<std::size_t> shown_;                           // the columns that have something to tell, ascending
    std::vector<std::size_t> unshown_;                         // the others
    std::vector<std::pair<std::size_t, std::size_t>> echoes_;  // columns, and those whose words they do not repeat
    TableLayout layout_;
    bool settled_ = false;  // the layout stands, from the first line on
    std::string line_;
};

}  // namespace

std::unique_ptr<RowSink> make_table_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<TableSink>(options, std::move(columns), out);
}

}  // namespace ratectl::output
