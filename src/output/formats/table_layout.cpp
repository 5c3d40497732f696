// Chooses a table's shape by trying one after the other until one fits.
#include "output/formats/table_layout.h"

#include <algorithm>

#include "output/printable.h"

namespace ratectl::output {
namespace {

constexpr std::size_t kNarrowest = 16;  // no elided key gets shorter

class Attempt {
public:
    Attempt(const SinkOptions& options, const std::vector<Column>& columns, const std::vector<std::size_t>& shown,
            const std::vector<HumanRow>& rows)
        : options_(options), columns_(columns), shown_(shown), rows_(rows) {
        layout_.columns = shown;
    }

    TableLayout run() {
        measure(false);
        if (options_.width == 0 || excess() == 0) return layout_;
        measure(true);
        while (!elide() && drop_one()) measure(true);
        if (excess() > 0) become_records();
        return layout_;
    }

private:
    void measure(bool brief) {
        layout_.brief = brief;
        layout_.widths.assign(columns_.size(), 0);
        for (const std::size_t i : layout_.columns) {
            std::size_t width = options_.header ? display_width(shown_title(columns_[i], brief)) : 0;
            for (const HumanRow& row : rows_) width = std::max(width, display_width(shown_text(row[i], brief)));
            layout_.widths[i] = width;
        }
    }

    std::size_t excess() const {
        std::size_t total = kColumnGap.size() * (layout_.columns.size() - 1);
        for (const std::size_t i : layout_.columns) total += layout_.widths[i];
        return total > options_.width ? total - options_.width : 0;
    }

    /// Takes what is too much from the widest columns of bytes and text. False: it still does not fit.
    bool elide() {
        for (std::size_t left = excess(); left > 0; --left) {
            std::size_t* widest = nullptr;
            for (const std::size_t i : layout_.columns) {
                std::size_t& width = layout_.widths[i];
                if (is_elidable(columns_[i]) && width > kNarrowest && (widest == nullptr || width > *widest))
                    widest = &width;
            }
            if (widest == nullptr) return false;
            --*widest;
        }
        return true;
    }

    bool drop_one() {
        const auto first =
            std::min_element(layout_.columns.begin(), layout_.columns.end(), [this](std::size_t a, std::size_t b) {
                const unsigned left = columns_[a].drop;
                const unsigned right = columns_[b].drop;
                return left != 0 && (right == 0 || left < right);
            });
        if (layout_.columns.size() == 1 || columns_[*first].drop == 0) return false;
        layout_.columns.erase(first);
        return true;
    }

    void become_records() {
        layout_ = {};
        layout_.records = true;
        layout_.columns = shown_;
        std::size_t widest = 0;
        for (const std::size_t i : shown_) widest = std::max(widest, display_width(columns_[i].title));
        layout_.widths.assign(columns_.size(), widest);
    }

    const SinkOptions& options_;
    const std::vector<Column>& columns_;
    const std::vector<std::size_t>& shown_;
    const std::vector<HumanRow>& rows_;
    TableLayout layout_;
};

}  // namespace

TableLayout lay_out(const SinkOptions& options, const std::vector<Column>& columns,
                    const std::vector<std::size_t>& shown, const std::vector<HumanRow>& rows) {
    return Attempt(options, columns, shown, rows).run();
}

bool is_elidable(const Column& column) {
    return column.type == CellType::key || column.type == CellType::bytes || column.type == CellType::text;
}

const std::string& shown_text(const HumanCell& cell, bool brief) {
    return brief && !cell.brief.empty() ? cell.brief : cell.text;
}

std::string_view shown_title(const Column& column, bool brief) {
    return brief && !column.brief_title.empty() ? column.brief_title : column.title;
}

}  // namespace ratectl::output
