// Keeps the bytes of a pipe in a temporary file, and reads the copy back a buffer at a time.
#include "commands/replay/spooled_source.h"

#include <utility>

namespace ratectl::commands::replay {

namespace {

constexpr std::size_t kReadBackAtOnce = 65'536;

}  // namespace

SpooledSource::SpooledSource(std::unique_ptr<input::ByteSource> source, std::string folder)
    : source_(std::move(source)),
      file_(std::move(folder), "a copy of " + source_->name(), "TMPDIR names another folder") {}

std::size_t SpooledSource::read(std::span<char> buffer) {
    if (rewound_ && rewound_->left() > 0) return rewound_->take(buffer.size()).copy(buffer.data(), buffer.size());
    const std::size_t n = source_->read(buffer);
    if (!rewound_) file_.append({buffer.data(), n});
    return n;
}

void SpooledSource::rewind() {
    file_.flush();
    rewound_.emplace(file_, support::TemporaryFile::Extent{0, file_.length()}, kReadBackAtOnce);
}

}  // namespace ratectl::commands::replay
