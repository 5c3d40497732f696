// The rows of the table `slice` and their outcomes: script calls as they are stored, found by the rows that they carry.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/database.h"
#include "journal/journal.h"
#include "journal/slice_codec.h"

namespace ratectl::journal {

/// A script call, or a part of one: what an operation may send to one server at one moment.
struct StoredSlice {
    std::int64_t id = 0;  // none yet: 0
    std::int64_t operation = 0;
    std::uint64_t number = 1;
    std::int64_t server = 0;
    std::int64_t sent_ms = 0;
    bool again = false;   // an earlier run had left its windows open
    std::string windows;  // packed
    std::string layout;   // of all of them
    std::string fingerprint;
};

class SliceStore {
public:
    explicit SliceStore(Database& database);

    /// Stores it with these windows, rows ascending; returns its id.
    std::int64_t insert(const StoredSlice& slice, std::span<const WindowView> windows);
    /// Those of an operation that may carry one of these rows (inclusive).
    std::vector<StoredSlice> among(std::int64_t operation, std::uint64_t from_row, std::uint64_t to_row);
    std::vector<std::optional<Outcome>> outcomes(const StoredSlice& slice, std::span<const std::uint64_t> rows);
    /// One a window; null: none.
    void put_outcomes(const StoredSlice& slice, std::span<const Outcome* const> outcomes);
    void remove(const StoredSlice& slice);

    std::vector<SliceWindow> windows(const StoredSlice& slice) const;
    std::vector<std::uint64_t> rows(const StoredSlice& slice) const;
    /// Bytes that no journal has written.
    [[noreturn]] void fail_damaged(const std::string& what) const;

private:
    Database& database_;
    Statement insert_;
    Statement among_;
    Statement outcomes_;
    Statement put_outcomes_;
    Statement remove_;
    Statement remove_outcomes_;
};

/// A number as SQLite has them: what is beyond its largest becomes that.
std::int64_t sql_number(std::uint64_t number);

/// The columns of StoredSlice, of `slice s`.
inline constexpr std::string_view kSliceColumns =
    "s.id, s.operation, s.number, s.server, s.sent_ms, s.again, s.windows, s.layout, s.fingerprint";
inline constexpr int kWindowsColumn = 6;
StoredSlice slice_of(const Statement& row);

}  // namespace ratectl::journal
