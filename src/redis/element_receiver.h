// Receives the elements of a long array as they arrive, so that none is stored first; and how much of a text is kept.
#pragma once

#include <cstddef>
#include <string_view>

#include "redis/reply.h"

namespace ratectl::redis {

/// A text that is longer than its receiver wants: as much of it as is kept, however long it is.
struct CutText {
    /// Of a longer one at most so much of the beginning is kept, and of the end.
    static constexpr std::size_t kBeginning = (64u << 10) + 1;
    static constexpr std::size_t kEnd = 64;
    /// One that is longer than this is refused like any other reply that is too large: no server has such values.
    static constexpr std::size_t kLongest = 512u << 20;

    std::string_view beginning;
    std::string_view end;
    std::size_t length = 0;
};

/// What it has taken is only what the server said once the reply is whole and sound.
class ElementReceiver {
public:
    static constexpr std::size_t kAny = static_cast<std::size_t>(-1);

    /// Takes the elements of a reply that is an array (1), or of the arrays in such a reply (2) ... `most`: how long a
    /// text of the reply may be. Of a longer one only the beginning is kept, and its length breaks no cap.
    explicit ElementReceiver(std::size_t depth, std::size_t most = kAny) : depth_(depth), most_(most) {}
    virtual ~ElementReceiver() = default;

    std::size_t depth() const { return depth_; }
    std::size_t most() const { return most_; }
    /// The next element; the text is valid during the call.
    virtual void text(std::string_view text) = 0;
    /// The same for one that was too long.
    virtual void cut(const CutText& cut) { text(cut.beginning); }
    virtual void nil() = 0;
    /// It is of another kind, and is dropped.
    virtual void other() = 0;

private:
    std::size_t depth_;
    std::size_t most_;
};

/// Takes no element; the reply has the beginnings of texts that are too long.
class ShortTexts final : public ElementReceiver {
public:
    explicit ShortTexts(std::size_t most) : ElementReceiver(0, most) {}
    void text(std::string_view) override {}
    void nil() override {}
    void other() override {}
};

}  // namespace ratectl::redis
