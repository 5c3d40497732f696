// Values as machine formats write them: JSON strings, numbers and ISO times, appended without allocating.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::output {

/// The string in quotes, ASCII only. Bytes that are not valid UTF-8 are written as printable() has them.
void append_json_string(std::string& out, std::string_view bytes);
/// False, and `out` unchanged, when the bytes are not valid UTF-8.
bool try_append_json_string(std::string& out, std::string_view bytes);

/// True when the quotes are all that has to be added.
bool is_json_as_it_is(std::string_view bytes);

/// The digits of a number, and its sign.
class IntegerText {
public:
    explicit IntegerText(std::int64_t value);
    operator std::string_view() const { return {text_, size_}; }

private:
    char text_[20];  // `-9223372036854775808`
    std::size_t size_;
};
void append_integer(std::string& out, std::int64_t value);
/// The shortest text that reads back as the same number; false, and nothing, for infinities and NaN.
bool append_number(std::string& out, double value);
/// `2026-01-01T00:00:00Z`; outside the years 0000-9999 the epoch second.
void append_iso(std::string& out, support::Instant t);
/// `2026-01-01T00:00:00.123Z`.
void append_iso(std::string& out, support::WallTime t);

}  // namespace ratectl::output
