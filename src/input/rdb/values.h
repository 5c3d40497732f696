// What stands behind a key in a dump file, by its type byte: lengths, strings, and how to pass everything that is no
// string. Facts: redis.io/docs (RDB file format), the headers of Redis 2.8 to 8 and Valkey 8 and 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "input/rdb/bytes.h"

namespace ratectl::input {

/// A length, or (with `encoded`) the number of a special encoding in its place.
struct RdbLength {
    std::uint64_t value = 0;
    bool encoded = false;
};
RdbLength take_length_or_encoding(RdbBytes& bytes);
/// Fails where a special encoding stands.
std::uint64_t take_length(RdbBytes& bytes);

/// A string in whatever encoding, exactly; of a longer one only the first `keep` bytes (at most 64 KiB), the rest is
/// passed. The view is into `scratch` or the bytes, until either is used again.
struct RdbText {
    std::string_view bytes;
    std::uint64_t size = 0;  // of the whole string
};
RdbText take_text(RdbBytes& bytes, std::size_t keep, std::string& scratch);
void skip_text(RdbBytes& bytes);

/// What one type byte means.
struct RdbType {
    std::string_view what;  // `a hash`
    /// Passes the value; null: this cannot be passed, `refusal` says why.
    void (*skip)(RdbBytes& bytes) = nullptr;
    std::string_view refusal;

    /// As the command TYPE says it; of a module its own name counts, which is in the value.
    std::string_view word() const { return what.substr(2); }
};
inline constexpr std::uint8_t kRdbString = 0;
inline constexpr std::uint8_t kRdbModule = 7;

/// Null for a byte that is not a type of any known format. 22 and 23 mean something else in Valkey's own format (80 and
/// above).
const RdbType* rdb_type(std::uint8_t code, bool valkey_format);

/// The nine letters that a module's id holds.
std::string module_name(std::uint64_t id);
/// Passes a module's annotated values up to their end mark.
void skip_module_values(RdbBytes& bytes);

}  // namespace ratectl::input
