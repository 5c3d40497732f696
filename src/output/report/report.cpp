// Fills the places that page.html leaves open.
#include "output/report/report.h"

#include <string>

#include "support/base64.h"

namespace ratectl::output {
namespace {

std::string policy_source(const EmbeddedText& source) {
    return "sha256-" + support::to_base64(support::from_hex(source.sha256).value_or(""));
}

/// JSON has these characters in its strings only, where their numbers say the same.
std::string without_markup(std::string_view json) {
    std::string text;
    text.reserve(json.size());
    for (const char c : json) {
        switch (c) {
            case '<': text += "\\u003c"; break;
            case '>': text += "\\u003e"; break;
            case '&': text += "\\u0026"; break;
            default: text += c;
        }
    }
    return text;
}

}  // namespace

void fill_page(ByteSink& out, std::string_view page, const std::function<std::string(std::string_view)>& other) {
    while (!page.empty()) {
        const std::size_t open = page.find('%');
        out.write(page.substr(0, open));
        if (open == std::string_view::npos) break;
        const std::size_t close = page.find('%', open + 1);
        const std::string_view place = page.substr(open + 1, close - open - 1);
        if (place == "STYLE")
            out.write(kPageCss.text);
        else if (place == "STYLE_HASH")
            out.write(policy_source(kPageCss));
        else
            out.write(other(place));
        page.remove_prefix(close + 1);
    }
    out.flush();
}

void write_report(ByteSink& out, std::string_view data) {
    fill_page(out, kPageHtml.text, [&](std::string_view place) -> std::string {
        if (place == "SCRIPT") return std::string(kPageJs.text);
        if (place == "SCRIPT_HASH") return policy_source(kPageJs);
        return without_markup(data);
    });
}

}  // namespace ratectl::output
