// One line of a web server's access log, Common or Combined format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"
#include "support/time.h"

namespace ratectl::input {

/// What a limiter would have known about the request. Method and path are empty when the server logged no request line
/// that has them (a time-out, or bytes that were no HTTP).
struct LoggedRequest {
    std::string client;  // the first field: an address or a name
    support::Instant at{};
    std::string method;
    std::string path;  // the target without its query, the server's escapes undone
    int status = 0;

    bool operator==(const LoggedRequest&) const = default;
};

/// `CLIENT IDENT USER [DAY/Mon/YEAR:hh:mm:ss +hhmm] "REQUEST" STATUS SIZE`; what follows (referer, agent) is not looked
/// at: agents are free text and often cut off. An error's message says only what is wrong with the line; the caller
/// knows where it stands.
support::Result<LoggedRequest> parse_access_log_line(std::string_view line);
/// The time in it: `17/May/2015:10:05:03 +0000`.
std::optional<support::Instant> parse_log_time(std::string_view text);

}  // namespace ratectl::input
