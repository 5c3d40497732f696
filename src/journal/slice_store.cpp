// Stores and finds packed windows of script calls with SQL.
#include "journal/slice_store.h"

#include <algorithm>

#include "journal/packing.h"
#include "support/error.h"

namespace ratectl::journal {
namespace {

constexpr std::string_view kInsert = R"sql(
INSERT INTO slice(operation, first_row, last_row, number, server, sent_ms, again, windows, layout, fingerprint)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10))sql";

// By the index on last rows: what is recorded now comes behind nearly everything that is there.
constexpr std::string_view kAmong =
    " FROM slice s INDEXED BY slice_by_last WHERE s.operation = ?1 AND s.last_row >= ?2 AND s.first_row <= ?3 ORDER BY "
    "s.last_row, s.first_row";

}  // namespace

std::int64_t sql_number(std::uint64_t number) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX));
}

StoredSlice slice_of(const Statement& row) {
    return {row.integer(0), row.integer(1), static_cast<std::uint64_t>(row.integer(2)),
            row.integer(3), row.integer(4), row.integer(5) != 0,
            row.bytes(6),   row.bytes(7),   row.bytes(8)};
}

SliceStore::SliceStore(Database& database)
    : database_(database),
      insert_(database, kInsert),
      among_(database, "SELECT " + std::string(kSliceColumns) + std::string(kAmong)),
      outcomes_(database, "SELECT packed FROM slice_outcomes WHERE slice = ?1"),
      put_outcomes_(database, "INSERT OR REPLACE INTO slice_outcomes(slice, packed) VALUES(?1, ?2)"),
      remove_(database, "DELETE FROM slice WHERE id = ?1"),
      remove_outcomes_(database, "DELETE FROM slice_outcomes WHERE slice = ?1") {}

std::int64_t SliceStore::insert(const StoredSlice& slice, std::span<const WindowView> windows) {
    const auto packed = pack_windows(windows);
    insert_.bind(1, slice.operation).bind(2, sql_number(windows.front().row)).bind(3, sql_number(windows.back().row));
    insert_.bind(4, sql_number(slice.number)).bind(5, slice.server).bind(6, slice.sent_ms);
    insert_.bind(7, std::int64_t{slice.again}).bind_bytes(8, std::string_view(packed));
    insert_.bind_text(9, slice.layout).bind_text(10, slice.fingerprint).run();
    return database_.last_id();
}

std::vector<StoredSlice> SliceStore::among(std::int64_t operation, std::uint64_t from_row, std::uint64_t to_row) {
    std::vector<StoredSlice> slices;
    among_.bind(1, operation).bind(2, sql_number(from_row)).bind(3, sql_number(to_row));
    while (among_.step()) slices.push_back(slice_of(among_));
    among_.reset();
    return slices;
}

std::vector<std::optional<Outcome>> SliceStore::outcomes(const StoredSlice& slice,
                                                         std::span<const std::uint64_t> rows) {
    std::vector<std::optional<Outcome>> found(rows.size());
    outcomes_.bind(1, slice.id);
    std::optional<std::string> packed;
    if (outcomes_.step()) packed = outcomes_.bytes(0);
    outcomes_.reset();
    if (!packed) return found;
    try {
        return unpack_outcomes(*packed, rows, slice.sent_ms);
    } catch (const Damaged&) {
        fail_damaged("the outcomes of a script call");
    }
}

void SliceStore::put_outcomes(const StoredSlice& slice, std::span<const Outcome* const> outcomes) {
    const auto packed = pack_outcomes(outcomes, slice.sent_ms);
    put_outcomes_.bind(1, slice.id).bind_bytes(2, std::string_view(packed)).run();
}

void SliceStore::remove(const StoredSlice& slice) {
    remove_outcomes_.bind(1, slice.id).run();
    remove_.bind(1, slice.id).run();
}

std::vector<SliceWindow> SliceStore::windows(const StoredSlice& slice) const {
    try {
        return unpack_windows(slice.windows);
    } catch (const Damaged&) {
        fail_damaged("the windows of a script call");
    }
}

std::vector<std::uint64_t> SliceStore::rows(const StoredSlice& slice) const {
    try {
        return unpack_rows(slice.windows);
    } catch (const Damaged&) {
        fail_damaged("the windows of a script call");
    }
}

void SliceStore::fail_damaged(const std::string& what) const {
    throw support::Failure(support::ExitCode::local_io,
                           "the journal '" + database_.path() + "' is damaged: " + what + " cannot be read",
                           "move it away and a new one is begun; `ratectl history --on-servers` shows what the servers "
                           "still know");
}

}  // namespace ratectl::journal
