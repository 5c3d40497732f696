// Byte sources for tests: in small pieces, and gzip made on the spot.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <zlib.h>

#include "input/byte_source.h"

namespace ratectl::test {

/// Hands out at most `piece` bytes a read.
class DrippingSource final : public input::ByteSource {
public:
    DrippingSource(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
    std::size_t read(std::span<char> buffer) override {
        const std::size_t n = text_.copy(buffer.data(), std::min(piece_, buffer.size()), at_);
        at_ += n;
        return n;
    }
    const std::string& name() const override { return name_; }

private:
    std::string text_;
    std::string name_ = "drip";
    std::size_t piece_;
    std::size_t at_ = 0;
};

inline std::string gzip(const std::string& plain) {
    z_stream zlib{};
    if (deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("zlib");
    std::string packed(deflateBound(&zlib, static_cast<uLong>(plain.size())) + 32, '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    zlib.avail_in = static_cast<uInt>(plain.size());
    zlib.next_out = reinterpret_cast<Bytef*>(packed.data());
    zlib.avail_out = static_cast<uInt>(packed.size());
    if (deflate(&zlib, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
    packed.resize(zlib.total_out);
    deflateEnd(&zlib);
    return packed;
}

inline std::string read_all(input::ByteSource& source, std::size_t piece = 4096) {
    std::string all;
    std::vector<char> buffer(piece);
    while (const std::size_t n = source.read(buffer)) all.append(buffer.data(), n);
    return all;
}

}  // namespace ratectl::test
