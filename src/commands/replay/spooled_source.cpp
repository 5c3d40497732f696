// Keeps bytes in a file that is unlinked as soon as it is made, so that nothing is left whatever happens.
#include "commands/replay/spooled_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/error.h"

namespace ratectl::commands::replay {

namespace {

[[noreturn]] void cannot(const char* what, const std::string& name) {
    const int error = errno;
    throw support::Failure(support::ExitCode::local_io, std::string("cannot ") + what + " a copy of " + name +
                                                            " in a temporary file: " + std::strerror(error));
}

}  // namespace

SpooledSource::SpooledSource(std::unique_ptr<input::ByteSource> source)
    : source_(std::move(source)), file_(std::tmpfile()) {
    if (!file_) cannot("make", name());
}

std::size_t SpooledSource::read(std::span<char> buffer) {
    if (rewound_ && kept_ > 0) {
        const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), kept_);
        if (std::fread(buffer.data(), 1, wanted, file_.get()) != wanted) cannot("read", name());
        kept_ -= wanted;
        return wanted;
    }
    const std::size_t n = source_->read(buffer);
    if (rewound_) return n;
    if (std::fwrite(buffer.data(), 1, n, file_.get()) != n) cannot("write", name());
    written_ += n;
    return n;
}

void SpooledSource::rewind() {
    if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) cannot("read", name());
    kept_ = written_;
    rewound_ = true;
}

}  // namespace ratectl::commands::replay
