// Roff from plain words, so that the pages never write an escape by hand.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::cli {

/// A man(7) page in the making. Texts are plain: everything that roff would interpret is escaped.
class RoffPage {
public:
    RoffPage(std::string_view title, int section);

    void section(std::string_view heading);
    void subsection(std::string_view heading);
    /// Paragraphs apart by an empty line; a line that begins with two spaces stands as it is.
    void text(std::string_view text);
    /// A tagged paragraph; the tag's words after the bold ones are in italics.
    void item(std::string_view bold, std::string_view italic, std::string_view text);
    /// Lines that stand as they are.
    void verbatim(std::string_view lines);
    /// Raw roff, a line or more, that ends with a newline.
    void raw(std::string_view roff) { out_ += roff; }
    const std::string& roff() const { return out_; }

    static std::string escaped(std::string_view text);
    /// Dashes become the ones that can be copied into a shell.
    static std::string literal(std::string_view text);

private:
    void filled_line(std::string_view line);

    std::string out_;
    bool after_heading_ = false;
};

}  // namespace ratectl::cli
