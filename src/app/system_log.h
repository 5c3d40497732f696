// One record for the system's log, over its socket.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::app {

/// For AUTHPRIV, at level notice. Throws Failure (local_io) when the log does not take it within two seconds.
void write_to_log(const std::string& socket_path, std::string_view line);

}  // namespace ratectl::app
