// Help topics: texts that no single command owns.
#pragma once

#include <span>
#include <string_view>

#include "support/error.h"

namespace ratectl::cli {

/// One exit code and its promise, for the topic and for ratectl-exit-codes(7).
struct ExitMeaning {
    support::ExitCode code;
    std::string_view name;
    std::string_view meaning;
};
std::span<const ExitMeaning> exit_meanings();
/// What holds for the codes together.
std::string_view exit_code_rules();

/// Text: paragraphs apart by an empty line; a line that begins with two spaces stands as it is.
struct Topic {
    std::string_view name;
    std::string_view summary;
    std::string_view text;
};
std::span<const Topic> topics();
const Topic* find_topic(std::string_view name);

/// A paragraph about a command for its manual page; every command has one.
std::string_view description_of(std::string_view command);

}  // namespace ratectl::cli
