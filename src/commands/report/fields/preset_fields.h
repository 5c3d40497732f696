// The columns of a sharding preset.
#pragma once

#include <span>

#include "output/field.h"
#include "sharding/preset.h"

namespace ratectl::commands {

std::span<const output::Field<sharding::Preset>> preset_fields();

}  // namespace ratectl::commands
