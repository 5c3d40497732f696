// The options of a sharding preset as text: their names, which preset takes which, and `PRESET,hash=md5` read and
// written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sharding/preset.h"
#include "sharding/shard_map.h"
#include "support/error.h"

namespace ratectl::sharding {

/// One option: its name in the configuration, what it is about, and where it applies.
struct OptionRule {
    std::string_view name;
    std::string_view about;
    /// The value as text, null when it is not set.
    std::optional<std::string> (*get)(const Options& options);
    support::Result<void> (*set)(Options& options, std::string_view value);
    bool (*applies)(const Preset& preset);
    enum class Kind { text, number, boolean } kind = Kind::text;  // its type in TOML
    std::uint32_t most = 0;                                       // numbers: from 1 to this
};

/// Every option beside the preset itself, in the order of the manual.
std::span<const OptionRule> option_rules();
/// The names of those that a preset takes.
std::vector<std::string> options_of(const Preset& preset);
/// Errors (configuration): an option that the preset has no notion of, with those it takes as hint.
support::Result<void> check_options(const Preset& preset, const Options& options);

/// `PRESET[,NAME=VALUE...]`. Errors (configuration): unknown names, bad values; whether they fit the preset is
/// ShardMap's business.
support::Result<Options> parse_options(std::string_view text);
/// The same the other way round.
std::string text_of(const Options& options);
/// The line for a configuration file: `sharding = "modulo"`, `sharding = { preset = "modulo", hash = "crc32" }`.
std::string toml_of(const Options& options);

support::Result<ServerOrder> parse_order(std::string_view text);
std::string_view name_of(ServerOrder order);
/// `0-5460` or `7`. Errors (configuration).
support::Result<SlotRange> parse_slots(std::string_view text);

}  // namespace ratectl::sharding
