// Keys and whatever else is foreign, between quotes in a message.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::support {

/// `'core:alice'`; quotes inside are doubled, so that it is plain where it ends.
std::string quoted(std::string_view text);
/// What stood between the quotes.
std::string unquoted(std::string_view doubled);

}  // namespace ratectl::support
