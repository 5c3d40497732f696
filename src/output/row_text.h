// The bytes of a row, made in those of the row before: only what changed is written again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratectl::output {

/// A row is, for each column, a fixed lead (a name, a separator) and its value, and a fixed tail.
class RowText {
public:
    RowText(const std::vector<std::string>& leads, std::string_view tail);

    /// The next row. append(out, i) writes the value of column i; it is not asked for columns whose bit in `same` says that their value is
    /// that of the row before. The text is valid until the next call.
    template <class Append>
    std::string_view next(std::uint64_t same, Append append) {
        const std::size_t count = values_.size();
        const std::uint64_t changed = std::exchange(begun_, true) ? ~same : ~std::uint64_t{0};
        for (std::uint64_t left = changed & with_bits_; left != 0; left &= left - 1) {
            write(static_cast<std::size_t>(std::countr_zero(left)), append);
        }
        for (std::size_t i = kBits; i < count; ++i) write(i, append);
        return text_;
    }

private:
    static constexpr std::size_t kBits = 64;  // columns beyond are written every time
    /// Where a value stands in the text.
    struct Value {
        std::size_t begin = 0;
        std::size_t size = 0;
    };

    /// Most values are as long as the one before.
    template <class Append>
    void write(std::size_t column, Append& append) {
        Value& value = values_[column];
        fresh_.clear();
        append(fresh_, column);
        if (fresh_.size() == value.size) {
            std::memcpy(text_.data() + value.begin, fresh_.data(), value.size);
        } else {
            make_room(column);
        }
    }
    void make_room(std::size_t column);

    std::string text_;  // at first: leads and tail around empty values
    std::vector<Value> values_;
    std::uint64_t with_bits_ = 0;  // the bits of all columns that have one
    std::string fresh_;            // a new value
    bool begun_ = false;
};

/// The new value is shorter or longer than the one in whose place it comes.
inline void RowText::make_room(std::size_t column) {
    Value& value = values_[column];
    text_.replace(value.begin, value.size, fresh_);
    const std::size_t farther = fresh_.size() - value.size;  // the other way round it wraps, and back
    value.size = fresh_.size();
    for (std::size_t i = column + 1; i < values_.size(); ++i) values_[i].begin += farther;
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
