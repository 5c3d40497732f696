// The bytes of a row, made from those of the row before: what did not change is copied in long stretches instead of written again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ratectl::output {

/// A row is, for each column, a fixed lead (a name, a separator) and its value, and a fixed tail.
class RowText {
public:
    RowText(std::vector<std::string> leads, std::string_view tail);

    /// The next row. append(out, i) writes the value of column i; it is not asked for columns whose bit in `same` says that their value is
    /// that of the row before. The text is valid until the next call.
    template <class Append>
    std::string_view next(std::uint64_t same, Append append) {
        if (!begun_ || same != same_) plan(begun_ ? same : 0);
        text_.clear();
        std::size_t copied = 0;  // of last_
        for (const Change& change : changes_) {
            std::size_t& value = columns_[change.column].value;
            text_.append(last_, copied, change.behind);
            copied += change.behind + value;
            const std::size_t begin = text_.size();
            append(text_, change.column);
            value = text_.size() - begin;
        }
        text_.append(last_, copied);
        text_.swap(last_);
        return last_;
    }

private:
    static constexpr std::size_t kBits = 64;  // columns beyond are written every time
    struct Part {
        std::size_t lead = 0;   // bytes
        std::size_t value = 0;  // bytes in last_
    };
    /// A column that is written anew, and how many bytes of last_ stand between it and the one before.
    struct Change {
        std::size_t column = 0;
        std::size_t behind = 0;
    };
    void plan(std::uint64_t same);

    std::vector<Part> columns_;
    std::vector<Change> changes_;  // what `same_` leaves to be written: mostly that of the row before
    std::uint64_t same_ = 0;
    std::string last_;  // at first: leads and tail around empty values
    std::string text_;
    bool begun_ = false;
};

inline void RowText::plan(std::uint64_t same) {
    begun_ = true;
    same_ = same;
    changes_.clear();
    std::size_t behind = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        behind += columns_[i].lead;
        if (i < kBits && ((same >> i) & 1U) != 0) {
            behind += columns_[i].value;
        } else {
            changes_.push_back({i, behind});
            behind = 0;
        }
    }
}

inline RowText::RowText(std::vector<std::string> leads, std::string_view tail) {
    for (const std::string& lead : leads) {
        columns_.push_back({lead.size(), 0});
        last_ += lead;
    }
    last_ += tail;
}

}  // namespace ratectl::output
