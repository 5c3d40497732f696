// Reads how many rows are wanted: none is no list.
#include "commands/report/row_count.h"

#include <fmt/format.h>

#include "support/error.h"
#include "support/number_text.h"

namespace ratectl::commands {

std::uint64_t count_of(std::string_view flag, const std::string& text, std::string_view of_what) {
    const auto number = support::parse_unsigned(text, UINT32_MAX);
    if (number && *number > 0) return *number;
    throw support::Failure(support::ExitCode::usage, fmt::format("{} '{}' is not a number of {}", flag, text, of_what),
                           fmt::format("for example {} 10", flag));
}

}  // namespace ratectl::commands
