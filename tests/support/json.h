// What ratectl prints in JSON, read by a source of its own: a test's own code is built without optimization, and
// reading JSON so took more of the tests' time than all that ratectl did in them.
#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;

namespace ratectl::test {

/// Throws nlohmann::json::parse_error of what is no document.
nlohmann::json parse_json(std::string_view text);

/// A document a line, as `-o ndjson` and `--messages json` have them.
std::vector<nlohmann::json> parse_json_lines(std::string_view text);

}  // namespace ratectl::test
