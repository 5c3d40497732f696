// Copies that an earlier reshard left behind when it was killed between copying and removing.
#pragma once

#include <string>

#include "commands/context.h"
#include "commands/reshard/deployment_pair.h"
#include "domain/write.h"

namespace ratectl::commands::reshard {

/// A window as each of the two deployments has it.
struct WindowOnBoth {
    std::string key;
    std::size_t from = 0;
    std::size_t to = 0;
    domain::StoredWindow source;
    domain::StoredWindow there;
};

/// True when what stands at the target is, byte for byte, what a reshard has put there (by this machine's journal, or
/// where that does not know the outcome, by the operation key), and the same window still stands at its source because
/// it was never removed. After a removal the copy is the window itself, and what stands at the source is a newer one of
/// the application.
bool is_own_copy(const WindowOnBoth& window, DeploymentPair& deployments, journal::Journal& journal);
/// True when a reshard may have moved it here already: what stands at the source is a newer window then, even one that
/// looks the same.
bool may_be_moved(const WindowOnBoth& window, DeploymentPair& deployments, journal::Journal& journal);

}  // namespace ratectl::commands::reshard
