// Opens an access log for two readings: opens it again, or keeps its bytes aside where that is not possible.
#include "commands/replay/log_file.h"

#include <filesystem>
#include <system_error>
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

LogFile::LogFile(const std::string& path, input::ByteSource& standard_input, const support::Patience& patience,
                 std::string folder)
    : path_(path), patience_(patience), folder_(std::move(folder)) {
    const bool is_standard_input = path == "-";
    std::error_code ignored;
    reopens_ = !is_standard_input && std::filesystem::is_regular_file(path, ignored);
    source_ = is_standard_input ? input::maybe_gunzip(input::borrow(standard_input)) : input::open_file(path, patience);
}

input::ByteSource& LogFile::preview() {
    previewed_ = true;
    if (reopens_) return *source_;
    auto spool = std::make_unique<SpooledSource>(std::move(source_), folder_);
    spool_ = spool.get();
    source_ = std::move(spool);
    return *source_;
}

input::ByteSource& LogFile::play() {
    if (spool_ != nullptr) {
        spool_->rewind();
    } else if (previewed_) {
        source_ = input::open_file(path_, patience_);
    }
    return *source_;
}

}  // namespace ratectl::commands::replay
