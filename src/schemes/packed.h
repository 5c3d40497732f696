// Several texts in one, as lua/packing.lua writes them: `<length>:<bytes>` each, `-` for none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ratectl::schemes {

using OptionalText = std::optional<std::string>;
using OptionalView = std::optional<std::string_view>;

std::string packed(std::initializer_list<OptionalView> texts);
void append_packed(std::string& all, OptionalView text);
/// Null when that is not what it is, every text has one spelling, or when there are more.
std::optional<std::vector<OptionalText>> texts_of(std::string_view bytes, std::size_t most = SIZE_MAX);
/// Of a hash the texts of so many fields, without what else it was removed with. Null as above, or where there are
/// fewer.
std::optional<std::vector<OptionalText>> fields_of(std::string_view bytes, std::size_t count);

/// The entries of `before`, each so many texts, that are not in `after`, which has the rest in the same order; null: it
/// has others.
std::optional<std::string> packed_without(std::string_view before, std::string_view after, std::size_t texts_each);

/// The same texts one after the other, as views into the bytes.
class PackedReader {
public:
    explicit PackedReader(std::string_view bytes) : left_(bytes) {}

    bool at_end() const { return left_.empty(); }
    /// False when no text comes next; nothing of what follows is to be trusted then.
    bool next(OptionalView& text);

private:
    std::string_view left_;
};

}  // namespace ratectl::schemes
