// An operation: one change that a command asked for, under an id that makes it happen once, however often it is asked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/write.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::domain {

/// Who changes something, and why: travels with every write, onto the server and into the journal.
struct Operation {
    std::string id;  // a ULID, or what --op-id named; see check_operation_id()
    std::string actor;
    std::string host;
    std::string reason;

    bool operator==(const Operation&) const = default;
};

/// 1 to 64 of A-Z a-z 0-9 _ and -, so that an id can be a part of a key and of `ID/3`. Errors: usage.
support::Result<void> check_operation_id(std::string_view id);

/// What the names of operation keys begin with.
inline constexpr std::string_view kReservedPrefix = "ratectl:op:";
/// And those of the windows that `nodes --probe` writes and removes again.
inline constexpr std::string_view kProbePrefix = "ratectl:probe:";
/// One of the two, or a governor's. No window of the application may have such a key: sweeps pass it over, and no
/// change is written there.
bool is_reserved_key(std::string_view key);

enum class WriteKind { count, refund, reset, restore, repair, put };
/// `increment`, `refund`, `reset`, `undo`, `repair`, `put`, as people say it.
std::string_view name_of(WriteKind kind);

/// The name of one script call: `ID.number` in keys and records.
struct SliceId {
    std::string operation;
    std::uint64_t number = 1;
    /// Of a Redis Cluster: what puts the call's key into the slot of its windows, which follows from the number.
    std::string tag = {};

    bool operator==(const SliceId& other) const { return operation == other.operation && number == other.number; }
};
/// In a Redis Cluster all windows of a call are in one slot, and its number says which: calls are counted from 1, and
/// each has as many numbers as there are slots. 0 is counted by no call.
std::uint64_t number_in_slot(std::uint64_t count, std::uint16_t slot);
std::uint16_t slot_of_number(std::uint64_t number);
/// `ID.number`
std::string to_string(const SliceId& id);

/// What an operation key on a server says of one script call that wrote something.
struct OperationRecord {
    SliceId id;
    WriteKind kind = WriteKind::count;
    std::string fingerprint;
    std::string actor;
    std::string host;
    std::string reason;
    support::WallTime at{};  // the server's clock

    /// Every window of the call, those that were refused included; removals with the values and expiries that were
    /// removed.
    struct WindowAnswer {
        std::string key;
        WriteStatus status = WriteStatus::refused;
        std::string why;  // a stable word where nothing was written
        StoredWindow before;
        StoredWindow after;
        std::int64_t taken = 0;  // by a refund; of a count only what does not follow from before and after
    };
    std::vector<WindowAnswer> windows;
};

/// How many requests a window's answer tells that were counted, or given back; null: it does not.
std::optional<std::int64_t> amount_in(WriteKind kind, const StoredWindow& before, const StoredWindow& after,
                                      std::int64_t taken);

/// A ULID, which sorts by the time it was made (layout and alphabet: github.com/ulid/spec): 48 bits of milliseconds
/// since the epoch, then 80 random bits, in Crockford's base 32.
std::string make_ulid(support::WallTime now, const std::array<std::uint8_t, 10>& randomness);

}  // namespace ratectl::domain
