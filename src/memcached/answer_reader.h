// Cuts what a memcached server sends into answers: a line, and the bytes behind it where the line announces some. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "domain/write.h"

namespace ratectl::memcached {

/// `VALUE key flags bytes cas` and `VA bytes flags...` bring a value, every other line stands alone. Raw bytes from the
/// network, without the line's end.
struct Answer {
    std::string line;
    std::optional<std::string> value;

    bool operator==(const Answer&) const = default;
};

using domain::kMostOfValue;
/// No line of the protocol is longer; what is, is something else.
inline constexpr std::size_t kLongestLine = 8192;
/// The largest item that a server can be told to hold.
inline constexpr std::size_t kLargestValue = std::size_t{1} << 30;

class AnswerReader {
public:
    void feed(std::string_view bytes);
    /// The next whole answer; null: more bytes are needed; or words for why this is no memcached, and then for good.
    tl::expected<std::optional<Answer>, std::string> next();
    /// Bytes of an answer that is not whole yet.
    std::size_t pending() const { return bytes_.size() - at_ + (announced_ ? taken_ + 1 : 0); }

private:
    /// A value has been announced: so many bytes and a line's end.
    struct Announced {
        Answer answer;
        std::size_t size = 0;
    };
    using Next = tl::expected<std::optional<Answer>, std::string>;

    Next take_value();
    void drop_read();

    std::string bytes_;
    std::size_t at_ = 0;
    std::optional<Announced> announced_;
    std::size_t taken_ = 0;  // of the announced value
};

/// The words of a line, at single blanks.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}
    /// Empty at the end.
    std::string_view next();

private:
    std::string_view rest_;
};

}  // namespace ratectl::memcached
