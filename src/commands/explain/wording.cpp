// Keys and commands stay whole: they are there to be copied.
#include "commands/explain/wording.h"

#include "output/printable.h"

namespace ratectl::commands::explain {
namespace {

constexpr std::string_view kBare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-";

std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

/// The length of the piece at `begin` that may not be broken.
std::size_t piece_length(std::string_view text, std::size_t begin) {
    bool in_command = false;
    std::size_t end = begin;
    for (; end < text.size() && (in_command || text[end] != ' '); ++end) {
        if (text[end] == '`') in_command = !in_command && text.find('`', end + 1) != std::string_view::npos;
    }
    return end - begin;
}

}  // namespace

std::string capitalised(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string as_argument(std::string_view key) {
    const std::string_view dashes = key.starts_with('-') ? "-- " : "";
    if (!output::is_plain(key))
        return std::string("--key-format escaped ").append(dashes) + quoted(output::printable(key));
    const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
    return std::string(dashes) + (bare ? std::string(key) : quoted(key));
}

std::string wrapped(std::string_view text, std::size_t width) {
    if (width == 0) return std::string(text) + "\n";
    std::string out;
    std::size_t used = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto piece = text.substr(at, piece_length(text, at));
        const auto wide = output::display_width(piece);
        if (used > 0 && used + 1 + wide > width) {
            out += '\n';
            used = 0;
        }
        if (used > 0) {
            out += ' ';
            ++used;
        }
        out += piece;
        used += wide;
        at += piece.size();
        while (at < text.size() && text[at] == ' ') ++at;
    }
    return out + "\n";
}

}  // namespace ratectl::commands::explain
