// Writes roff with the macros of man(7): .TH .SH .SS .PP .TP .EX .EE.
#include "cli/roff.h"

#include <fmt/core.h>

#include "cli/text_layout.h"

namespace ratectl::cli {
namespace {

constexpr std::size_t kLineWidth = 78;
constexpr std::string_view kDate = "2026-11-21";

/// A line of text must not begin like a request.
std::string guarded_lines(std::string_view text) {
    std::string out;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && (c == '.' || c == '\'')) out += "\\&";
        out += c;
        at_start = c == '\n';
    }
    return out;
}

}  // namespace

RoffPage::RoffPage(std::string_view title, int section) {
    out_ = fmt::format(
        ".\\\" Made from the program's own declarations: ratectl help --man\n.TH {} {} {} \"ratectl {}\" \"ratectl "
        "manual\"\n",
        upper(std::string(title)), section, kDate, RATECTL_VERSION);
}

std::string RoffPage::escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '~')
            out += "\\(ti";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '`')
            out += "\\(ga";
        else
            out += c;
    }
    return out;
}

std::string RoffPage::literal(std::string_view text) {
    std::string out;
    for (const char c : escaped(text)) {
        if (c == '-')
            out += "\\-";
        else if (c == '\'')
            out += "\\(aq";
        else
            out += c;
    }
    return out;
}

void RoffPage::section(std::string_view heading) {
    out_ += ".SH " + upper(escaped(heading)) + "\n";
    after_heading_ = true;
}

void RoffPage::subsection(std::string_view heading) {
    out_ += ".SS " + escaped(heading) + "\n";
    after_heading_ = true;
}

void RoffPage::filled_line(std::string_view line) {
    if (!after_heading_) out_ += ".PP\n";
    after_heading_ = false;
    out_ += guarded_lines(filled(escaped(line), kLineWidth));
}

void RoffPage::text(std::string_view text) {
    std::string as_is;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.starts_with("  ")) {
            as_is += std::string(line.substr(2)) + "\n";
            continue;
        }
        if (!as_is.empty()) verbatim(as_is);
        as_is.clear();
        if (!line.empty()) filled_line(line);
    }
    if (!as_is.empty()) verbatim(as_is);
}

void RoffPage::item(std::string_view bold, std::string_view italic, std::string_view text) {
    after_heading_ = false;
    out_ += ".TP\n";
    if (!bold.empty()) out_ += "\\fB" + literal(bold) + "\\fR";
    if (!bold.empty() && !italic.empty()) out_ += " ";
    if (!italic.empty()) out_ += "\\fI" + literal(italic) + "\\fR";
    out_ += "\n" + guarded_lines(filled(escaped(text), kLineWidth));
}

void RoffPage::verbatim(std::string_view lines) {
    if (!after_heading_) out_ += ".PP\n";
    after_heading_ = false;
    std::string body = guarded_lines(literal(lines));
    if (!body.ends_with('\n')) body += '\n';
    out_ += ".nf\n" + body + ".fi\n";
}

}  // namespace ratectl::cli
