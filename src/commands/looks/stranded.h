// What is said of keys that lie on a node of a Redis Cluster to which no client is led for them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "domain/diagnosis/finding.h"
#include "store/stranded.h"

namespace ratectl::commands {

/// By the names alone: some policy matches its key, or, without policies, some name can only be a window's.
bool is_window(const store::StrandedWindow& window, const config::Settings& settings);
/// `shard`: what their node's may be called.
domain::Finding finding_of(const store::StrandedWindow& window, std::string_view shard,
                           const config::Settings& settings);
/// Some of its keys are there, or may be on a primary that did not tell.
bool may_be_elsewhere(std::string_view key, const store::StrandedWindows& stranded);
/// `2 primaries did not tell of windows that no client is led to`
std::string silent_primaries(std::size_t primaries);
/// Of a window at home whose other half lies, or may lie, elsewhere: what is left of it is not to be removed.
void forbid_removal(std::vector<domain::Finding>& findings);

}  // namespace ratectl::commands
