// Deployments made from what teams already have: a twemproxy pool, a list of URLs. Read, explained, and written as
// TOML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "config/given.h"
#include "config/settings.h"
#include "sharding/shard_map.h"

namespace ratectl::config {

struct ImportedShard {
    std::string primary;               // a URL without a password
    std::optional<std::string> name;   // as the application names it
    std::optional<std::string> label;  // the ring's, where no rule would find it
    unsigned weight = 1;
    std::string remark;  // one line, printable
};

/// What to tell the user beside the file.
struct ImportNote {
    std::string message;
    std::string hint;
};

struct ImportedDeployment {
    std::string name = "main";
    std::string source;                     // `pool "alpha" of nutcracker.yml`: printable
    std::vector<std::string> remarks;       // on the sharding, a line each
    std::optional<sharding::Options> rule;  // unset: not said
    /// The library's placement cannot be computed; `rule` is then what holds on a good day, or unset.
    bool all_shards = false;
    std::string username;
    bool password = false;  // the source holds one: the file must say where it is
    std::vector<ImportedShard> shards;
    std::vector<ImportNote> notes;
};

/// A pool of a nutcracker.yml; with several pools one must be named. Throws Failure (configuration) with file, line and
/// column; usage for a pool that is not there or was not chosen.
ImportedDeployment import_twemproxy(const ConfigFile& file, const std::optional<std::string>& pool);

/// URLs in the application's order, each `[NAME=]URL` or `[NAME=]env:VARIABLE`, under `PRESET[,OPTION=VALUE...]` or
/// all-shards if that is given. Throws Failure (usage):
/// a password on the command line, a URL that is none.
ImportedDeployment import_urls(const std::vector<Given>& urls, const std::optional<std::string>& sharding,
                               const World& world);

/// The text of the file; ends with a line break.
std::string imported_file(const ImportedDeployment& deployment);

}  // namespace ratectl::config
