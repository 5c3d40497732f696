// Where a key is while no rule places keys: every shard is asked, and what they say decides whether the key may be
// changed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "commands/write/planned_keys.h"
#include "domain/window.h"

namespace ratectl::commands {

struct Refusal;
struct Subject;

/// Finds the one shard that a key may be changed on. Filter and context outlive it.
class KeyHomes {
public:
    /// Throws Failure (configuration) where nothing was said about placement: a rule that was only forgotten must not
    /// be guessed at.
    KeyHomes(const Filter& filter, Context& context);

    /// False: keys are placed by a rule, or on the one shard that --shard names.
    bool are_unknown() const { return unknown_; }
    /// Asks the primaries, of the shards that --shard names if it does, and fills `shard`, `home` and `homes` of each
    /// key.
    void find(std::span<PlannedKey> keys);
    /// Shards that could not be asked, each once.
    const std::vector<store::NodeFailure>& failures() const { return failures_; }

private:
    void note_failure(const store::LookAnswer& answer);

    Context& context_;
    bool unknown_;
    std::vector<std::size_t> shards_;
    std::vector<store::NodeFailure> failures_;
};

/// Why a key whose home is not known cannot be changed. `opens`: the change would open a window where there is none.
Refusal refuse_homeless(const PlannedKey& planned, bool opens, const store::Directory& directory);
/// What the nodes of a Redis Cluster will say of a change as long as its key's slot is on its way from one to another;
/// null: they take it.
std::optional<Refusal> foresee_slot(const Subject& subject, const store::OpenSlots& open,
                                    const store::Directory& directory, bool op_keys);

}  // namespace ratectl::commands
