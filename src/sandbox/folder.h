// A folder of our own that is gone with everything in it when its owner is.
#pragma once

#include <string>

#include "support/error.h"

namespace ratectl::sandbox {

class TemporaryFolder {
public:
    /// `parent/stem-XXXXXX`, mode 0700. Error: local_io.
    static support::Result<TemporaryFolder> make(const std::string& parent, const std::string& stem);

    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
    ~TemporaryFolder();

    const std::string& path() const { return path_; }
    /// It stays.
    std::string release();

private:
    TemporaryFolder() = default;  // only make() makes one: an empty path would be the root of the machine

    std::string path_;
};

}  // namespace ratectl::sandbox
