// The configuration that makes ratectl use a sandbox's servers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/state_file.h"

namespace ratectl::sandbox {

/// How the servers of a sandbox belong together, as a deployment's `kind` says it.
enum class Kind { shards, sentinel, cluster };
std::string_view name_of(Kind kind);

inline constexpr const char* kConfigFile = "ratectl.toml";
/// What was written there is of no use once its servers are gone.
inline constexpr const char* kJournalFile = "journal.db";

/// Deployment `sandbox`, free to write, two policies; with a password it is that of kPasswordFile.
std::string config_text(Kind kind, const std::vector<Member>& members, bool with_password);

}  // namespace ratectl::sandbox
