// --show-replicas: the windows that were just written, as every node has them now.
#pragma once

#include <span>
#include <vector>

#include "commands/report/fields/write_fields.h"
#include "commands/write/planned_keys.h"

namespace ratectl::commands {

class ReplicaTable {
public:
    explicit ReplicaTable(bool wanted) : wanted_(wanted) {}
    /// Remembers the keys that were written, up to 100.
    void note(std::span<const PlannedKey> chunk, std::span<const WriteRow> rows);
    /// A table below the first; done when nothing was wanted or written.
    ExitCode print(Context& context);

private:
    bool wanted_;
    std::vector<store::KeyAt> keys_;
    bool too_many_ = false;
};

}  // namespace ratectl::commands
