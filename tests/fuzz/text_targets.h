// Text of our own making: escapes, globs, templates, numbers, times.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "domain/key_template.h"
#include "fuzz/broken.h"
#include "output/printable.h"
#include "output/row_sink.h"
#include "support/base64.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::fuzz {

inline bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

inline void printable(std::string_view bytes) {
    const std::string shown = output::printable(bytes);
    promise(output::is_valid_utf8(shown), "printable text is not UTF-8");
    promise(!has_control(shown), "printable text has a control byte");
    promise(output::unprintable(shown) == std::string(bytes), "printable text does not lead back to its bytes");
    promise(output::is_plain(bytes) == (shown == bytes), "is_plain and printable disagree");
    const auto undone = output::unprintable(bytes);
    promise(!undone || output::printable(*undone) == bytes, "unprintable accepts what printable would not write");
    const std::string lines = output::printable_lines(bytes);
    promise(std::count(lines.begin(), lines.end(), '\n') == std::count(bytes.begin(), bytes.end(), '\n'),
            "a line break is lost");
    for (const std::size_t columns : {std::size_t{1}, std::size_t{8}, std::size_t{40}}) {
        promise(output::display_width(output::elide_middle(shown, columns)) <= columns, "elided text is too wide");
        promise(output::display_width(output::elide_middle(shown, columns, true)) <= columns,
                "elided text is too wide in ASCII");
    }
}

inline void key_format(std::string_view bytes) {
    using output::KeyFormat;
    for (const auto format : {KeyFormat::raw, KeyFormat::escaped, KeyFormat::hex, KeyFormat::base64}) {
        const auto there_and_back = output::decode_key(format, output::encode_key(format, bytes));
        promise(there_and_back == std::string(bytes), "a key written in a format is not read back");
        const auto decoded = output::decode_key(format, bytes);
        if (decoded)
            promise(output::decode_key(format, output::encode_key(format, *decoded)) == *decoded,
                    "a key read twice differs");
    }
    promise(support::from_base64(support::to_base64(bytes)) == std::string(bytes), "base64 does not lead back");
    promise(support::from_hex(support::to_hex(bytes)) == std::string(bytes), "hex does not lead back");
}

/// pattern NUL text
inline void glob(std::string_view bytes) {
    const auto [pattern, text] = halves(bytes);
    const std::string escaped = domain::escape_glob(text);
    promise(!domain::has_wildcard(escaped), "an escaped literal has a wildcard");
    promise(domain::literal_prefix(escaped) == text, "an escaped literal has another literal prefix");
    promise(domain::glob_matches(escaped, text), "an escaped literal does not match itself");
    promise(!domain::glob_matches(escaped, std::string(text) + "x"), "an escaped literal matches more than itself");
    if (!domain::check_glob(pattern)) return;
    if (domain::glob_matches(pattern, text)) {
        promise(text.starts_with(domain::literal_prefix(pattern)),
                "a match does not begin with the pattern's literal prefix");
    }
}

/// template NUL key
inline void key_template(std::string_view bytes) {
    const auto [pattern, key] = halves(bytes);
    const auto parsed = domain::KeyTemplate::parse(pattern);
    if (!parsed) return;
    promise(parsed->text() == pattern, "a template forgets its text");
    const auto captures = parsed->match(key);
    if (!captures) return;
    promise(captures->size() == parsed->placeholders().size(), "not one capture a hole");
    promise(parsed->assemble(*captures) == key, "the captures do not make up the key");
    const auto expanded = parsed->expand(*captures);
    promise(expanded && parsed->match(*expanded), "a key that was built does not match");
    promise(pattern.find('|') != std::string_view::npos || *expanded == key, "the captures do not expand to the key");
    promise(!domain::check_glob(parsed->glob()) || domain::glob_matches(parsed->glob(), key),
            "the glob misses a matching key");
}

inline void numbers(std::string_view bytes) {
    if (const auto number = support::parse_decimal(bytes))
        promise(std::to_string(*number) == bytes, "a decimal has two spellings");
    if (const auto number = support::parse_unsigned(bytes))
        promise(std::to_string(*number) == bytes, "an unsigned has two spellings");
    if (const auto duration = support::parse_duration(bytes)) {
        promise(duration->count() > 0, "a duration is not positive");
        support::format_duration(*duration);
    }
    const auto now = support::from_epoch(1'800'000'000);
    if (const auto time = support::parse_time(bytes, now)) {
        promise(support::parse_time(support::format_time(*time), now) == *time, "a time as printed reads differently");
    }
}

}  // namespace ratectl::fuzz
