// What the windows of one deployment are called in another that has them under other keys.
#pragma once

#include <string>
#include <string_view>

#include "config/settings.h"

namespace ratectl::commands::reshard {

/// Where keys have slots, a window's keys need a tag that they may not have had before: there each policy's keys become
/// those of the other deployment's policy of the same name, with the same bytes in the holes of the same name.
class Renaming {
public:
    /// The settings outlive it. Where neither deployment is a Redis Cluster, all keys stay as they are.
    Renaming(const config::Settings& from, const config::Settings& to);

    /// Throws Failure (configuration): two policies of one name whose keys, limiters or secrecy do not go together, or
    /// whose windows are none in the slots of the other deployment.
    void check(const std::string& from_name, const std::string& to_name) const;
    /// True: some keys may become others.
    bool renames() const { return renames_; }

    struct Name {
        std::string key;       // empty: its windows have no name there
        std::string obstacle;  // why; the same words for all windows that have the same reason
        std::string hint;
    };
    Name name_of(std::string_view key) const;

private:
    Name checked(std::string key, const domain::Policy* policy) const;
    bool falls_apart(std::string_view key) const;

    const config::Settings& from_;
    const config::Settings& to_;
    bool renames_;
};

}  // namespace ratectl::commands::reshard
