// The figures as members of a JSON object, for the format json and for the page.
#pragma once

#include <string>

#include "commands/stats/figures.h"

namespace ratectl::commands::stats {

/// `"deployment":...,...,"at_limit":[...]`: names as in the manual, numbers as numbers, unknown is null.
std::string json_members(const Figures& figures);

}  // namespace ratectl::commands::stats
