// Makes a temporary file: O_TMPFILE where the file system has it, else a name that is removed at once.
#include "support/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "support/error.h"

namespace ratectl::support {
namespace {

constexpr std::size_t kBuffer = 262'144;

}  // namespace

void TemporaryFile::open() {
    file_ = Descriptor(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, S_IRUSR | S_IWUSR));
    if (file_.is_open()) return;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) cannot("keep", errno);
    std::string name = folder_ + "/ratectl-XXXXXX";
    file_ = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!file_.is_open()) cannot("keep", errno);
    ::unlink(name.c_str());
}

void TemporaryFile::append(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBuffer) flush();
    buffer_ += bytes;
}

void TemporaryFile::flush() {
    if (buffer_.empty()) return;
    if (!file_.is_open()) open();
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t n = ::write(file_.get(), left.data(), left.size());
        const int error = errno;
        if (n < 0 && error == EINTR) continue;
        if (n <= 0) cannot("keep", n == 0 ? ENOSPC : error);
        left.remove_prefix(static_cast<std::size_t>(n));
        written_ += static_cast<std::uint64_t>(n);
    }
    buffer_.clear();
}

void TemporaryFile::read(const Extent& extent, std::string& out) const {
    const std::size_t before = out.size();
    out.resize(before + extent.length);
    for (std::uint64_t done = 0; done < extent.length;) {
        const ssize_t n = ::pread(file_.get(), out.data() + before + done, extent.length - done,
                                  static_cast<off_t>(extent.begin + done));
        const int error = errno;
        if (n < 0 && error == EINTR) continue;
        if (n <= 0) cannot("read back", n == 0 ? EIO : error);
        done += static_cast<std::uint64_t>(n);
    }
}

std::string_view TemporaryFile::Reader::peek(std::size_t bytes) {
    if (buffer_.size() - begin_ < bytes && extent_.length > 0) {
        buffer_.erase(0, begin_);
        begin_ = 0;
        const Extent next{extent_.begin, std::min<std::uint64_t>(extent_.length, std::max(buffer_size_, bytes))};
        file_->read(next, buffer_);
        extent_.begin += next.length;
        extent_.length -= next.length;
    }
    return std::string_view(buffer_).substr(begin_, bytes);
}

std::string_view TemporaryFile::Reader::take(std::size_t bytes) {
    const auto taken = peek(bytes);
    skip(taken.size());
    return taken;
}

void TemporaryFile::cannot(const char* what, int error) const {
    throw Failure(
        ExitCode::local_io,
        fmt::format("cannot {} {} in a temporary file in '{}': {}", what, content_, folder_, errno_text(error)),
        way_out_);
}

}  // namespace ratectl::support
