// Lines of standard input that are refused as keys: what other programs print for people or beside keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "output/diagnostics.h"
#include "support/error.h"

namespace ratectl::commands {

/// Throws Failure that names the line.
[[noreturn]] void throw_bad_line(std::uint64_t number, const std::string& what, std::string hint,
                                 support::ExitCode code = support::ExitCode::local_io);

/// The format of the rows below this line where it is a header that ratectl prints and that input::recognise_rows()
/// does not know, as none of its columns names a window: two cells or more, all of them names of columns. Empty: it is
/// none.
std::string_view header_without_key(std::string_view line);

/// A write would make windows of them. A line is judged by itself, as lines are taken while they come; where no format
/// was named it is refused
/// - for what it shows alone: a row, a header or a line of a table (input::seen_instead_of_key); a header also where
///   none of its columns is a key (header_without_key);
/// - for quotes, JSON or markup around it, unless it is a key of a policy whose template begins with such text itself;
/// - for blanks, unless it is a key of a policy; without policies only for as many as a sentence has;
/// - for `,` `;` or a blank behind a key of a policy (any text, where there are no policies), and behind that cells of
///   which one is a whole number, unless the whole line is a key of another policy, which has the separator in its
///   template.
/// Of clients only the first two are asked: nothing says how those are written. Any other comma, blank or bracket is
/// part of a key; --input keys takes all lines as keys, and so are arguments.
class PlainLines {
public:
    struct Kind {
        bool are_clients = false;
        bool format_said = false;  // lines of keys are what was asked for
        bool are_raw = true;       // no --key-format has them spelled otherwise
    };
    /// Both outlive it.
    PlainLines(const config::Settings& settings, output::Diagnostics& messages, Kind kind)
        : policies_(settings.policies), messages_(messages), kind_(kind) {}

    void check(std::string_view line, std::uint64_t number);

private:
    void say_blank_at_end(std::string_view line, std::uint64_t number);
    void refuse_what_it_shows(std::string_view line, std::uint64_t number) const;
    void refuse_by_policies(std::string_view line, std::uint64_t number) const;
    bool begins_as_keys_do(std::string_view line) const;
    bool has_number_behind(std::string_view line, char separator) const;

    const domain::PolicyBook& policies_;
    output::Diagnostics& messages_;
    Kind kind_;
    bool said_blank_ = false;
};

}  // namespace ratectl::commands
