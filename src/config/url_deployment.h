// A deployment made of URLs alone: -u on the command line, RATECTL_URL in the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/given.h"
#include "config/settings.h"

namespace ratectl::config {

/// How a command line names this deployment: `-d NAME`, or with -u where it is called after its servers.
std::string words_to_name(const std::string& deployment);

/// The URLs of -u, else of RATECTL_URL (separated by blanks or commas); empty when neither is there or when flags ask
/// for the file. Throws Failure (usage) when two sources contradict each other.
std::vector<Given> given_urls(const Overrides& overrides, const World& world);

/// `env:NAME` replaced by the variable's text, which may hold a password. Throws Failure (usage) when it is not set.
Given looked_up(const Given& url, const World& world);

/// One shard a URL, in order; the deployment is called after them: `10.0.0.7:6379,10.0.0.8:6379/1`. `env:NAME` is read
/// from the environment; REDISCLI_AUTH is the password of those without one. Throws Failure (usage): a password on the
/// command line, a URL that is none, a variable that is not set.
Settings settings_from_urls(const std::vector<Given>& urls, const World& world);

}  // namespace ratectl::config
