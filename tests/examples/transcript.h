// A run of examples as text: each line as it was typed, then what came of it, in words that do not change from run to
// run.
#pragma once

#include <string>

#include "examples/example_world.h"

namespace ratectl::test {

/// `# what for` and `$ command` lines, standard output, then `2> ` standard error, `tty> ` questions, and `[exit N]`
/// unless 0. One comment and the lines below it are run as one script. Rows of a sweep come as the servers answer: they
/// are sorted here.
std::string transcript_of(const std::string& examples, const ExampleWorld& world);
/// Of one script.
std::string transcript_of_script(const std::string& script, const ExampleWorld& world);

}  // namespace ratectl::test
