// Where finished bytes go: standard output or error in the program, a string in tests.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::output {

/// write() buffers, flush() hands everything on. Both throw support::Failure (local_io, or output_closed when the
/// reader has gone).
class ByteSink {
public:
    virtual ~ByteSink() = default;
    virtual void write(std::string_view bytes) = 0;
    virtual void flush() = 0;
    /// For callers that have nothing to write for a while: throws as a write would where the reader has gone, as far as
    /// that can be seen.
    virtual void check_reader() {}
};

/// Keeps everything: for tests and for text that is built before it is shown.
class StringSink final : public ByteSink {
public:
    void write(std::string_view bytes) override { text += bytes; }
    void flush() override {}
    std::string text;
};

}  // namespace ratectl::output
