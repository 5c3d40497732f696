// What became of one key of a change, and the columns that print it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/limiter.h"
#include "domain/write.h"
#include "output/cell.h"
#include "output/field.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::commands {

/// `4998 -> 4958`, `7 -> none`, `unknown until 2026-01-01T00:00:00Z -> none`; of a repair `expires never ->
/// 2026-01-01T00:00:01Z`, each half by itself where they differ. Where nothing was changed, what is there.
output::Cell change_cell(bool changed, const domain::StoredWindow& before, const domain::StoredWindow& after,
                         bool about_expiries);
/// The first part of a repair's, where it is not known what the expiries became.
std::string expiry_words(const domain::StoredWindow& window);

/// A half of a StoredWindow as a number, and as a time; null where it is none: what it holds is in the column of bytes.
output::Cell stored_integer(const std::optional<std::string>& stored);
output::Cell stored_time(const std::optional<std::string>& stored);

/// The status words of result rows. Only `applied` was written (`already-applied`: by an earlier command); `unknown`
/// may have been.
enum class RowStatus {
    applied,
    already_applied,
    planned,
    skipped,
    window_changed,
    refused,
    failed,
    unknown,
    not_attempted
};
std::string_view name_of(RowStatus status);
/// How a row tells of what the store said.
RowStatus row_status(domain::WriteStatus status);
/// The word in its colour.
output::Word status_word(RowStatus status);

/// One key of a change. What is not known stays null.
struct WriteRow {
    std::string key;
    std::string deployment;
    std::string shard;
    std::string node;             // its address
    bool about_expiries = false;  // undo of a repair: values stay as they are
    std::string_view op;          // static: `increment`, `refund`, `reset`, `undo`
    RowStatus status = RowStatus::not_attempted;
    std::string reason;                   // a stable word: `below-zero`, `protected`, `absent` ...
    std::optional<support::Error> error;  // the reason in words, and the exit code it asks for
    std::string because;                  // what --reason said when it was carried out
    domain::StoredWindow before;
    domain::StoredWindow after;
    std::optional<std::int64_t> amount;  // what was asked for
    std::optional<std::int64_t> taken;   // refund: what was given back
    std::optional<support::WallTime> written_at;
    const domain::Limiter* limiter = nullptr;  // of its deployment
    std::string op_id;                         // `ID/row`; empty where nothing is recorded
    int attempts = 1;                          // how often it was sent
    bool resolved = false;                     // the reply was lost; the operation key told what had happened
    std::optional<int> acknowledged;           // replicas that had it when --wait-replicas stopped waiting
};

std::span<const output::Field<WriteRow>> write_fields();
/// The default columns of the table, and those of a command with --reason.
inline constexpr std::string_view kWriteTable = "key,shard,status,change,reset_at,why_not";
inline constexpr std::string_view kReasonedWriteTable = "key,shard,status,change,reset_at,why_not,because";

}  // namespace ratectl::commands
