// Bytes that can be read once only, read twice: what was read is kept in a temporary file until it is read again.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "input/byte_source.h"

namespace ratectl::commands::replay {

class SpooledSource final : public input::ByteSource {
public:
    explicit SpooledSource(std::unique_ptr<input::ByteSource> source);

    /// Keeps what it reads until rewind(); from then on gives that back first, and keeps nothing more.
    std::size_t read(std::span<char> buffer) override;
    bool ready() override { return kept_ > 0 || source_->ready(); }
    const std::string& name() const override { return source_->name(); }
    /// Once. Throws Failure (local_io).
    void rewind();

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<input::ByteSource> source_;
    std::unique_ptr<std::FILE, CloseFile> file_;
    std::uint64_t kept_ = 0;  // bytes that wait to be read again
    std::uint64_t written_ = 0;
    bool rewound_ = false;
};

}  // namespace ratectl::commands::replay
