// Texts and names as TOML writes them, for the files that we write.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::config {

/// A TOML text in double quotes; control characters are escaped, so that it is fit for a comment, too.
std::string toml_text(const std::string& text);
/// A name as a part of a table's name: bare where TOML allows it.
std::string toml_key(const std::string& name);

/// Whether TOML can hold the bytes at all: valid UTF-8, without surrogates and overlong forms.
bool fits_toml(std::string_view text);

}  // namespace ratectl::config
