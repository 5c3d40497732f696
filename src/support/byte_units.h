// Amounts of memory for people.
#pragma once

#include <cstdint>
#include <string>

namespace ratectl::support {

/// `0 B`, `1023 B`, `1.0 KiB`, `1.2 GiB`, up to EiB; one decimal, negative amounts keep their sign.
std::string format_bytes(std::int64_t bytes);

}  // namespace ratectl::support
