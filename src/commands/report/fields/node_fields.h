// The columns of a server: what it says about itself, or why it says nothing.
#pragma once

#include <span>

#include "output/field.h"
#include "store/store.h"

namespace ratectl::commands {

std::span<const output::Field<store::NodeReport>> node_fields();

/// True when the server's role is not the one it is configured for.
bool has_wrong_role(const store::NodeReport& report);

}  // namespace ratectl::commands
