// What an imported deployment says once it was written to a file and read again.
#pragma once

#include <string>

#include "config/import.h"
#include "config/starter.h"
#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {

inline Settings round_trip(ConfigWorld& world, const ImportedDeployment& deployment) {
    const std::string text = imported_file(deployment);
    INFO(text);
    CHECK_NOTHROW(check_starting_file(text, "new.toml", world.world()));
    return world.resolve_text(text);
}
inline Settings round_trip(const ImportedDeployment& deployment) {
    ConfigWorld world;
    return round_trip(world, deployment);
}

}  // namespace ratectl::config
