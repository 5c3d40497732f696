// Every hint of every test: it names no flag that its command does not have.
#pragma once

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

/// Flags that hints tell the command at hand to use; what is said of another one stands between backticks, or behind
/// its name.
inline std::set<std::string> hinted_flags(const std::string& err) {
    static const std::regex elsewhere("`[^`]*`|ratectl [^;,]*|doctor --fix");
    static const std::regex flag("(^|[^a-z-])(--[a-z][a-z0-9-]*)");
    std::set<std::string> flags;
    std::istringstream lines(err);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("hint: ")) continue;
        const auto own = std::regex_replace(line, elsewhere, "");
        for (std::sregex_iterator found(own.begin(), own.end(), flag), end; found != end; ++found)
            flags.insert((*found)[2]);
    }
    return flags;
}

/// Whatever the arguments are: where they give no help, nothing is checked.
inline void check_hints(std::vector<std::string> arguments, const RunResult& result) {
    const auto flags = hinted_flags(result.err);
    if (flags.empty()) return;
    arguments.insert(arguments.begin(), "--help");
    const auto help = run_ratectl(arguments, {});
    if (help.code != 0) return;
    for (const auto& flag : flags) {
        INFO(result.err);
        CHECK(help.out.find(flag) != std::string::npos);
    }
}

}  // namespace ratectl::test
