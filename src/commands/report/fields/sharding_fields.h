// The columns of sharding verify (a shard and its sample) and sharding guess (a way to place keys and how well it
// explains the sample).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "domain/node.h"
#include "output/field.h"
#include "sharding/guess.h"
#include "sharding/preset.h"

namespace ratectl::commands {

struct VerifiedShard {
    std::string shard;
    std::optional<domain::Node> node;  // that was read
    std::size_t sampled = 0;
    std::size_t in_place = 0;
    bool complete = false;
    std::optional<std::string> stray;  // a key that belongs elsewhere
    std::string stray_belongs_on;
    std::optional<std::size_t> stranded;  // windows there that no client is led to; null: not known
};

struct RankedGuess {
    std::size_t rank = 1;
    const sharding::Guess* guess = nullptr;
    std::size_t sampled = 0;
    std::optional<std::size_t> evidence;  // the first only
};

/// In percent; null of nothing.
std::optional<double> share_of(std::size_t part, std::size_t whole);

std::span<const output::Field<VerifiedShard>> verified_shard_fields();
std::span<const output::Field<RankedGuess>> ranked_guess_fields();

std::span<const output::Field<sharding::Preset>> preset_fields();

}  // namespace ratectl::commands
