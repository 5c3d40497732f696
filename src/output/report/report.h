// Pages that hold everything. That of stats: figures as JSON, and the style and the script that show them, which a
// policy in the page alone lets run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "output/byte_sink.h"

namespace ratectl::output {

/// A source of the page as it lies beside this file, with its SHA-256, which the page's policy names.
struct EmbeddedText {
    std::string_view text;
    std::string_view sha256;  // in hexadecimal
};

extern const EmbeddedText kPageHtml;
extern const EmbeddedText kPageCss;
extern const EmbeddedText kPageJs;
extern const EmbeddedText kChartHtml;

/// Writes a page whose places, as %STYLE%, are filled: the style and its hash by themselves, what else by `other`.
void fill_page(ByteSink& out, std::string_view page, const std::function<std::string(std::string_view)>& other);
/// Writes the page of stats. `data` is a JSON object as page.js reads it; whatever its texts hold, none of it can end
/// the element that it stands in.
void write_report(ByteSink& out, std::string_view data);

}  // namespace ratectl::output
