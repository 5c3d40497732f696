// Texts into one string, and out of it.
#include "schemes/packed.h"

#include "support/decimal.h"

namespace ratectl::schemes {

std::string packed(std::initializer_list<std::optional<std::string_view>> texts) {
    std::string bytes;
    for (const auto& text : texts) {
        if (text) {
            bytes.append(std::to_string(text->size())).append(":").append(*text);
        } else {
            bytes += '-';
        }
    }
    return bytes;
}

std::optional<std::vector<OptionalText>> texts_of(std::string_view bytes, std::size_t most) {
    std::vector<OptionalText> texts;
    while (!bytes.empty()) {
        if (texts.size() == most) return std::nullopt;
        if (bytes.front() == '-') {
            texts.emplace_back();
            bytes.remove_prefix(1);
            continue;
        }
        const auto colon = bytes.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        const auto length = support::parse_unsigned(bytes.substr(0, colon), bytes.size());
        bytes.remove_prefix(colon + 1);
        if (!length || *length > bytes.size()) return std::nullopt;
        texts.emplace_back(std::string(bytes.substr(0, *length)));
        bytes.remove_prefix(*length);
    }
    return texts;
}

}  // namespace ratectl::schemes
