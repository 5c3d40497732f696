// The page's sources as they lie beside this file, with the SHA-256 of those that the page's policy names.
#pragma once

#include <string_view>

namespace ratectl::output {

struct EmbeddedText {
    std::string_view text;
    std::string_view sha256;  // in hexadecimal
};

extern const EmbeddedText kPageHtml;
extern const EmbeddedText kPageCss;
extern const EmbeddedText kPageJs;

}  // namespace ratectl::output
