// Parsing is support's; whose value it was is known here.
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
