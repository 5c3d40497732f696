// Whoever takes the elements of a long array as they come, so that none of them has to be stored first.
#pragma once

#include <cstddef>
#include <string_view>

#include "redis/reply.h"

namespace ratectl::redis {

/// What it has taken is only what the server said once the reply is whole and sound.
class ElementReceiver {
public:
    /// Takes the elements of a reply that is an array (1), or of the arrays in such a reply (2) ...
    explicit ElementReceiver(std::size_t depth) : depth_(depth) {}
    virtual ~ElementReceiver() = default;

    std::size_t depth() const { return depth_; }
    /// The next element; the text is valid during the call.
    virtual void text(std::string_view text) = 0;
    virtual void nil() = 0;
    /// It is of another kind, and is dropped.
    virtual void other() = 0;

private:
    std::size_t depth_;
};

}  // namespace ratectl::redis
