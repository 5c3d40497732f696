// MD5, SHA-1 and SHA-256 of bytes, and what stands for a client that is not to be shown: the same for the same client,
// wherever it is shown or recorded.
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

/// `sha256:` and the first 16 hexadecimal digits of the SHA-256 of the bytes, as sha256sum prints it. No secret takes
/// part in it: it hides tokens and keys from readers, not names that can be guessed.
std::string fingerprint(std::string_view client);
inline constexpr std::size_t kFingerprintSize = 23;
bool is_fingerprint(std::string_view text);
/// Whether there is one anywhere in it.
bool holds_fingerprint(std::string_view text);

}  // namespace ratectl::support
