// The bytes of a row, made in those of the row before: only what changed is written again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratectl::output {

/// A row is, for each column, a fixed lead (a name, a separator) and its value, and a fixed tail.
class RowText {
public:
    RowText(const std::vector<std::string>& leads, std::string_view tail);

    /// The next row. write(i) gives the value of column i with one of the three below; it is not called for columns
    /// whose bit in `same` says that their value is that of the row before. The text is valid until the next call.
    template <class Write>
    std::string_view next(std::uint64_t same, Write write) {
        const std::size_t count = values_.size();
        const std::uint64_t changed = std::exchange(begun_, true) ? ~same : ~std::uint64_t{0};
        for (std::uint64_t left = changed & with_bits_; left != 0; left &= left - 1) {
            write(static_cast<std::size_t>(std::countr_zero(left)));
        }
        for (std::size_t i = kBits; i < count; ++i) write(i);
        return text_;
    }

    /// Where the caller writes a value of so many bytes. Most are as long as the one before.
    char* place(std::size_t column, std::size_t size) {
        if (values_[column].size != size) make_room(column, size);
        return text_.data() + values_[column].begin;
    }
    void put(std::size_t column, std::string_view value) { value.copy(place(column, value.size()), value.size()); }
    /// append(out) writes the value.
    template <class Append>
    void compose(std::size_t column, Append append) {
        fresh_.clear();
        append(fresh_);
        put(column, fresh_);
    }

private:
    static constexpr std::size_t kBits = 64;  // columns beyond are written every time
    /// Where a value stands in the text.
    struct Value {
        std::size_t begin = 0;
        std::size_t size = 0;
    };

    void make_room(std::size_t column, std::size_t size);

    std::string text_;  // at first: leads and tail around empty values
    std::vector<Value> values_;
    std::uint64_t with_bits_ = 0;  // the bits of all columns that have one
    std::string fresh_;            // a new value
    bool begun_ = false;
};

/// The new value is shorter or longer than the one in whose place it comes.
inline void RowText::make_room(std::size_t column, std::size_t size) {
    Value& value = values_[column];
    text_.replace(value.begin, value.size, size, ' ');
    const std::size_t farther = size - value.size;  // the other way round it wraps, and back
    value.size = size;
    for (Value& behind : std::span(values_).subspan(column + 1)) behind.begin += farther;
}

inline RowText::RowText(const std::vector<std::string>& leads, std::string_view tail) {
    for (const std::string& lead : leads) {
        text_ += lead;
        values_.push_back({text_.size(), 0});
    }
    text_ += tail;
    with_bits_ = leads.size() < kBits ? (std::uint64_t{1} << leads.size()) - 1 : ~std::uint64_t{0};
}

}  // namespace ratectl::output
