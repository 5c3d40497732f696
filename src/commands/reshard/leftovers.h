// Copies that an earlier reshard left behind when it was cut short between copying and removing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/reshard/deployment_pair.h"
#include "domain/write.h"

namespace ratectl::commands::reshard {

/// A window as each of the two deployments has it.
struct WindowOnBoth {
    std::string key;
    std::string new_key;  // at the target
    std::size_t from = 0;
    std::size_t to = 0;
    domain::StoredWindow source;
    domain::StoredWindow there;
};

/// True of each window of which what stands at the target is, byte for byte, what the latest reshard has put there (by
/// this machine's journal, or where that does not know the outcome, by the operation key), and the same window still
/// stands at its source because no reshard has removed it since. After a removal the copy is the window itself, and
/// what stands at the source is a newer one of the application. Reads what the journal has of reshards once, and only
/// where a window may be one.
std::vector<bool> own_copies(std::span<const WindowOnBoth> windows, DeploymentPair& deployments,
                             journal::Journal& journal);

}  // namespace ratectl::commands::reshard
