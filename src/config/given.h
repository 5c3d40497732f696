// What flags and environment said, flags first, each text with where it came from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "support/error.h"

namespace ratectl::config {

/// The name of the policy that --key makes.
inline constexpr std::string_view kKeyPolicy = "--key";

/// One text from outside the file. `label` names it in messages: `--timeout` or `RATECTL_TIMEOUT`.
struct Given {
    std::string text;
    std::string label;
    Origin origin;

    /// Throws Failure (usage): `--timeout: message`.
    [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
    /// The value, or fails with its error's words.
    template <class T>
    T take(support::Result<T> result) const {
        if (!result) fail(result.error().message, result.error().hint);
        return std::move(*result);
    }
};

/// The flag if it was given, else RATECTL_<NAME> unless that is unset or empty. `option` is the long flag without
/// dashes.
std::optional<Given> given(const std::optional<std::string>& flag, std::string_view option, const World& world);
/// Only from the environment: RATECTL_<NAME>.
std::optional<Given> given_in_environment(std::string_view option, const World& world);
/// A switch that only ever gets stricter: the flag, or RATECTL_<NAME> = 1, true, yes (0, false, no: not set). Other
/// words are usage errors.
std::optional<Given> given_switch(bool flag, std::string_view option, const World& world);

/// Puts every value that flags and environment may change into the settings; throws Failure (usage).
void apply_given(Settings& settings, const Overrides& overrides, const World& world);

}  // namespace ratectl::config
