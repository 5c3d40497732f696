// Comparing cells of one column; their kinds are the same unless one is null.
#include "output/cell.h"

#include <string_view>
#include <type_traits>

namespace ratectl::output {
namespace {

template <class T>
auto comparable(const T& value) {
    if constexpr (std::is_same_v<T, Word> || std::is_same_v<T, TextView> || std::is_same_v<T, Text>) {
        return std::string_view(value.text);
    } else if constexpr (std::is_same_v<T, BytesView> || std::is_same_v<T, Bytes>) {
        return std::string_view(value.bytes);
    } else if constexpr (std::is_same_v<T, Null>) {
        return 0;
    } else {
        return value;
    }
}

}  // namespace

bool stands_before(const Cell& a, const Cell& b, bool descending) {
    const bool a_null = std::holds_alternative<Null>(a);
    const bool b_null = std::holds_alternative<Null>(b);
    if (a_null || b_null) return !a_null && b_null;
    return std::visit(
        [descending](const auto& x, const auto& y) {
            const auto left = comparable(x);
            const auto right = comparable(y);
            if constexpr (std::is_same_v<decltype(left), decltype(right)>) {
                return descending ? right < left : left < right;
            } else {
                return false;
            }
        },
        a, b);
}

Cell owned(Cell cell) {
    if (const auto* text = std::get_if<TextView>(&cell)) return Text{std::string(text->text)};
    if (const auto* bytes = std::get_if<BytesView>(&cell)) return Bytes{std::string(bytes->bytes)};
    return cell;
}

}  // namespace ratectl::output
