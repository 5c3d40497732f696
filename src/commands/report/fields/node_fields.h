// The columns of a server: what it says about itself, or why it says nothing; and of `nodes --probe`, a row a replica.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/node.h"
#include "output/field.h"
#include "store/store.h"
#include "support/error.h"

namespace ratectl::commands {

std::span<const output::Field<store::NodeReport>> node_fields();

/// True when the server's role is not the one it is configured for.
bool has_wrong_role(const store::NodeReport& report);

/// A replica, as `nodes --probe` tells of it.
struct ProbeRow {
    domain::Node node;
    std::string key;  // of the throw-away window, the last one if there were several
    bool planned = false;
    std::uint64_t lost = 0;  // writes that it did not show in time
    std::vector<std::chrono::microseconds> delays;
    std::vector<std::chrono::microseconds> blinds;  // what of each may be our own
    std::optional<support::Error> error;            // the last time it could not be asked
};
std::span<const output::Field<ProbeRow>> probe_fields();

/// A command on a server, as `nodes --capabilities` tells of it.
struct CapabilityRow {
    domain::Node node;
    std::string server;   // product and version; empty: not told
    std::string command;  // as it is sent; empty: the server did not answer
    std::optional<domain::Trial> outcome;
    std::string_view needed_for;  // empty: by nothing
    std::string_view without;     // what is lost where it is refused
    std::optional<support::Error> error;
};
std::span<const output::Field<CapabilityRow>> capability_fields();

}  // namespace ratectl::commands
