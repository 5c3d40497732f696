// What was written, before and after: one SQLite file that knows of every write before it is sent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/operation.h"
#include "domain/write.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::journal {

/// One command's change: the head of its entries.
struct OperationHead {
    domain::Operation operation;
    domain::WriteKind kind = domain::WriteKind::count;
    std::string command;  // `reset`, `refund`, `apply`, `undo`, `replay` ...
    std::string deployment;
    support::WallTime started_at{};
    std::optional<std::string> undoes;  // the operation that this one takes back
    bool op_keys = true;                // false: sent without operation keys, so their absence on a server says nothing

    bool operator==(const OperationHead&) const = default;
};

/// A window that is about to be written.
struct Intent {
    std::uint64_t row = 1;    // OP/row: its place in the command, the same when the command is resumed
    std::uint64_t slice = 1;  // the script call that carries it
    std::string shard;
    std::string node;    // the address
    std::string run_id;  // empty: the server would not say
    std::string key;
    std::string layout;                  // of its limiter: how the window is stored
    std::optional<std::int64_t> amount;  // null for resets
    support::WallTime at{};              // our clock when it was about to be sent
    std::string fingerprint = {};        // of that call: what was asked, and of which windows
};

/// What became of it.
struct Outcome {
    std::uint64_t row = 1;
    domain::WriteStatus status = domain::WriteStatus::unknown;
    std::string reason;
    domain::StoredWindow before;
    domain::StoredWindow after;
    std::int64_t taken = 0;
    support::WallTime at{};  // by the server's clock; ours where it did not say
};

/// An intent with its outcome; status null: the command ended (or still runs) without saying.
struct Entry {
    OperationHead head;
    Intent intent;
    std::optional<Outcome> outcome;
};

/// Which entries; every unset member means all.
struct Question {
    std::optional<std::string> operation;
    std::optional<std::uint64_t> from_row;  // inclusive
    std::optional<std::uint64_t> to_row;    // inclusive
    std::optional<std::string> key;
    std::optional<std::string> deployment;
    std::optional<std::string> command;
    std::optional<support::WallTime> since;  // of the operation's start
    std::optional<support::WallTime> until;
    bool newest_first = false;
};

/// Opens or makes the file (0600, in a folder 0700; never through a symbolic link, never anything but a regular file of
/// ours with one name), in WAL mode with synchronous=FULL; an older schema is brought up to date, a newer one refused.
/// Several processes may use it at once. Every failure throws support::Failure (local_io) that names the file: full
/// disk, no permission, damaged file.
class Journal {
public:
    explicit Journal(const std::string& path);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    const std::string& path() const;

    /// Records a command's change. The same id, kind, command and deployment again is fine (a resume; the first head
    /// stays, no matter which process resumes and why, unless nothing was, or may have been, written under it); another
    /// one under the same id is a Failure (guard).
    void begin(const OperationHead& head);
    /// One durable transaction: when it returns, the intents are on disk. A row that is there already (a resume) stays
    /// as it is when something was, or may have been, written for it and that is known; else the new intent replaces it
    /// and its outcome is open again.
    void intend(const std::string& operation, std::span<const Intent> intents);
    /// One durable transaction. `not_attempted` removes an intent: nothing was sent; one that an earlier run had left
    /// open stays open. What was applied is never overwritten, and a row that was never intended is passed over.
    void conclude(const std::string& operation, std::span<const Outcome> outcomes);

    /// Both in one durable transaction, outcomes first: those of one batch together with the intents of the next.
    void record(const std::string& operation, std::span<const Outcome> outcomes, std::span<const Intent> intents);

    std::optional<OperationHead> find(const std::string& operation);
    /// The operations that take this one back, wholly or in part, oldest first.
    std::vector<OperationHead> undone_by(const std::string& operation);
    /// By the start of their operation, then by row; with `newest_first` exactly the other way round. `take` returns
    /// false to stop. Constant memory.
    void entries(const Question& question, const std::function<bool(const Entry&)>& take);
    /// Rows of an operation that have an outcome which wrote something (applied, already_applied): a resume skips them.
    std::vector<std::uint64_t> applied_rows(const std::string& operation, std::uint64_t from_row, std::uint64_t to_row);
    /// Every operation whose id begins so, newest first, at most `most`: for people who type half an id.
    std::vector<std::string> operations_like(std::string_view beginning, std::size_t most);

    class Impl;

private:
    std::unique_ptr<Impl> impl_;
};

/// `$XDG_STATE_HOME/ratectl/journal.db`, or below `$HOME/.local/state`. Throws Failure (local_io) when neither is set.
std::string default_path(const std::optional<std::string>& xdg_state_home, const std::optional<std::string>& home);

}  // namespace ratectl::journal
