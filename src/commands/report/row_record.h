// A kept row as bytes, for memory and for a file of this process: compact, and comparable without taking it apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "commands/report/kept_rows.h"

namespace ratectl::commands {

/// Where a row stands among others, as far as a number can say it.
struct RowRank {
    bool null = false;         // last
    std::uint64_t number = 0;  // smaller comes first; for text only its first bytes
};
RowRank rank_of(const output::Cell& order, bool descending);

/// A record is its length in four bytes, little endian as this machine has it, and that many bytes.
void append_record(std::string& out, const KeptRow& row);
inline constexpr std::size_t kRecordHead = 4;
std::size_t record_length(std::string_view record);

/// What the order needs of a record: views into it. Records are what append_record() wrote.
struct RecordOrder {
    output::Cell order;
    std::string_view key;
};
RecordOrder order_of(std::string_view record);
void read_record(std::string_view record, KeptRow& row);

}  // namespace ratectl::commands
