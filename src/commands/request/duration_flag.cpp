// Reads a flag that takes a duration; support parses it, errors name the flag.
#include "commands/request/duration_flag.h"

#include "support/error.h"
#include "support/time_text.h"

namespace ratectl::commands {

support::Milliseconds duration_of(std::string_view flag, const std::string& text) {
    const auto duration = support::parse_duration(text);
    if (duration) return *duration;
    throw support::Failure(support::ExitCode::usage, std::string(flag) + ": " + duration.error().message,
                           duration.error().hint);
}

}  // namespace ratectl::commands
