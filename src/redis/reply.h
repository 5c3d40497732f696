// A reply of a server as a plain value; RESP2's five kinds. Text is raw bytes from the network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ratectl::redis {

struct Reply {
    enum class Kind { nil, integer, text, status, error, array };

    Kind kind = Kind::nil;
    std::int64_t integer = 0;
    std::string text;             // text, status, error
    std::vector<Reply> elements;  // array

    bool is_error() const { return kind == Kind::error; }
    bool is_text() const { return kind == Kind::text; }
    bool is_array() const { return kind == Kind::array; }
    bool is_nil() const { return kind == Kind::nil; }
    bool operator==(const Reply&) const = default;
};

/// Limits that a reply must keep; more is a protocol error and the connection is closed.
struct ReplyCaps {
    std::size_t bytes = 64u << 20;
    std::size_t elements = 1u << 20;
    std::size_t depth = 7;
};

}  // namespace ratectl::redis
