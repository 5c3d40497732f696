// What stands for a client that is not to be shown: the same for the same client, wherever it is shown or recorded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratectl::domain {

/// `sha256:` and the first 16 hexadecimal digits of the SHA-256 of the bytes, as sha256sum prints it. No secret takes
/// part in it: it hides tokens and keys from readers, not names that can be guessed.
std::string fingerprint(std::string_view client);
inline constexpr std::size_t kFingerprintSize = 23;
bool is_fingerprint(std::string_view text);
/// Whether there is one anywhere in it.
bool holds_fingerprint(std::string_view text);

}  // namespace ratectl::domain
