// The one list of columns of a value type: every format reads it, --columns chooses from it, the manual prints it.
#pragma once

#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/cell.h"
#include "support/error.h"

namespace ratectl::output {

template <class T>
struct Field {
    Column column;
    Cell (*get)(const T&);
};

/// The chosen fields of a T, in order.
template <class T>
using Fields = std::vector<Field<T>>;

/// Indices of the wanted columns: those of `names` (comma-separated, a bad one is a usage error with a near name), or the default ones
/// of a breadth when names is empty.
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

/// Makes the new cell where the old one was: a sweep fills millions of them, and each move of a variant costs as much as its value.
template <class T>
void replace_cell(Cell& cell, const Field<T>& field, const T& value) {
    std::destroy_at(&cell);
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

/// The text of `--columns help`: name, type and meaning, a line each.
std::string describe_columns(std::span<const Column> columns);

}  // namespace ratectl::output
