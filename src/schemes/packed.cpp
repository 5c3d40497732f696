// Packs several texts into one string, and unpacks them.
#include "schemes/packed.h"

#include <algorithm>
#include <utility>

#include "support/number_text.h"

namespace ratectl::schemes {

std::string packed(std::initializer_list<OptionalView> texts) {
    std::string bytes;
    for (const auto& text : texts) append_packed(bytes, text);
    return bytes;
}

void append_packed(std::string& all, OptionalView text) {
    if (text) {
        all.append(std::to_string(text->size())).append(":").append(*text);
    } else {
        all += '-';
    }
}

bool PackedReader::next(OptionalView& text) {
    if (left_.empty()) return false;
    if (left_.front() == '-') {
        text.reset();
        left_.remove_prefix(1);
        return true;
    }
    const auto colon = left_.find(':');
    if (colon == std::string_view::npos) return false;
    const auto length = support::parse_unsigned(left_.substr(0, colon), left_.size());
    if (!length || *length > left_.size() - colon - 1) return false;
    text = left_.substr(colon + 1, *length);
    left_.remove_prefix(colon + 1 + *length);
    return true;
}

std::optional<std::vector<OptionalText>> texts_of(std::string_view bytes, std::size_t most) {
    std::vector<OptionalText> texts;
    PackedReader reader(bytes);
    OptionalView text;
    while (!reader.at_end()) {
        if (texts.size() == most || !reader.next(text)) return std::nullopt;
        texts.emplace_back(text);
    }
    return texts;
}

std::optional<std::vector<OptionalText>> fields_of(std::string_view bytes, std::size_t count) {
    auto texts = texts_of(bytes);
    if (!texts || texts->size() < count) return std::nullopt;
    texts->resize(count);
    return texts;
}

std::optional<std::string> packed_without(std::string_view before, std::string_view after, std::size_t texts_each) {
    const auto all = texts_of(before);
    const auto rest = texts_of(after);
    if (!all || !rest || all->size() % texts_each != 0) return std::nullopt;
    std::string without;
    auto next = rest->begin();
    for (auto entry = all->begin(); entry != all->end(); entry += static_cast<std::ptrdiff_t>(texts_each)) {
        const auto end = entry + static_cast<std::ptrdiff_t>(texts_each);
        if (static_cast<std::size_t>(rest->end() - next) >= texts_each && std::equal(entry, end, next)) {
            next += static_cast<std::ptrdiff_t>(texts_each);
            continue;
        }
        for (auto text = entry; text != end; ++text) append_packed(without, *text);
    }
    return next == rest->end() ? std::optional{std::move(without)} : std::nullopt;
}

}  // namespace ratectl::schemes
