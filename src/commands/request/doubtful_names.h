// What an argument may have got by pasting: a part of the name as it stands, and seldom meant.
#pragma once

#include "commands/context.h"
#include "commands/request/selection.h"

namespace ratectl::commands {

/// A notice about the first named key or client that begins or ends with a blank or a control character, stands in
/// quotes of its own, or is several keys of policies with commas between them.
void say_doubtful_name(const Selection& selection, Context& context);

}  // namespace ratectl::commands
