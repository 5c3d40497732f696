// Keys in cells are known by their column, keys in sentences by their quotes.
#include "output/veil.h"

#include <algorithm>

#include "output/machine_cell.h"

namespace ratectl::output {
namespace {

bool ends_a_quote(std::string_view text, std::size_t at) {
    if (text[at] != '\'') return false;
    constexpr std::string_view behind = " ,.;:)\n";
    return at + 1 == text.size() || behind.find(text[at + 1]) != std::string_view::npos;
}

class VeiledSink final : public RowSink {
public:
    VeiledSink(std::unique_ptr<RowSink> sink, std::vector<Column> columns, std::shared_ptr<const Veil> veil)
        : sink_(std::move(sink)), columns_(std::move(columns)), veil_(std::move(veil)) {}

    void row(std::span<const Cell> cells, std::uint64_t same) override {
        if (!veil_->hides()) {
            sink_->row(cells, same);
            return;
        }
        row_.assign(cells.begin(), cells.end());
        for (std::size_t i = 0; i < row_.size(); ++i) {
            const auto text = text_of(row_[i]);
            if (!text) continue;
            if (columns_[i].type == CellType::key) row_[i] = Bytes{veil_->key(*text)};
            if (columns_[i].type == CellType::text) row_[i] = Text{veiled(veil_.get(), *text)};
        }
        sink_->row(row_, same);
    }
    void end(const Footer& footer) override {
        Footer shown = footer;
        for (FailureRow& failure : shown.failures) {
            failure.message = veiled(veil_.get(), failure.message);
            failure.hint = veiled(veil_.get(), failure.hint);
        }
        sink_->end(shown);
    }
    void flush() override { sink_->flush(); }
    const std::vector<std::string>& left_out() const override { return sink_->left_out(); }
    std::uint64_t left_out_count() const override { return sink_->left_out_count(); }

private:
    std::unique_ptr<RowSink> sink_;
    std::vector<Column> columns_;
    std::shared_ptr<const Veil> veil_;
    Row row_;
};

}  // namespace

std::string veiled(const Veil* veil, std::string_view text) {
    std::string shown;
    if (veil == nullptr || !veil->hides()) return std::string(text);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = std::min(text.find('\'', at), text.size());
        std::size_t close = std::min(open + 1, text.size());
        while (close < text.size() && !ends_a_quote(text, close)) ++close;
        shown += text.substr(at, open - at);
        if (close >= text.size()) {
            shown += text.substr(open);
            break;
        }
        const std::string key = veil->key(text.substr(open + 1, close - open - 1));
        const bool hidden = key != text.substr(open + 1, close - open - 1);
        // A quote that is none of a key's may end where the next one begins.
        shown += hidden ? "'" + key + "'" : std::string(text.substr(open, 1));
        at = hidden ? close + 1 : open + 1;
    }
    return shown;
}

std::unique_ptr<RowSink> veiled_sink(std::unique_ptr<RowSink> sink, std::vector<Column> columns,
                                     std::shared_ptr<const Veil> veil) {
    return std::make_unique<VeiledSink>(std::move(sink), std::move(columns), std::move(veil));
}

}  // namespace ratectl::output
