// What `nodes` tells instead of its table. --probe: how long a write takes to its replicas, measured with a throw-away
// window on every shard. --capabilities: what answers at each node, and which of the commands that ratectl sends it
// lets this user run.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "commands/context.h"
#include "commands/report/row_writer.h"
#include "commands/request/syntax.h"
#include "commands/write/consent.h"

namespace ratectl::commands {

/// As given.
struct ProbeFlags {
    bool probe = false;
    std::optional<std::string> count;
    std::optional<std::string> every;
    ConsentFlags consent;  // --reason alone
    ColumnOrder order;     // that of the command
};
void bind_probe(Syntax syntax, ProbeFlags& flags);

/// Every round counts one request in each shard's window, and asks the replicas until they show it; at the end,
/// whatever that is, the windows are removed. Consent is that for one named key, the journal knows of every write, and
/// no operation key is left on a server. attention: a replica did not show a write within --timeout. Throws Failure
/// where nothing was written.
ExitCode run_probe(const ProbeFlags& flags, std::span<const std::size_t> shards, Context& context);

/// A row a node and command; one alone where a node does not answer. Nothing is written. Refused commands are rows, not
/// failures: what is broken by them is doctor's to say.
ExitCode run_capabilities(std::span<const std::size_t> shards, const ColumnOrder& order, Context& context);

}  // namespace ratectl::commands
