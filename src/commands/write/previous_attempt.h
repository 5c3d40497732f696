// What an operation has done before: asked of the servers' operation keys first, then of the journal of this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/write/change.h"
#include "commands/write/planned_slices.h"
#include "commands/write/write_order.h"
#include "commands/write/write_tally.h"
#include "commands/write/written_servers.h"
#include "domain/operation.h"

namespace ratectl::commands {

/// What is known of one planned key.
struct EarlierWrite {
    enum class Kind {
        answered,  // its window was part of a call that was carried out: this is what came of it
        left_out,  // its call was carried out without it, and cannot be sent again; what a plan found gone, too
        doubtful,  // it was about to be sent, and nothing tells any more whether it was
        lost       // it was carried out, at a server that is another one now and has no record of it
    };
    Kind kind = Kind::answered;
    domain::OperationRecord::WindowAnswer answer = {};  // of answered and lost
    std::string because = {};                           // the reason that was given then
    std::string where = {};                             // of lost: what follows `was changed `
    support::WallTime at = {};                          // of what a server answered: when it was, by its clock
};

/// Throws Failure (guard): the id stands for something else, `where`: in the journal of this machine, or on a server.
[[noreturn]] void refuse_used_id(const Orders& orders, const std::string& where, bool in_journal = false);

/// Of what could be written, but for its call, which was carried out without it.
Refusal refuse_left_out(const PlannedKey& planned, const Orders& orders);

/// A sweep whose id was named, and is known to the journal or the servers, cannot be resumed. Throws Failure (guard).
void refuse_repeated_sweep(const Orders& orders, domain::WriteKind kind, Context& context);

class PreviousAttempt {
public:
    /// What is given outlives it. For a dry run it reads only.
    PreviousAttempt(const Orders& orders, const Change& change, Context& context);

    /// One a key of the chunk; null: nothing is known, it may be sent. What the servers know of entries that the
    /// journal could not end is recorded there. Throws Failure (guard) when the id belongs to another operation,
    /// (local_io) when the journal fails.
    std::vector<std::optional<EarlierWrite>> of(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices,
                                                std::uint64_t first_row);

    /// What has been taken back of it since, as far as the servers tell.
    const TakenBack& taken_back() const { return taken_back_; }

private:
    using Known = std::vector<std::optional<EarlierWrite>>;
    void look_for_another(std::span<const PlannedSlice> slices) const;
    void look_for_other_slots(std::span<const PlannedSlice> slices) const;
    void ask_servers(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices, Known& known);
    void ask_journal(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices, std::uint64_t first_row,
                     Known& known);
    void take_record(std::span<const PlannedKey> chunk, const PlannedSlice& slice,
                     const domain::OperationRecord& record, Known& known) const;
    /// Of a call of this name on that slice's shard.
    [[noreturn]] void refuse_other_call(std::span<const PlannedKey> chunk, const PlannedSlice& slice,
                                        const domain::OperationRecord& record) const;
    /// As far as no look decides how many are meant.
    std::optional<std::int64_t> asked_amount(const PlannedKey& planned) const;
    void refuse_other_amount(const PlannedKey& planned, const journal::Entry& entry) const;
    void refuse_other_terms(std::span<const PlannedSlice> slices, const journal::Entry& entry) const;
    bool is_doubtful(const PlannedKey& planned, const journal::Entry& entry) const;

    const Orders& orders_;
    const Change& change_;
    domain::WriteKind kind_;
    Context& context_;
    journal::Journal* journal_;  // null: there is none, and a dry run makes none
    WrittenServers servers_;
    TakenBack taken_back_;
};

}  // namespace ratectl::commands
