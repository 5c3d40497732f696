// What a text of keys or rows shows of its format.
#pragma once

#include <optional>
#include <string_view>

#include "input/key_rows.h"

namespace ratectl::input {

/// How much of a long first line recognise_rows() wants to see.
inline constexpr std::size_t kRecognisable = std::size_t{64} * 1024;

/// The format of the rows that begin so; keys where nothing shows another. Null: the header of a table, which is for
/// people.
std::optional<RowFormat> recognise_rows(std::string_view beginning);
/// Words with blanks between them, as a sentence has them. Keys seldom have one blank.
bool reads_like_prose(std::string_view line);
/// What a line of keys surely is instead of a key: "a row of tsv"; empty: a key, for all that can be seen.
std::string_view seen_instead_of_key(std::string_view line);

}  // namespace ratectl::input
