// Output as it can be compared: what differs from run to run (times, ports, ids, measured figures) gives way to fixed
// words.
#pragma once

#include <string>

namespace ratectl::test {

/// `folder`: the run's own folder, wherever it is named.
std::string normal_text(std::string text, const std::string& folder);

/// Where everything is measured: no figure at all.
std::string without_figures(const std::string& text);

}  // namespace ratectl::test
