// Keys as they can be pasted into a shell.
#include "commands/explain/wording.h"

#include "output/printable.h"
#include "support/shell_word.h"

namespace ratectl::commands::explain {
namespace {

constexpr std::string_view kBare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-";

}  // namespace

std::string capitalised(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string as_argument(std::string_view key) {
    const std::string_view dashes = key.starts_with('-') ? "-- " : "";
    if (!output::is_plain(key))
        return std::string("--key-format escaped ").append(dashes) + support::shell_quoted(output::printable(key));
    const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
    return std::string(dashes) + (bare ? std::string(key) : support::shell_quoted(key));
}

}  // namespace ratectl::commands::explain
