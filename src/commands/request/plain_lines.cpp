// Judges lines of standard input by what they look like and by the keys that policies have.
#include "commands/request/plain_lines.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "commands/all_commands.h"
#include "commands/request/doubtful_names.h"
#include "input/key_rows.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

using support::ExitCode;

constexpr std::string_view kTakesLines =
    "-o name, json, ndjson, csv and tsv print what `-` reads; --input keys takes every line as a key";

bool has_number(std::string_view cells, char separator) {
    for (;;) {
        const std::size_t end = std::min(cells.find(separator), cells.size());
        if (support::parse_decimal(cells.substr(0, end))) return true;
        if (end == cells.size()) return false;
        cells.remove_prefix(end + 1);
    }
}

bool is_header(std::string_view line, char separator) {
    if (line.find(separator) == std::string_view::npos) return false;
    for (;;) {
        const std::size_t end = std::min(line.find(separator), line.size());
        if (!is_column(line.substr(0, end))) return false;
        if (end == line.size()) return true;
        line.remove_prefix(end + 1);
    }
}

}  // namespace

void throw_bad_line(std::uint64_t number, const std::string& what, std::string hint, ExitCode code) {
    throw support::Failure(code, fmt::format("standard input, line {}: {}", number, what), std::move(hint));
}

std::string_view header_without_key(std::string_view line) {
    return is_header(line, ',') ? "csv" : is_header(line, '\t') ? "tsv" : "";
}

void PlainLines::check(std::string_view line, std::uint64_t number) {
    if (input::is_plain_name(line)) return;
    if (line.ends_with('\r') && kind_.are_raw) {
        throw_bad_line(number, "it ends with a carriage return",
                       "a file with Windows line ends? remove them; keys that really end so can be given with -0 or "
                       "--key-format escaped");
    }
    if (!kind_.format_said) {
        refuse_what_it_shows(line, number);
        if (kind_.are_raw && !kind_.are_clients) refuse_by_policies(line, number);
    }
    say_blank_at_end(line, number);
}

/// It is part of the name, and in no editor to be seen. Once.
void PlainLines::say_blank_at_end(std::string_view line, std::uint64_t number) {
    if ((!line.starts_with(' ') && !line.ends_with(' ')) || std::exchange(said_blank_, true)) return;
    messages_.notice(fmt::format("standard input, line {}: {} {} {}", number, kind_.are_clients ? "client" : "key",
                                 support::quoted(line), unseen_end(line)),
                     "remove it where it is not meant; `sed 's/^ *//; s/ *$//'` does so on every line");
}

void PlainLines::refuse_what_it_shows(std::string_view line, std::uint64_t number) const {
    if (const auto format = header_without_key(line); !format.empty()) {
        throw_bad_line(
            number,
            fmt::format("this is a header of {}, and none of its columns is key, client or actor: no row below "
                        "it says which window it is about",
                        format),
            "`-` reads rows that do, as `ratectl scan -o csv` prints them; --input keys takes every line as "
            "a key");
    }
    auto instead = input::seen_instead_of_key(line);
    if (instead.empty() && !begins_as_keys_do(line)) instead = input::seen_around_key(line);
    if (instead.empty()) return;
    throw_bad_line(number, fmt::format("this is {}, not a {}", instead, kind_.are_clients ? "client" : "key"),
                   std::string(kTakesLines));
}

/// Policies know what keys look like; without them a few words may be a key.
void PlainLines::refuse_by_policies(std::string_view line, std::uint64_t number) const {
    const bool has_blank = line.find(' ') != std::string_view::npos;
    if (has_blank && (policies_.empty() ? input::reads_like_prose(line) : !policies_.match(line))) {
        throw_bad_line(number,
                       policies_.empty()
                           ? "this is a sentence, not a key"
                           : "there are blanks in it, and no policy has such a key: this is text for people",
                       std::string(kTakesLines), ExitCode::usage);
    }
    for (const char separator : {',', ';', ' '}) {
        if (!has_number_behind(line, separator)) continue;
        throw_bad_line(number,
                       fmt::format("this is {} with a number behind it, as rows have it, and not a key",
                                   support::quoted(line.substr(0, line.find(separator)))),
                       std::string(kTakesLines));
    }
}

bool PlainLines::begins_as_keys_do(std::string_view line) const {
    if (policies_.empty()) return false;
    const auto match = policies_.match(line);
    return match && !match->policy->key.beginning().empty();
}

bool PlainLines::has_number_behind(std::string_view line, char separator) const {
    const std::size_t end = line.find(separator);
    if (end == 0 || end == std::string_view::npos || !has_number(line.substr(end + 1), separator)) return false;
    if (policies_.empty()) return true;
    const auto key = policies_.match(line.substr(0, end));
    const auto whole = policies_.match(line);
    return key && (!whole || whole->policy == key->policy);
}

}  // namespace ratectl::commands
