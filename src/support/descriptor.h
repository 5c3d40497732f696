// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

namespace ratectl::support {

/// Owns what open() gave, or failed to give (negative).
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

}  // namespace ratectl::support
