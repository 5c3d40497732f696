// Formats table and wide: columns as wide as the first rows need, then streamed.
#include <algorithm>

#include "output/human_cell.h"
#include "output/printable.h"
#include "output/sinks.h"

namespace ratectl::output {
namespace {

constexpr std::size_t kLookAhead = 200;
constexpr std::size_t kNarrowest = 16;  // no elided key gets shorter
constexpr std::string_view kGap = "  ";

using HumanRow = std::vector<HumanCell>;

class TableSink final : public RowSink {
public:
    TableSink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out)
        : options_(options), columns_(std::move(columns)), out_(out) {}

    void row(std::span<const Cell> cells, std::uint64_t) override {
        HumanRow row;
        row.reserve(cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i) row.push_back(human_cell(options_, columns_[i], cells[i]));
        if (!widths_.empty()) {
            print(row);
            return;
        }
        waiting_.push_back(std::move(row));
        if (waiting_.size() >= kLookAhead) print_waiting();
    }

    void end(const Footer&) override {
        print_waiting();
        out_.flush();
    }

    void flush() override {
        print_waiting();
        out_.flush();
    }

private:
    void print_waiting() {
        if (waiting_.empty()) return;
        if (widths_.empty()) settle_widths();
        for (const HumanRow& row : waiting_) print(row);
        waiting_.clear();
    }

    void settle_widths() {
        measure();
        const bool bounded = options_.terminal && options_.width > 0;
        if (bounded && !narrow()) {
            brief_ = true;
            measure();
            narrow();
        }
        if (options_.header) print_header();
    }

    const std::string& text_of(const HumanCell& cell) const {
        return brief_ && !cell.brief.empty() ? cell.brief : cell.text;
    }

    void measure() {
        widths_.clear();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            std::size_t width = options_.header ? display_width(columns_[i].title) : 0;
            for (const HumanRow& row : waiting_) width = std::max(width, display_width(text_of(row[i])));
            widths_.push_back(width);
        }
    }

    /// Takes what is too much from the widest columns of bytes and text; numbers and words are never cut. False: it still does not fit.
    bool narrow() {
        std::size_t total = kGap.size() * (columns_.size() - 1);
        for (const std::size_t width : widths_) total += width;
        for (; total > options_.width; --total) {
            std::size_t* widest = nullptr;
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                if (is_elidable(i) && widths_[i] > kNarrowest && (widest == nullptr || widths_[i] > *widest))
                    widest = &widths_[i];
            }
            if (widest == nullptr) return false;
            --*widest;
        }
        return true;
    }

    bool is_elidable(std::size_t i) const {
        const CellType type = columns_[i].type;
        return type == CellType::key || type == CellType::bytes || type == CellType::text;
    }

    void print_header() {
        HumanRow row;
        for (const Column& column : columns_) row.push_back({std::string(column.title), Tone::dim, {}});
        print(row);
    }

    void print(const HumanRow& row) {
        line_.clear();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i != 0) line_ += kGap;
            append(i, row[i], i + 1 == row.size());
        }
        line_.erase(line_.find_last_not_of(' ') + 1);
        line_ += '\n';
        out_.write(line_);
    }

    void append(std::size_t i, const HumanCell& cell, bool last) {
        const bool cut = options_.terminal && options_.width > 0 && is_elidable(i);
        const std::string elided = cut ? elide_middle(text_of(cell), widths_[i], options_.ascii) : std::string();
        const std::string& text = cut ? elided : text_of(cell);
        const std::size_t width = display_width(text);
        const std::size_t padding = width < widths_[i] ? widths_[i] - width : 0;
        const Tone tone = options_.color ? cell.tone : Tone::plain;
        if (leans_right(columns_[i].type)) line_.append(padding, ' ');
        line_.append(tone_on(tone)).append(text).append(tone_off(tone));
        if (!leans_right(columns_[i].type) && !last) line_.append(padding, ' ');
    }

    SinkOptions options_;
    std::vector<Column> columns_;
    ByteSink& out_;
    std::vector<HumanRow> waiting_;
    std::vector<std::size_t> widths_;  // empty until the first line is printed
    bool brief_ = false;
    std::string line_;
};

}  // namespace

std::unique_ptr<RowSink> make_table_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<TableSink>(options, std::move(columns), out);
}

}  // namespace ratectl::output
