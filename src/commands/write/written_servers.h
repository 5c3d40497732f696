// Whether a shard's server is still the one that the journal says was written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "commands/context.h"
#include "journal/journal.h"
#include "support/error.h"

namespace ratectl::commands {

/// One a command: each server is asked once.
class WrittenServers {
public:
    explicit WrittenServers(Context& context) : context_(context) {}

    /// Null: it is, as far as can be told. Else how it is another one, to follow `was changed `: `at A, and shard 's'
    /// is now B`. That one may have the write all the same: its operation keys say so.
    std::optional<std::string> replaced(const journal::Intent& intent, std::size_t shard);
    /// replaced(), of a write that the server has no operation key of: null, too, once its window is over, and with it
    /// the key.
    std::optional<std::string> may_have_lost(const journal::Intent& intent, const journal::Outcome& outcome,
                                             std::size_t shard);
    /// Whether the shard's server has the key of the call that wrote it, as a promoted replica has. An error: it did
    /// not say, perhaps since we are told to stop. `head`: of one and the same operation in all questions.
    support::Result<bool> has_had(const journal::OperationHead& head, const journal::Intent& intent, std::size_t shard);
    /// Of the shard's primary; null where it does not answer, which it says when it is written to.
    const std::optional<domain::NodeFacts>& facts_of(std::size_t shard);

private:
    Context& context_;
    std::map<std::size_t, std::optional<domain::NodeFacts>> facts_;
    /// By shard and number, of calls that another server made: the keys that they wrote, as the shard's server has it
    /// on record.
    std::map<std::pair<std::size_t, std::uint64_t>, std::set<std::string>> calls_;
};

}  // namespace ratectl::commands
