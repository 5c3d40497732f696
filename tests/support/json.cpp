// The reading of JSON for all tests, built with optimization whatever the preset.
#include "support/json.h"

template class nlohmann::basic_json<>;

namespace ratectl::test {

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }

std::vector<nlohmann::json> parse_json_lines(std::string_view text) {
    std::vector<nlohmann::json> documents;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        documents.push_back(parse_json(line));
        text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    }
    return documents;
}

}  // namespace ratectl::test
