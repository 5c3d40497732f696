// Bytes from a server in, whole replies out: hiredis' parser behind our own limits. RESP2 only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "redis/element_receiver.h"
#include "redis/reply.h"

namespace ratectl::redis {

/// Fed in any pieces it gives the same replies. After an error it stays broken.
class RespReader {
public:
    /// Feed at most this much between two calls of next(): the parser moves what is left over for every reply.
    static constexpr std::size_t kMaxFeed = 8u << 10;

    explicit RespReader(ReplyCaps caps = {});
    ~RespReader();
    RespReader(const RespReader&) = delete;
    RespReader& operator=(const RespReader&) = delete;

    void feed(std::string_view bytes);
    /// True: a whole reply, built over what `into` holds, whose strings and elements keep their memory. False while it
    /// is incomplete: `into` is half-built then, and has to be the same, untouched, until it is whole, and so has the
    /// receiver of elements. Or words for what is wrong with the bytes (`reply too large: ...`); a length that breaks a
    /// cap is an error as soon as its header is there. A text that is longer than `elements` wants passes by in bounded
    /// memory.
    tl::expected<bool, std::string> next(Reply& into, ElementReceiver* elements = nullptr);
    /// Bytes that were fed and belong to no reply that next() has returned.
    std::size_t left_over() const;

    struct Parser;  // hiredis' side of it, known to resp_reader.cpp only

private:
    std::unique_ptr<Parser> parser_;
};

}  // namespace ratectl::redis
