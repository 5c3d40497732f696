// Writes JSON strings, numbers and ISO times; by hand, because a sweep writes millions of these.
#include "output/formats/machine_text.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>

#include "output/printable.h"
#include "output/utf8.h"
#include "support/base64.h"

namespace ratectl::output {
namespace {

using support::kHexDigits;

void append_unit_escape(std::string& out, char32_t unit) {
    const char text[] = {'\\',
                         'u',
                         kHexDigits[(unit >> 12) & 0xF],
                         kHexDigits[(unit >> 8) & 0xF],
                         kHexDigits[(unit >> 4) & 0xF],
                         kHexDigits[unit & 0xF]};
    out.append(text, sizeof text);
}

void append_code_point(std::string& out, char32_t c) {
    if (c < 0x10000) {
        append_unit_escape(out, c);
        return;
    }
    append_unit_escape(out, 0xD800 + ((c - 0x10000) >> 10));
    append_unit_escape(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
}

constexpr std::array<bool, 256> kStandsForItself = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0x20; c < 0x7F; ++c) table[c] = c != '"' && c != '\\';
    return table;
}();

bool stands_for_itself(char c) { return kStandsForItself[static_cast<unsigned char>(c)]; }

/// Eight bytes at once: nothing is left when each of them stands for itself.
std::uint64_t odd_ones(const char* at) {
    constexpr std::uint64_t each = 0x0101010101010101;
    constexpr std::uint64_t high = 0x80 * each;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    // A sum has its high bit from a certain value on; below 0x80 it stays in its byte, and from there on every byte is
    // odd.
    const std::uint64_t not_below_space = bytes + 0x60 * each;
    const std::uint64_t delete_or_above = bytes + each;
    const auto differs_from = [bytes](char c) { return (bytes ^ static_cast<std::uint64_t>(c) * each) + 0x7F * each; };
    const std::uint64_t plain = not_below_space & ~delete_or_above & differs_from('"') & differs_from('\\');
    return (bytes | ~plain) & high;
}

/// How many bytes at the beginning stand for themselves.
std::size_t plain_beginning(std::string_view bytes) {
    std::size_t end = 0;
    while (end + 8 <= bytes.size() && odd_ones(bytes.data() + end) == 0) end += 8;
    // The last eight, some of them once more, in the place of up to seven.
    const std::size_t rest = bytes.size() - end;
    if (end != 0 && rest < 8 && odd_ones(bytes.data() + bytes.size() - 8) == 0) return bytes.size();
    while (end < bytes.size() && stands_for_itself(bytes[end])) ++end;
    return end;
}

void append_json_ascii(std::string& out, char c) {
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: append_unit_escape(out, static_cast<unsigned char>(c));
    }
}

void put_digits(char* at, unsigned value, int digits) {
    for (int i = digits - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

/// A number of at most two decimals that to_chars() would write without an exponent; most are. False, and nothing, for
/// the others.
bool append_hundredths(std::string& out, double value) {
    constexpr double largest = 99'999;  // from 1e+05 on an exponent is shorter
    if (!(value >= 0 && value <= largest) || std::signbit(value)) return false;
    const auto hundredths = static_cast<std::uint32_t>(std::lround(value * 100));
    // The nearest double to these digits, and so the digits are the shortest that read back as it.
    if (static_cast<double>(hundredths) / 100 != value) return false;
    append_integer(out, hundredths / 100);
    const std::uint32_t rest = hundredths % 100;
    if (rest == 0) return true;
    const char text[] = {'.', static_cast<char>('0' + rest / 10), static_cast<char>('0' + rest % 10)};
    out.append(text, rest % 10 == 0 ? 2 : 3);
    return true;
}

constexpr std::int64_t kFirstSecond = -62167219200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253402300799;   // 9999-12-31T23:59:59Z

/// Everything before the `Z`; false when the year does not fit.
bool append_date_time(std::string& out, support::Instant t) {
    const std::int64_t second = support::epoch_seconds(t);
    if (second < kFirstSecond || second > kLastSecond) return false;
    const auto day = std::chrono::floor<std::chrono::days>(t);
    // Rows of a sweep lie on one or two days.
    thread_local std::chrono::sys_days text_day = std::chrono::sys_days::max();
    thread_local char text[] = "0000-00-00T00:00:00";
    if (day != text_day) {
        const std::chrono::year_month_day date{day};
        put_digits(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
        put_digits(text + 5, static_cast<unsigned>(date.month()), 2);
        put_digits(text + 8, static_cast<unsigned>(date.day()), 2);
        text_day = day;
    }
    const auto clock = static_cast<unsigned>((t - day).count());
    put_digits(text + 11, clock / 3600, 2);
    put_digits(text + 14, clock / 60 % 60, 2);
    put_digits(text + 17, clock % 60, 2);
    out.append(text, sizeof text - 1);
    return true;
}

}  // namespace

bool try_append_json_string(std::string& out, std::string_view bytes) {
    const std::size_t before = out.size();
    out += '"';
    for (std::size_t i = 0; i < bytes.size();) {
        const std::size_t run = plain_beginning(bytes.substr(i));
        out.append(bytes, i, run);
        i += run;
        if (i == bytes.size()) break;
        const CodePoint c = decode_utf8(bytes, i);
        if (c.length == 0) {
            out.resize(before);
            return false;
        }
        c.length == 1 ? append_json_ascii(out, bytes[i]) : append_code_point(out, c.value);
        i += c.length;
    }
    out += '"';
    return true;
}

void append_json_string(std::string& out, std::string_view bytes) {
    if (!try_append_json_string(out, bytes)) try_append_json_string(out, printable(bytes));
}

bool is_json_as_it_is(std::string_view bytes) { return plain_beginning(bytes) == bytes.size(); }

IntegerText::IntegerText(std::int64_t value)
    : size_(static_cast<std::size_t>(std::to_chars(text_, text_ + sizeof text_, value).ptr - text_)) {}

void append_integer(std::string& out, std::int64_t value) { out += IntegerText(value); }

bool append_number(std::string& out, double value) {
    if (!std::isfinite(value)) return false;
    if (append_hundredths(out, value)) return true;
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    out.append(text, static_cast<std::size_t>(end - text));
    return true;
}

void append_iso(std::string& out, support::Instant t) {
    if (append_date_time(out, t)) {
        out += 'Z';
    } else {
        append_integer(out, support::epoch_seconds(t));
    }
}

void append_iso(std::string& out, support::WallTime t) {
    const support::Instant second = support::to_instant(t);
    if (!append_date_time(out, second)) {
        append_integer(out, support::epoch_seconds(second));
        return;
    }
    char text[] = ".000Z";
    put_digits(text + 1, static_cast<unsigned>((t - second).count()), 3);
    out.append(text, sizeof text - 1);
}

MachineNames machine_names(const Column& column, bool key_is_text) {
    const std::string name(column.name);
    switch (column.type) {
        case CellType::time: return {name, name + "_iso"};
        case CellType::wall_time: return {name + "_iso", name + "_ms"};
        case CellType::duration_s: return {name + "_s", ""};
        case CellType::duration_ms: return {name + "_ms", ""};
        case CellType::bytes: return {name, name + "_b64"};
        case CellType::key: return {name, key_is_text ? "" : name + "_b64"};
        default: return {name, ""};
    }
}

std::optional<std::string_view> text_of(const Cell& cell) {
    if (const auto* bytes = std::get_if<BytesView>(&cell)) return bytes->bytes;
    if (const auto* text = std::get_if<TextView>(&cell)) return text->text;
    if (const auto* word = std::get_if<Word>(&cell)) return word->text;
    if (const auto* text = std::get_if<Text>(&cell)) return text->text;
    if (const auto* bytes = std::get_if<Bytes>(&cell)) return bytes->bytes;
    return std::nullopt;
}

}  // namespace ratectl::output
