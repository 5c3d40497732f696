// A gzip stream unpacked while it is read; members may follow each other, as log rotation writes them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/byte_source.h"

struct z_stream_s;

namespace ratectl::input {

inline constexpr std::string_view kGzipMagic{"\x1f\x8b"};

/// Throws Failure (local_io) where the stream is damaged or ends too early; what was unpacked before has been
/// delivered.
class GzipSource final : public ByteSource {
public:
    explicit GzipSource(std::unique_ptr<ByteSource> packed);
    ~GzipSource() override;
    GzipSource(const GzipSource&) = delete;
    GzipSource& operator=(const GzipSource&) = delete;

    std::size_t read(std::span<char> buffer) override;
    bool ready() override;
    const std::string& name() const override { return packed_->name(); }

private:
    bool refill();
    bool next_member();
    [[noreturn]] void throw_damaged(const char* why) const;

    std::unique_ptr<ByteSource> packed_;
    std::unique_ptr<z_stream_s> zlib_;
    std::vector<char> input_;
    bool packed_ended_ = false;
    bool between_members_ = false;
    bool ended_ = false;
};

}  // namespace ratectl::input
