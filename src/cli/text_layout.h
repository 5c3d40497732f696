// Text on a page of a given width: filled paragraphs and two columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratectl::cli {

/// Words filled to `width`, every line after `indent` spaces; ends with a newline. Width counts bytes: our texts are
/// ASCII.
std::string filled(std::string_view text, std::size_t width, std::size_t indent = 0);
/// `left` after two spaces, `right` filled beside it from column `at`, or below it when `left` is too long.
std::string two_columns(std::string_view left, std::string_view right, std::size_t at, std::size_t width);
/// In capitals.
std::string upper(std::string text);

}  // namespace ratectl::cli
