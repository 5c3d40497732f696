// Every key that a configuration file may have, table by table: the parser, the near-name hints and the manual go by
// this one list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ratectl::config {

/// `table` is the path with NAME for names that the user chooses: `deployments.NAME.shards`. The empty path is the file
/// itself.
struct Key {
    std::string_view table;
    std::string_view name;
};

/// In the order of the manual, ratectl.toml(5).
std::span<const Key> known_keys();
/// The keys of one table.
std::vector<std::string> keys_of(std::string_view table);

}  // namespace ratectl::config
