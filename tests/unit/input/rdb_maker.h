// Dump files by hand, byte by byte as their structure is documented: for versions and values that no server here can
// write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ratectl::test {

/// Bit by bit, as the polynomial says: independent of the tables under test.
inline std::uint64_t slow_crc64(std::string_view bytes) {
    std::uint64_t crc = 0;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x95ac9329ac4bc9b5 : 0);
    }
    return crc;
}

class RdbMaker {
public:
    explicit RdbMaker(std::string_view header = "REDIS0011") : bytes_(header) {}

    RdbMaker& byte(unsigned value) {
        bytes_ += static_cast<char>(value);
        return *this;
    }
    RdbMaker& raw(std::string_view bytes) {
        bytes_ += bytes;
        return *this;
    }
    RdbMaker& little(std::uint64_t value, int width) {
        for (; width > 0; --width, value >>= 8) byte(value & 0xff);
        return *this;
    }
    RdbMaker& big(std::uint64_t value, int width) {
        while (width-- > 0) byte(value >> (8 * width) & 0xff);
        return *this;
    }
    /// As servers do: 6, 14, 32 or 64 bits.
    RdbMaker& length(std::uint64_t value) {
        if (value < 64) return byte(static_cast<unsigned>(value));
        if (value < 16384) return byte(0x40 | static_cast<unsigned>(value >> 8)).byte(value & 0xff);
        return value <= UINT32_MAX ? byte(0x80).big(value, 4) : byte(0x81).big(value, 8);
    }
    RdbMaker& text(std::string_view text) { return length(text.size()).raw(text); }
    RdbMaker& texts(int count) {
        for (int i = 0; i < count; ++i) text("item " + std::to_string(i));
        return *this;
    }
    RdbMaker& aux(std::string_view name, std::string_view value) { return byte(250).text(name).text(value); }
    RdbMaker& db(std::uint64_t number) { return byte(254).length(number); }
    RdbMaker& expires_ms(std::int64_t at) { return byte(252).little(static_cast<std::uint64_t>(at), 8); }
    /// Type and key; the value follows.
    RdbMaker& key(unsigned type, std::string_view key) { return byte(type).text(key); }
    RdbMaker& string(std::string_view k, std::string_view value) { return key(0, k).text(value); }
    /// Both halves as the limiter writes them.
    RdbMaker& window(std::string_view k, std::string_view used, std::int64_t reset_at) {
        expires_ms((reset_at + 1) * 1000).string(k, used);
        return expires_ms((reset_at + 1) * 1000).string(std::string(k) + ":exp", std::to_string(reset_at));
    }

    /// With its end and the right checksum.
    std::string ended() const {
        RdbMaker whole = *this;
        whole.byte(255);
        return whole.bytes_ + RdbMaker("").little(slow_crc64(whole.bytes_), 8).bytes_;
    }
    std::string ended_without_checksum() const { return RdbMaker(*this).byte(255).little(0, 8).bytes_; }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

}  // namespace ratectl::test
