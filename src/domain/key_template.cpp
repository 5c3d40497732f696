// Key templates: parsing, matching whole keys in linear time, building keys.
#include "domain/key_template.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ratectl::domain {

namespace {

using support::ExitCode;

tl::unexpected<support::Error> bad_template(std::string_view text, std::string_view why, std::string hint = {}) {
    return support::failure(ExitCode::configuration, fmt::format("key template '{}': {}", text, why), std::move(hint));
}

bool is_hole_name(std::string_view name) {
    if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
    return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

}  // namespace

support::Result<KeyTemplate> KeyTemplate::parse(std::string_view text) {
    constexpr std::string_view literal_brace = "a literal brace is written twice: {{ or }}";
    if (text.empty()) return bad_template(text, "it is empty");
    KeyTemplate result;
    result.text_ = std::string(text);
    std::string literal;
    const auto end_literal = [&] {
        if (!literal.empty()) result.parts_.push_back({false, std::exchange(literal, {})});
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{' && text[i] != '}') {
            literal += text[i];
            continue;
        }
        if (i + 1 < text.size() && text[i + 1] == text[i]) {
            literal += text[i++];
            continue;
        }
        if (text[i] == '}')
            return bad_template(text, "a closing brace without an opening one", std::string(literal_brace));
        const std::size_t end = text.find('}', i);
        if (end == std::string_view::npos)
            return bad_template(text, "a hole is not closed", std::string(literal_brace));
        const std::string name(text.substr(i + 1, end - i - 1));
        if (!is_hole_name(name)) {
            return bad_template(text, fmt::format("'{}' is not a hole's name", name),
                                "names are lower-case letters, digits and underscores, as in {client}");
        }
        const auto names = result.placeholders();
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            return bad_template(text, fmt::format("the hole '{}' occurs twice", name));
        }
        end_literal();
        result.parts_.push_back({true, name});
        i = end;
    }
    end_literal();
    if (const auto usable = check_glob(result.glob()); !usable) return bad_template(text, usable.error().message);
    return result;
}

/// Gives `take` the name and the bytes of each hole, in order, as long as the key matches.
template <class Take>
bool KeyTemplate::walk(std::string_view key, Take take) const {
    // The leftmost place for each literal leaves the most room for what follows, so it never has to be taken back; only the
    // last hole stretches, because the literal behind it must end the key.
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (!part.hole) {
            if (!key.substr(at).starts_with(part.text)) return false;
            at += part.text.size();
            continue;
        }
        const bool literal_follows = i + 1 < parts_.size() && !parts_[i + 1].hole;
        const std::string_view follows = literal_follows ? std::string_view(parts_[i + 1].text) : std::string_view{};
        const bool last = i + (literal_follows ? 2U : 1U) == parts_.size();
        if (at >= key.size()) return false;
        std::size_t end = 0;
        if (last) {
            end = key.substr(at + 1).ends_with(follows) ? key.size() - follows.size() : std::string_view::npos;
        } else {
            end = key.find(follows, at + 1);
        }
        if (end == std::string_view::npos) return false;
        take(part.text, key.substr(at, end - at));
        at = end;
    }
    return at == key.size();
}

std::optional<Captures> KeyTemplate::match(std::string_view key) const {
    Captures captures;
    const auto keep = [&captures](const std::string& name, std::string_view bytes) { captures.emplace(name, bytes); };
    return walk(key, keep) ? std::optional{std::move(captures)} : std::nullopt;
}

bool KeyTemplate::matches(std::string_view key, std::size_t hole, std::string_view& bytes) const {
    bytes = {};
    std::size_t number = 0;
    return walk(key, [&](const std::string&, std::string_view found) {
        if (number++ == hole) bytes = found;
    });
}

std::string_view KeyTemplate::beginning() const {
    return parts_.empty() || parts_.front().hole ? std::string_view{} : std::string_view(parts_.front().text);
}

support::Result<std::string> KeyTemplate::expand(const Captures& values) const {
    std::string key;
    for (const Part& part : parts_) {
        if (!part.hole) {
            key += part.text;
            continue;
        }
        const auto value = values.find(part.text);
        if (value == values.end() || value->second.empty()) {
            return support::failure(
                ExitCode::usage, fmt::format("key template '{}': nothing to put into its hole '{}'", text_, part.text));
        }
        key += value->second;
    }
    return key;
}

std::string KeyTemplate::glob() const {
    std::string glob;
    bool after_hole = false;
    for (const Part& part : parts_) {
        if (!part.hole) glob += escape_glob(part.text);
        if (part.hole && !after_hole) glob += '*';
        after_hole = part.hole;
    }
    return glob;
}

std::vector<std::string> KeyTemplate::placeholders() const {
    std::vector<std::string> names;
    for (const Part& part : parts_) {
        if (part.hole) names.push_back(part.text);
    }
    return names;
}

}  // namespace ratectl::domain
