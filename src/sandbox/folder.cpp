// Makes a temporary folder with mkdtemp, and removes it with everything in it.
#include "sandbox/folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ratectl::sandbox {

support::Result<TemporaryFolder> TemporaryFolder::make(const std::string& parent, const std::string& stem) {
    std::string path = parent + "/" + stem + "-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
        const int error = errno;
        return support::failure(support::ExitCode::local_io,
                                "cannot make a folder in " + parent + ": " + std::strerror(error));
    }
    TemporaryFolder folder;
    folder.path_ = std::move(path);
    return folder;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::release() { return std::exchange(path_, {}); }

}  // namespace ratectl::sandbox
