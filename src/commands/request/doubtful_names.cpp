// Looks at names before they are asked for: a window that is not there looks like a client who may go on.
#include "commands/request/doubtful_names.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/quote.h"

namespace ratectl::commands {
namespace {

struct Doubt {
    std::string words;
    std::string hint;
};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool are_keys_of_policies(std::string_view text, const config::Settings& settings) {
    if (text.find(',') == std::string_view::npos) return false;
    for (std::size_t from = 0; from <= text.size();) {
        const auto end = std::min(text.find(',', from), text.size());
        if (!settings.policies.match(text.substr(from, end - from))) return false;
        from = end + 1;
    }
    return true;
}

Doubt doubt_about(std::string_view name, bool is_key, const config::Settings& settings) {
    const char first = name.front();
    const char last = name.back();
    if (auto unseen = unseen_end(name); !unseen.empty()) return {std::move(unseen), "remove it where it is not meant"};
    if (name.size() > 2 && first == last && (first == '"' || first == '\''))
        return {"stands in quotes, which are part of its name", "remove them where they are not meant"};
    if (is_key && are_keys_of_policies(name, settings))
        return {"is one name with commas in it", "several keys have blanks between them"};
    return {};
}

}  // namespace

std::string unseen_end(std::string_view name) {
    const auto words = [](bool at_end, std::string_view what) {
        return fmt::format("{} with {}, which is part of its name", at_end ? "ends" : "begins", what);
    };
    if (name.starts_with(' ') || name.ends_with(' ')) return words(name.ends_with(' '), "a blank");
    if (name.empty() || (!is_control(name.front()) && !is_control(name.back()))) return {};
    return words(is_control(name.back()), "a control character");
}

void say_doubtful_name(const Selection& selection, Context& context) {
    const auto say = [&](const std::vector<std::string>& names, bool is_key) {
        for (const auto& name : names) {
            if (name.empty()) continue;
            const auto doubt = doubt_about(name, is_key, context.settings());
            if (doubt.words.empty()) continue;
            // A client's id may be a secret; of keys, messages mask it.
            const auto who = is_key ? "key " + support::quoted(name) : std::string("a client that is named");
            context.messages().notice(who + " " + doubt.words, doubt.hint);
            return true;
        }
        return false;
    };
    if (!say(selection.keys, true)) say(selection.clients, false);
}

}  // namespace ratectl::commands
