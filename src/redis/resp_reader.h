// Bytes from a server in, whole replies out: hiredis' parser behind our own limits. RESP2 only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "redis/reply.h"

namespace ratectl::redis {

/// Fed in any pieces it gives the same replies. After an error it stays broken.
class RespReader {
public:
    /// Feed at most this much between two calls of next(): the parser moves what is left over for every reply.
    static constexpr std::size_t kMaxFeed = 64u << 10;

    explicit RespReader(ReplyCaps caps = {});
    ~RespReader();
    RespReader(const RespReader&) = delete;
    RespReader& operator=(const RespReader&) = delete;

    void feed(std::string_view bytes);
    /// A whole reply; nothing while it is incomplete; or words for what is wrong with the bytes (`reply too large: ...`). A length that breaks
    /// a cap is an error as soon as its header is there.
    tl::expected<std::optional<Reply>, std::string> next();
    /// Bytes that were fed and belong to no reply that next() has returned.
    std::size_t left_over() const;

    struct Parser;  // hiredis' side of it, known to resp_reader.cpp only

private:
    std::unique_ptr<Parser> parser_;
};

}  // namespace ratectl::redis
