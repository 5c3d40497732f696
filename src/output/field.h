// The one list of columns of a value type: every format reads it, --columns chooses from it, the manual prints it.
#pragma once

#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/cell.h"
#include "output/formats/cell_stamp.h"
#include "support/error.h"

namespace ratectl::output {

template <class T>
struct Field {
    Column column;
    Cell (*get)(const T&);
    /// The facts of a T that alone decide this cell, as bits that T's owner names: it is new when one of them is. 0:
    /// not known, and cells are compared.
    unsigned facts = 0;
    /// With facts: what the cell points to is its T's own; else it lives as long as the output, and the cell is used
    /// again.
    bool fleeting = false;
};

/// The chosen fields of a T, in order.
template <class T>
using Fields = std::vector<Field<T>>;

/// Indices of the wanted columns: those of `names` (comma-separated, a bad one is a usage error with a near name), or
/// the default ones of a breadth when names is empty.
support::Result<std::vector<std::size_t>> choose_columns(std::span<const Column> all, std::string_view names,
                                                         Column::Shown breadth);

template <class T>
support::Result<Fields<T>> choose_fields(std::span<const Field<T>> all, std::string_view names, Column::Shown breadth) {
    std::vector<Column> columns;
    for (const auto& field : all) columns.push_back(field.column);
    auto chosen = choose_columns(columns, names, breadth);
    if (!chosen) return tl::make_unexpected(chosen.error());
    Fields<T> fields;
    for (const std::size_t i : *chosen) fields.push_back(all[i]);
    return fields;
}

template <class T>
std::vector<Column> columns_of(std::span<const Field<T>> fields) {
    std::vector<Column> columns;
    for (const auto& field : fields) columns.push_back(field.column);
    return columns;
}

/// Makes the new cell where the old one was: a sweep fills millions of them, and each move of a variant costs as much
/// as its value.
template <class T>
void replace_cell(Cell& cell, const Field<T>& field, const T& value) {
    const bool owns = std::holds_alternative<Text>(cell) || std::holds_alternative<Bytes>(cell);
    if (owns) std::destroy_at(&cell);  // the other kinds have nothing to give back
    try {
        ::new (static_cast<void*>(&cell)) Cell(field.get(value));
    } catch (...) {
        ::new (static_cast<void*>(&cell)) Cell();
        throw;
    }
}

template <class T>
void fill_row(const Fields<T>& fields, const T& value, Row& row) {
    row.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) replace_cell(row[i], fields[i], value);
}

/// Fills one row after the other, and tells which cells say what they said in the row before.
template <class T>
class RowFiller {
public:
    /// `known`: the facts that are as they were in the row before. Bit i of the result: cell i says the same.
    std::uint64_t fill(const Fields<T>& fields, const T& value, unsigned known, Row& row) {
        if (stamps_.size() != fields.size()) {
            stamps_.resize(fields.size());
            row.resize(fields.size());
            known = 0;
        }
        if (known >= plans_.size()) plans_.resize(known + 1);
        Plan& plan = plans_[known];
        if (!plan.made) plan = plan_for(fields, known);
        std::uint64_t same = plan.settled;
        for (const std::size_t i : plan.renewed) replace_cell(row[i], fields[i], value);
        for (const std::size_t i : plan.compared) {
            replace_cell(row[i], fields[i], value);
            const bool repeats = stamps_[i].repeats(row[i]);
            if (i < 64) same |= static_cast<std::uint64_t>(repeats) << i;
        }
        return same;
    }

private:
    /// Which cells known facts settle, and which are made again.
    struct Plan {
        bool made = false;
        std::uint64_t settled = 0;
        std::vector<std::size_t> renewed;
        std::vector<std::size_t> compared;
    };
    static Plan plan_for(const Fields<T>& fields, unsigned known) {
        Plan plan;
        plan.made = true;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const unsigned facts = fields[i].facts;
            const bool settled = facts != 0 && (facts & ~known) == 0;
            if (settled && i < 64) plan.settled |= std::uint64_t{1} << i;
            if (facts == 0) {
                plan.compared.push_back(i);
            } else if (!settled || fields[i].fleeting) {
                plan.renewed.push_back(i);
            }
        }
        return plan;
    }

    std::vector<CellStamp> stamps_;
    std::vector<Plan> plans_;  // by the facts that are known: a few bits
};

/// Whether it is the name of one of them, or one that machine formats derive from it (see Column).
bool has_column(std::span<const Column> all, std::string_view name);
/// The text of `--columns help`: name, type and meaning, a line each.
std::string describe_columns(std::span<const Column> columns);

}  // namespace ratectl::output
