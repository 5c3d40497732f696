// Finding and reading the configuration file: only where it is expected, only a regular file, only so much of it.
#pragma once

#include <optional>
#include <string>

#include "config/given.h"
#include "config/settings.h"

namespace ratectl::config {

/// A file's bytes and what its open descriptor said about it.
struct ConfigFile {
    std::string path;    // as given or found
    std::string folder;  // absolute; relative paths in the file start here
    std::string text;
    bool readable_by_others = false;  // group or others have any right
    bool foreign_owner = false;       // neither this user nor root
    /// What other users can change, so that another text may stand there: the file, or a folder on its path; empty:
    /// nothing.
    std::string open_to_others;
    bool open_to_owner = false;  // that folder is another user's: the owner need not ask for a right
};

/// `other users can change the file`, or `... what is in the folder /srv/x`: why one that is open to others cannot be
/// relied on.
std::string words_of_open_place(const ConfigFile& file);
/// What keeps them out of that place.
std::string hint_to_close(const ConfigFile& file);

/// `--config`, RATECTL_CONFIG, $XDG_CONFIG_HOME/ratectl/ratectl.toml (or $HOME/.config/...), the system's file; never
/// the working folder. Null when nothing was named and nothing is there. Throws Failure (configuration) for a named
/// file that is missing and for one that exists but cannot be used.
std::optional<ConfigFile> find_config_file(const Overrides& overrides, const World& world);

/// Where a user's own file is looked for, and written to; null without XDG_CONFIG_HOME and HOME.
std::optional<std::string> user_config_path(const World& world);

/// A whole regular file of at most `most` bytes; never waits for a fifo. Null when it does not exist. Throws Failure
/// (configuration), `what` names the file in messages: `configuration file`, `password file`.
std::optional<ConfigFile> read_regular_file(const std::string& path, std::size_t most, const std::string& what);

}  // namespace ratectl::config
