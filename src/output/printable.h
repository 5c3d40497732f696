// The one way from bytes to a human's eyes: everything that could move a cursor, hide or reorder text becomes a visible
// escape.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ratectl::output {

/// Valid printable UTF-8 stays; C0, DEL, C1, bidi controls, zero-width characters, U+2028/9, noncharacters and invalid
/// bytes become
/// `\xNN` (bytes) or `\u{NNNN}` (valid code points); `\n` `\r` `\t` short; a backslash becomes two. Reversible by
/// unprintable().
std::string printable(std::string_view bytes);
/// As printable, but line breaks stay: for our own multi-line texts that quote foreign bytes.
std::string printable_lines(std::string_view text);
/// As printable, and every character beyond ASCII becomes `\u{NNNN}`: for a terminal that knows no others.
std::string printable_ascii(std::string_view bytes);
/// The bytes again; null when the text is not something printable() could have written.
std::optional<std::string> unprintable(std::string_view text);
/// True when printable() would change nothing.
bool is_plain(std::string_view bytes);
bool is_valid_utf8(std::string_view bytes);
/// Columns on a terminal (wide characters count two, combining none). For text that is already printable.
std::size_t display_width(std::string_view text);
/// The longest beginning that is at most `columns` wide.
std::string_view cut_to_width(std::string_view text, std::size_t columns);
/// At most `columns` wide, the middle replaced by an ellipsis (`...` when ascii).
std::string elide_middle(std::string_view text, std::size_t columns, bool ascii = false);

/// Lines of at most `columns`, all but the first after `indent` blanks; `used` columns of the first are taken. What
/// stands between backticks or single quotes stays together, and a command of ours behind a colon, so that it can be
/// copied; a word that is too long stands alone. Line breaks of the text stay as they are; 0 columns: all of it does.
/// For text that is already printable.
std::string wrap(std::string_view text, std::size_t columns, std::size_t used, std::size_t indent);

}  // namespace ratectl::output
