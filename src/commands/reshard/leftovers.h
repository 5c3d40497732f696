// What an earlier reshard has put at targets, and was cut short before it removed the sources.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// What the latest reshard has put at the target of a window, by this machine's journal, or where that does not know
/// the outcome, by the operation key, while the same window still stands at its source because no reshard has removed
/// it since. After a removal what stands at the target is the window itself, and what stands at the source is a newer
/// one of the application.
struct Leftover {
    enum class Kind {
        none,
        copy,     // what stands there is that, byte for byte
        counted,  // that, and more: it was added to a newer window, or was counted in since
        unclear   // something perhaps, which cannot be told (yet)
    };
    Kind kind = Kind::none;
    std::int64_t put = 0;  // of `counted`: how many of its requests are those of the source
};
/// One a window. `merges`: reshards may be adding to newer windows. Reads what the journal has of reshards once, and
/// only where a window may have any.
std::vector<Leftover> leftovers_of(std::span<const WindowOnBoth> windows, DeploymentPair& deployments, bool merges,
                                   Context& context);

}  // namespace ratectl::commands::reshard
