// The columns of a sandbox's servers.
#pragma once

#include <span>

#include "output/field.h"
#include "sandbox/sandbox.h"

namespace ratectl::commands {

std::span<const output::Field<sandbox::MemberStatus>> sandbox_fields();

}  // namespace ratectl::commands
