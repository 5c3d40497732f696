// MD5, SHA-1 and SHA-256 of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ratectl::support {

/// 32-bit words, most significant first; those after `count` are zero.
struct Digest {
    std::array<std::uint32_t, 8> words{};
    std::uint32_t count = 0;
};

Digest md5(std::string_view bytes);
Digest sha1(std::string_view bytes);
Digest sha256(std::string_view bytes);
/// As md5sum, sha1sum and sha256sum print it.
std::string to_hex(const Digest& digest);

}  // namespace ratectl::support
