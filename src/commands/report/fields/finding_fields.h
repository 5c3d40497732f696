// The columns of doctor: one finding a row, one class a row of the summary, and the classes themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands/report/fields/write_fields.h"
#include "domain/diagnosis/finding.h"
#include "domain/window.h"
#include "output/field.h"

namespace ratectl::commands {

/// One fault of one window on one shard, or of one server.
struct FindingRow {
    domain::Finding finding;
    std::optional<std::string> key;  // null: it is about the server
    std::string shard;
    std::string node;  // its address
    std::string policy;
    domain::StoredWindow window;  // as it was seen
    std::string layout;           // of its limiter
    // What --fix made of it; null where it was not to be repaired.
    std::optional<RowStatus> status;
    std::string reason;
    std::optional<support::Error> error;
    std::string op_id;
};
std::span<const output::Field<FindingRow>> finding_fields();
/// The tables' columns.
inline constexpr std::string_view kFindingTable = "class,key,shard,detail,fixable";
inline constexpr std::string_view kRepairTable = "class,key,shard,status,detail,why_not";

/// One class of --summary.
struct FindingCountRow {
    domain::FindingClass what = domain::FindingClass::corrupt;
    std::uint64_t count = 0;
    std::optional<std::string> example;  // a key, or a server's address
};
std::span<const output::Field<FindingCountRow>> finding_count_fields();

/// `doctor --classes`.
std::span<const output::Field<domain::FindingKind>> finding_kind_fields();

}  // namespace ratectl::commands
