// Computes digests with libmd's compression functions.
#include "support/digest.h"

#include <algorithm>
#include <span>

#include <md5.h>
#include <sha1.h>
#include <sha2.h>
#include <sys/types.h>

#include <fmt/format.h>

namespace ratectl::support {

namespace {

const std::uint8_t* as_octets(std::string_view bytes) { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }

std::uint32_t byte_swapped(std::uint32_t word) { return __builtin_bswap32(word); }

constexpr std::size_t kBlock = 64;
constexpr std::size_t kLength = 8;

enum class ByteOrder { little, big };

/// MD5, SHA-1 and SHA-256 differ in their state, their step and a byte order. Padding here instead of through libmd's
/// streaming calls makes the short labels of large rings twice as fast.
template <std::size_t Words, ByteOrder Bytes, class Step>
Digest digest(std::array<std::uint32_t, Words> state, std::string_view bytes, Step step) {
    std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) step(state.data(), as_octets(bytes));
    std::array<std::uint8_t, 2 * kBlock> tail{};
    std::copy(bytes.begin(), bytes.end(), tail.begin());
    tail[bytes.size()] = 0x80;
    const std::size_t end = bytes.size() + 1 + kLength <= kBlock ? kBlock : 2 * kBlock;
    for (std::size_t i = 0; i < kLength; ++i, bits >>= 8) {
        tail[Bytes == ByteOrder::little ? end - kLength + i : end - 1 - i] = static_cast<std::uint8_t>(bits);
    }
    for (std::size_t at = 0; at < end; at += kBlock) step(state.data(), tail.data() + at);
    Digest result;
    result.count = Words;
    for (std::size_t i = 0; i < Words; ++i)
        result.words[i] = Bytes == ByteOrder::little ? byte_swapped(state[i]) : state[i];
    return result;
}

constexpr std::array<std::uint32_t, 4> kMd5Start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
constexpr std::array<std::uint32_t, 5> kSha1Start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
constexpr std::array<std::uint32_t, 8> kSha256Start{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

}  // namespace

Digest md5(std::string_view bytes) { return digest<4, ByteOrder::little>(kMd5Start, bytes, ::MD5Transform); }

Digest sha1(std::string_view bytes) { return digest<5, ByteOrder::big>(kSha1Start, bytes, ::SHA1Transform); }

Digest sha256(std::string_view bytes) { return digest<8, ByteOrder::big>(kSha256Start, bytes, ::SHA256Transform); }

std::string to_hex(const Digest& digest) {
    std::string hex;
    for (const std::uint32_t word : std::span(digest.words).first(digest.count)) hex += fmt::format("{:08x}", word);
    return hex;
}

namespace {

constexpr std::string_view kBeginning = "sha256:";
constexpr std::size_t kDigitCount = kFingerprintSize - kBeginning.size();

}  // namespace

std::string fingerprint(std::string_view client) {
    return std::string(kBeginning) + to_hex(sha256(client)).substr(0, kDigitCount);
}

bool is_fingerprint(std::string_view text) {
    if (!text.starts_with(kBeginning) || text.size() != kFingerprintSize) return false;
    return text.find_first_not_of("0123456789abcdef", kBeginning.size()) == std::string_view::npos;
}

bool holds_fingerprint(std::string_view text) {
    for (auto at = text.find(kBeginning); at != std::string_view::npos; at = text.find(kBeginning, at + 1))
        if (is_fingerprint(text.substr(at, kFingerprintSize))) return true;
    return false;
}

}  // namespace ratectl::support
