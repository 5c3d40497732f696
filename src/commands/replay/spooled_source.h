// Bytes that can be read once only, read twice: what was read is kept in a temporary file until it is read again.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "input/byte_source.h"
#include "support/temporary_file.h"

namespace ratectl::commands::replay {

class SpooledSource final : public input::ByteSource {
public:
    SpooledSource(std::unique_ptr<input::ByteSource> source, std::string folder);

    /// Keeps what it reads until rewind(); from then on gives that back first, and keeps nothing more.
    std::size_t read(std::span<char> buffer) override;
    bool ready() override { return (rewound_ && rewound_->left() > 0) || source_->ready(); }
    const std::string& name() const override { return source_->name(); }
    /// Once. Throws Failure (local_io).
    void rewind();

private:
    std::unique_ptr<input::ByteSource> source_;
    support::TemporaryFile file_;
    std::optional<support::TemporaryFile::Reader> rewound_;
};

}  // namespace ratectl::commands::replay
