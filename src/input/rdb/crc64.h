// The checksum at the end of a dump file: CRC-64 with Jones's polynomial, as Redis computes it since format 5.
#pragma once

#include <cstdint>
#include <span>

namespace ratectl::input {

/// Goes on from `crc`, which begins as 0. Reflected, polynomial 0xad93d23594c935a9; of "123456789" it is
/// 0xe9c6d914c4b8d9ca.
std::uint64_t crc64(std::uint64_t crc, std::span<const char> bytes);

}  // namespace ratectl::input
