// Makes a temporary file: O_TMPFILE where the file system has it, else a name that is removed at once.
#include "commands/report/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "support/error.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kBuffer = 262'144;

}  // namespace

TemporaryFile::~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
}

void TemporaryFile::open() {
    fd_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, S_IRUSR | S_IWUSR);
    if (fd_ >= 0) return;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) cannot("keep", errno);
    std::string name = folder_ + "/ratectl-XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) cannot("keep", errno);
    ::unlink(name.c_str());
}

void TemporaryFile::append(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBuffer) flush();
    buffer_ += bytes;
}

void TemporaryFile::flush() {
    if (buffer_.empty()) return;
    if (fd_ < 0) open();
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t n = ::write(fd_, left.data(), left.size());
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
        const ssize_t n =
            ::pread(fd_, out.data() + before + done, extent.length - done, static_cast<off_t>(extent.begin + done));
        const int error = errno;
        if (n < 0 && error == EINTR) continue;
        if (n <= 0) cannot("read back", n == 0 ? EIO : error);
        done += static_cast<std::uint64_t>(n);
    }
}

void TemporaryFile::cannot(const char* what, int error) const {
    throw support::Failure(support::ExitCode::local_io,
                           fmt::format("cannot {} {} in a temporary file in '{}': {}", what, content_, folder_,
                                       support::errno_text(error)),
                           way_out_);
}

}  // namespace ratectl::commands
