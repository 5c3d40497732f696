// Which keys of the record of changes history is asked about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "commands/context.h"

namespace ratectl::commands {

/// Keys by name, all of some clients, or those that a pattern matches; all keys where none of these is said. Secret
/// clients are found in what was recorded of them.
class RecordedKeys {
public:
    /// Throws Failure: (usage) a pattern that is none, or beside a client; (configuration) clients, and no policy says
    /// how keys are written.
    RecordedKeys(std::vector<std::string> clients, std::optional<std::string> match, Context& context);

    /// Throws Failure (usage) beside a pattern.
    void name(const std::string& key);
    bool any_named() const { return !names_.empty(); }
    bool are_all() const { return names_.empty() && clients_.empty() && !match_; }
    /// Whether the journal has a row of this key, named or not.
    bool has_record_of(const std::string& key, Context& context) const;
    /// The only key that is accepted, where there is but one.
    std::optional<std::string> only() const;
    /// `key`: as it was recorded.
    bool accept(const std::string& key) const;
    /// A row of that key, as it was recorded, was shown.
    void note_shown(const std::string& key);
    /// Which of what was named has no row so far.
    struct Missing {
        std::vector<std::string> keys;
        std::vector<std::string> clients;
    };
    const Missing& missing() const { return missing_; }

private:
    std::string as_recorded(const std::string& key) const;
    bool is_of(std::string_view key, const std::string& client) const;

    std::vector<std::string> clients_;
    std::optional<std::string> match_;
    std::optional<config::Settings> settings_;  // null: there is no configuration
    std::unordered_set<std::string> names_;     // as they are recorded
    bool recorded_otherwise_ = false;           // one of them at least
    Missing missing_;
};

}  // namespace ratectl::commands
