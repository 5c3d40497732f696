// Whether a shard's server is still the one that the journal says was written to.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "commands/context.h"
#include "journal/journal.h"

namespace ratectl::commands {

/// One a command: each server is asked once.
class WrittenServers {
public:
    explicit WrittenServers(Context& context) : context_(context) {}

    /// Null: it is, as far as can be told. Else how it is another one, to follow `was changed `: `at A, and shard 's'
    /// is now B`. That one may have the write all the same: its operation keys say so.
    std::optional<std::string> replaced(const journal::Intent& intent, std::size_t shard);
    /// The same of a write that the server has no operation key of: null, too, once its window is over, and with it the
    /// key.
    std::optional<std::string> may_have_lost(const journal::Intent& intent, const journal::Outcome& outcome,
                                             std::size_t shard);
    /// Of the shard's primary; null where it does not answer, which it says when it is written to.
    const std::optional<domain::NodeFacts>& facts_of(std::size_t shard);

private:
    Context& context_;
    std::map<std::size_t, std::optional<domain::NodeFacts>> facts_;
};

}  // namespace ratectl::commands
