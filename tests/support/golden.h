// Texts that were agreed on, kept as files; RATECTL_REGENERATE=1 in the environment writes them anew.
#pragma once

#include <string>

namespace ratectl::test {

/// Fails the test when the text is not that of the file (a path below tests/, such as terminal/golden/scan-80.txt).
void check_golden(const std::string& path, const std::string& text);

/// The text with everything that differs from run to run replaced by as many other characters, so that columns stay
/// where they are: dates, clock times, `in 12m31s` and `12s ago`, ports of 127.0.0.1, operations' ids and the names of
/// temporary folders. A test sees to it that those are equally long in every run.
std::string without_what_changes(const std::string& text);

}  // namespace ratectl::test
