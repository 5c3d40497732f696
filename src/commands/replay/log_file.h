// The log as named on the command line, readable twice: once to know which keys it has, once to play it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "input/byte_source.h"
#include "support/temporary_file.h"
#include "support/waits.h"

namespace ratectl::commands::replay {

/// Bytes that can be read once only, read twice: what was read is kept in a temporary file until it is read again.
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

class LogFile {
public:
    /// `-` is `standard_input`; gzip is unpacked either way. `folder`: for a copy of what cannot be opened again.
    /// Throws Failure (local_io).
    LogFile(const std::string& path, input::ByteSource& standard_input, const support::Patience& patience,
            std::string folder);

    /// The bytes from their beginning, to be looked through before play() is called. At most once.
    input::ByteSource& preview();
    /// The bytes from their beginning, to be played.
    input::ByteSource& play();

private:
    std::string path_;
    support::Patience patience_;
    std::string folder_;
    bool reopens_ = false;  // a regular file is opened again, anything else is kept aside
    std::unique_ptr<input::ByteSource> source_;
    SpooledSource* spool_ = nullptr;  // source_, when it is one
    bool previewed_ = false;
};

}  // namespace ratectl::commands::replay
