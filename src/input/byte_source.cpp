// Reads bytes from files and fifos.
#include "input/byte_source.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/gzip_source.h"
#include "support/descriptor.h"

namespace ratectl::input {

namespace {

using support::ExitCode;
using support::Failure;

[[noreturn]] void throw_io(const std::string& what, const std::string& name, int error) {
    throw Failure(ExitCode::local_io, "cannot " + what + " " + name + ": " + std::strerror(error));
}

class FileSource final : public ByteSource {
public:
    FileSource(support::Descriptor file, std::string path, const support::Patience& patience)
        : file_(std::move(file)), name_(std::move(path)), patience_(patience) {}

    std::size_t read(std::span<char> buffer) override {
        const std::string doing = "reading " + name_;
        while (true) {
            patience_.await_input(file_.get(), doing);
            const ssize_t n = ::read(file_.get(), buffer.data(), buffer.size());
            const int error = errno;
            if (n >= 0) return static_cast<std::size_t>(n);
            if (error != EINTR && error != EAGAIN) throw_io("read", name_, error);
        }
    }

    bool ready() override {
        pollfd wanted{file_.get(), POLLIN, 0};
        return ::poll(&wanted, 1, 0) != 0;
    }

    const std::string& name() const override { return name_; }

private:
    support::Descriptor file_;
    std::string name_;
    support::Patience patience_;
};

class BorrowedSource final : public ByteSource {
public:
    explicit BorrowedSource(ByteSource& source) : source_(source) {}
    std::size_t read(std::span<char> buffer) override { return source_.read(buffer); }
    bool ready() override { return source_.ready(); }
    const std::string& name() const override { return source_.name(); }

private:
    ByteSource& source_;
};

/// Gives back bytes that were read to find out what the rest is.
class PrefixedSource final : public ByteSource {
public:
    PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
        : prefix_(std::move(prefix)), rest_(std::move(rest)) {}
    std::size_t read(std::span<char> buffer) override {
        if (at_ == prefix_.size()) return rest_->read(buffer);
        const std::size_t n = prefix_.copy(buffer.data(), buffer.size(), at_);
        at_ += n;
        return n;
    }
    bool ready() override { return at_ < prefix_.size() || rest_->ready(); }
    const std::string& name() const override { return rest_->name(); }

private:
    std::string prefix_;
    std::unique_ptr<ByteSource> rest_;
    std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path, const support::Patience& patience) {
    // O_NONBLOCK: the first read waits for the writer of a fifo, and knows for how long.
    support::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file.is_open()) throw_io("open", path, errno);
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) throw_io("open", path, errno);
    if (S_ISDIR(facts.st_mode)) throw_io("read", path, EISDIR);
    return maybe_gunzip(std::make_unique<FileSource>(std::move(file), path, patience));
}

Peeked peek(std::unique_ptr<ByteSource> source, std::size_t count) {
    std::string first(count, '\0');
    std::size_t have = 0;
    while (have < count) {
        const std::size_t n = source->read(std::span(first).subspan(have));
        if (n == 0) break;
        have += n;
    }
    first.resize(have);
    auto whole = std::make_unique<PrefixedSource>(first, std::move(source));
    return {std::move(first), std::move(whole)};
}

Peeked peek_line(std::unique_ptr<ByteSource> source, std::size_t most) {
    std::string first;
    while (first.size() < most && first.find('\n') == std::string::npos) {
        const std::size_t have = first.size();
        first.resize(most);
        const std::size_t n = source->read(std::span(first).subspan(have));
        first.resize(have + n);
        if (n == 0) break;
    }
    auto whole = std::make_unique<PrefixedSource>(first, std::move(source));
    return {std::move(first), std::move(whole)};
}

std::unique_ptr<ByteSource> maybe_gunzip(std::unique_ptr<ByteSource> source) {
    auto peeked = peek(std::move(source), kGzipMagic.size());
    if (peeked.first != kGzipMagic) return std::move(peeked.source);
    return std::make_unique<GzipSource>(std::move(peeked.source));
}

std::unique_ptr<ByteSource> borrow(ByteSource& source) { return std::make_unique<BorrowedSource>(source); }

}  // namespace ratectl::input
