// Unpacks gzip with zlib's inflate.
#include "input/gzip_source.h"

#include <algorithm>
#include <limits>
#include <new>

#include <zlib.h>

namespace ratectl::input {

namespace {

/// A thousand times as much may come out of it before the next look at the clock and the stop signal.
constexpr std::size_t kInputSize = std::size_t{16} * 1024;
constexpr int kGzipOnly = 16 + MAX_WBITS;

}  // namespace

GzipSource::GzipSource(std::unique_ptr<ByteSource> packed)
    : packed_(std::move(packed)), zlib_(std::make_unique<z_stream>()), input_(kInputSize) {
    if (inflateInit2(zlib_.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
}

GzipSource::~GzipSource() { inflateEnd(zlib_.get()); }

void GzipSource::throw_damaged(const char* why) const {
    throw support::Failure(support::ExitCode::local_io, name() + ": damaged gzip data: " + why,
                           "everything before the damage was read");
}

/// False at the end of the packed bytes.
bool GzipSource::refill() {
    if (zlib_->avail_in > 0) return true;
    if (packed_ended_) return false;
    const std::size_t n = packed_->read(input_);
    zlib_->next_in = reinterpret_cast<Bytef*>(input_.data());
    zlib_->avail_in = static_cast<uInt>(n);
    packed_ended_ = n == 0;
    return n > 0;
}

/// Zero bytes after a member are padding of a block device; anything else must be the next member.
bool GzipSource::next_member() {
    while (refill()) {
        if (*zlib_->next_in != 0) {
            if (static_cast<char>(*zlib_->next_in) != kGzipMagic[0]) throw_damaged("something else follows the end");
            if (inflateReset(zlib_.get()) != Z_OK) throw_damaged("the next part cannot be read");
            return true;
        }
        ++zlib_->next_in;
        --zlib_->avail_in;
    }
    return false;
}

std::size_t GzipSource::read(std::span<char> buffer) {
    const std::size_t room = std::min<std::size_t>(buffer.size(), std::numeric_limits<uInt>::max());
    zlib_->next_out = reinterpret_cast<Bytef*>(buffer.data());
    zlib_->avail_out = static_cast<uInt>(room);
    while (!ended_ && zlib_->avail_out == room && room > 0) {
        if (between_members_) {
            between_members_ = false;
            ended_ = !next_member();
            continue;
        }
        if (!refill()) throw_damaged("it ends too early");
        const int status = inflate(zlib_.get(), Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status == Z_STREAM_END) {
            between_members_ = true;
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            throw_damaged(zlib_->msg != nullptr ? zlib_->msg : "its bytes make no sense");
        }
    }
    return room - zlib_->avail_out;
}

bool GzipSource::ready() { return ended_ || zlib_->avail_in > 0 || packed_ended_ || packed_->ready(); }

}  // namespace ratectl::input
