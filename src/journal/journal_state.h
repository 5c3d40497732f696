// What an open journal holds: its connection, its prepared statements, and the numbers that stand for long strings.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/database.h"
#include "journal/journal.h"
#include "journal/slice_store.h"

namespace ratectl::journal {

class Journal::Impl {
public:
    explicit Impl(const std::string& path);

    /// The number of an operation that begin() has recorded.
    std::int64_t number_of(const std::string& operation);
    std::int64_t number_of_server(const Intent& intent);
    /// Inside a transaction of the caller's; see Journal.
    void intend(std::int64_t operation, std::span<const Intent> intents);
    void conclude(std::int64_t operation, std::span<const Outcome> outcomes);

    Database database;
    SliceStore slices;
    std::string last_operation;
    std::int64_t last_number = 0;

private:
    void insert(std::int64_t operation, std::span<const Intent* const> intents, bool again);
    void replace(std::int64_t operation, const std::vector<StoredSlice>& there, std::span<const Intent* const> intents);
    void take_out(const StoredSlice& slice, const std::vector<bool>& gone,
                  std::span<const std::optional<Outcome>> outcomes);
};

inline std::int64_t to_integer(support::WallTime time) { return time.time_since_epoch().count(); }
inline support::WallTime to_wall_time(std::int64_t ms) { return support::WallTime{support::Milliseconds{ms}}; }

/// The columns that head_of() reads, of `operation o`.
inline constexpr std::string_view kHeadColumns =
    "o.id, o.actor, o.host, o.reason, o.kind, o.command, o.deployment, o.started_ms, o.undoes, o.op_keys";
/// From columns 0 to 9.
OperationHead head_of(const Statement& row, const Database& database);

}  // namespace ratectl::journal
