// Writes files that only their owner may read.
#include <cerrno>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "config/starter.h"
#include "support/descriptor.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

[[noreturn]] void fail(const std::string& path, int error, std::string hint = {}) {
    throw Failure(ExitCode::local_io, fmt::format("{} cannot be written: {}", path, support::errno_text(error)),
                  std::move(hint));
}

void make_folders(const std::filesystem::path& folder) {
    if (folder.empty() || std::filesystem::exists(folder)) return;
    make_folders(folder.parent_path());
    const int result = ::mkdir(folder.c_str(), 0700);
    const int error = errno;
    if (result != 0 && error != EEXIST) fail(folder.string(), error);
}

/// A new file that is removed again unless keep() says that it is whole.
class NewFile {
public:
    explicit NewFile(std::string path)
        : path_(std::move(path)),
          file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)),
          error_(file_.is_open() ? 0 : errno) {}
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        if (file_.is_open() && !kept_) ::unlink(path_.c_str());
    }

    /// 0, or why it could not be made.
    int error() const { return error_; }
    void write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t n = ::write(file_.get(), text.data(), text.size());
            const int error = errno;
            if (n < 0 && error == EINTR) continue;
            if (n < 0) fail(path_, error);
            text.remove_prefix(static_cast<std::size_t>(n));
        }
        const int synced = ::fsync(file_.get());
        const int error = errno;
        if (synced != 0) fail(path_, error);
    }
    void keep() { kept_ = true; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
    support::Descriptor file_;
    int error_ = 0;
    bool kept_ = false;
};

}  // namespace

void write_private_file(const std::string& path, const std::string& text, bool replace) {
    make_folders(std::filesystem::path(path).parent_path());
    NewFile file(replace ? fmt::format("{}.{}.new", path, ::getpid()) : path);
    if (file.error() == EEXIST) fail(file.path(), EEXIST, "nothing is overwritten: give it another name");
    if (file.error() != 0) fail(file.path(), file.error());
    file.write(text);
    if (replace) {
        const int renamed = ::rename(file.path().c_str(), path.c_str());
        const int error = errno;
        if (renamed != 0) fail(path, error);
    }
    file.keep();
}

}  // namespace ratectl::config
