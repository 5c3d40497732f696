// What an argument may have got by pasting: a part of the name as it stands, and seldom meant.
#pragma once

#include <string>
#include <string_view>

#include "commands/context.h"
#include "commands/request/selection.h"

namespace ratectl::commands {

/// `ends with a blank, which is part of its name`; empty: neither a blank nor a control character is at an end of it.
std::string unseen_end(std::string_view name);

/// A notice about the first named key or client that begins or ends with a blank or a control character, stands in
/// quotes of its own, or is several keys of policies with commas between them.
void say_doubtful_name(const Selection& selection, Context& context);

}  // namespace ratectl::commands
