// Key templates: parsing, matching whole keys in linear time, building keys.
#include "domain/key_template.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "support/ascii.h"
#include "support/digest.h"
#include "support/number_text.h"

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

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

bool is_hexadecimal(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The digests that a filter can name, and how many digits each has.
struct DigestName {
    std::string_view name;
    std::size_t digits;
    support::Digest (*make)(std::string_view bytes);
};
constexpr std::array<DigestName, 3> kDigests{
    {{"md5", 32, support::md5}, {"sha1", 40, support::sha1}, {"sha256", 64, support::sha256}}};
constexpr std::size_t kFewestDigits = 8;  // with fewer, strangers soon share a key
constexpr std::string_view kFilters =
    "filters are lower, md5, sha1 and sha256, as in {client|sha256} or {client|sha256:16}";

}  // namespace

support::Result<KeyTemplate> KeyTemplate::parse(std::string_view text) {
    constexpr std::string_view literal_brace = "a literal brace is written twice: {{ or }}";
    if (text.empty()) return bad_template(text, "it is empty");
    KeyTemplate result;
    result.text_ = std::string(text);
    std::string literal;
    const auto end_literal = [&] {
        if (literal.empty()) return;
        Part& part = result.parts_.emplace_back();
        part.text = std::exchange(literal, {});
        part.size = part.text.size();
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
        auto hole = parse_hole(text, text.substr(i + 1, end - i - 1));
        if (!hole) return tl::make_unexpected(hole.error());
        const auto names = result.placeholders();
        if (std::find(names.begin(), names.end(), hole->text) != names.end()) {
            return bad_template(text, fmt::format("the hole '{}' occurs twice", hole->text));
        }
        end_literal();
        if (!result.parts_.empty() && result.parts_.back().number && hole->stretches()) {
            return bad_template(text, fmt::format("nothing stands between {{bucket}} and {{{}}}", hole->text),
                                "where the number ends would be unknown; for example {bucket}:{client}");
        }
        result.parts_.push_back(*std::move(hole));
        i = end;
    }
    end_literal();
    if (const auto usable = check_glob(result.glob()); !usable) return bad_template(text, usable.error().message);
    return result;
}

support::Result<KeyTemplate::Part> KeyTemplate::parse_hole(std::string_view text, std::string_view inside) {
    const auto next = [&inside] {
        const std::string_view word = inside.substr(0, inside.find('|'));
        inside.remove_prefix(std::min(word.size() + 1, inside.size()));
        return word;
    };
    const bool ends_in_bar = inside.ends_with('|');
    Part part;
    part.hole = true;
    part.text = next();
    part.number = part.text == kBucketHole;
    if (!is_hole_name(part.text)) {
        return bad_template(text, fmt::format("'{}' is not a hole's name", part.text),
                            "names are lower-case letters, digits and underscores, as in {client}");
    }
    if (part.number && (ends_in_bar || !inside.empty()))
        return bad_template(text, "the number in {bucket} goes through no filter", "write {bucket} alone");
    if (ends_in_bar)
        return bad_template(text, fmt::format("a filter is missing in '{}'", part.text), std::string(kFilters));
    while (!inside.empty()) {
        const std::string_view filter = next();
        if (part.digest != nullptr)
            return bad_template(text, fmt::format("'{}' behind a digest", filter), "the digest comes last");
        if (filter == "lower") {
            part.lower = true;
            continue;
        }
        const std::string_view name = filter.substr(0, filter.find(':'));
        const auto found =
            std::find_if(kDigests.begin(), kDigests.end(), [name](const DigestName& d) { return d.name == name; });
        if (found == kDigests.end())
            return bad_template(text, fmt::format("'{}' is not a filter", filter), std::string(kFilters));
        part.digest = found->make;
        part.size = found->digits;
        if (name.size() == filter.size()) continue;
        const auto digits = support::parse_unsigned(filter.substr(name.size() + 1), found->digits);
        if (!digits || *digits < kFewestDigits) {
            return bad_template(text, fmt::format("'{}' has from {} to {} digits", name, kFewestDigits, found->digits),
                                std::string(kFilters));
        }
        part.size = static_cast<std::size_t>(*digits);
    }
    return part;
}

bool KeyTemplate::Part::takes(std::string_view bytes) const {
    if (!hole) return bytes == text;
    return digest != nullptr ? is_hexadecimal(bytes) : support::is_fingerprint(bytes);
}

std::pair<std::size_t, std::size_t> KeyTemplate::rigid(std::size_t first) const {
    std::size_t bytes = 0;
    for (; first < parts_.size() && !parts_[first].stretches(); ++first) bytes += parts_[first].size;
    return {first, bytes};
}

/// Whether the key begins with the rigid parts from first up to last.
bool KeyTemplate::stands_at(std::string_view key, std::size_t first, std::size_t last) const {
    for (; first < last; ++first) {
        const Part& part = parts_[first];
        const std::string_view there = key.substr(0, part.size);
        if (there.size() < part.size || !part.takes(there)) return false;
        key.remove_prefix(part.size);
    }
    return true;
}

/// Whether the key begins with the digits of this part, if it is a number, and what is rigid behind it: a client may
/// have in its name what stands in front.
bool KeyTemplate::number_stands_at(std::string_view key, std::size_t part) const {
    if (part >= parts_.size() || !parts_[part].number) return true;
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(key, is_digit) - key.begin());
    return digits > 0 && stands_at(key.substr(digits), part + 1, rigid(part + 1).first);
}

/// The first place from `from` on where they stand; npos: none.
std::size_t KeyTemplate::find_rigid(std::string_view key, std::size_t from, std::size_t first, std::size_t last) const {
    const bool literal = first < last && !parts_[first].hole;
    const std::string_view begins = literal ? std::string_view(parts_[first].text) : std::string_view{};
    const auto bytes = rigid(first).second;
    for (std::size_t at = key.find(begins, from); at != std::string_view::npos; at = key.find(begins, at + 1))
        if (stands_at(key.substr(at), first, last) && number_stands_at(key.substr(at + bytes), last)) return at;
    return std::string_view::npos;
}

/// The place of the rigid parts in front of a number with which the key ends, but for what is rigid behind it; npos:
/// there is no such number. Clients may have in their names what stands there.
std::size_t KeyTemplate::find_before_number(std::string_view key, std::size_t from, std::size_t first,
                                            std::size_t last) const {
    const auto [end, behind] = rigid(last + 1);
    if (key.size() < behind) return std::string_view::npos;
    auto number = key.size() - behind;
    while (number > from && is_digit(key[number - 1])) --number;
    const auto before = rigid(first).second;
    if (number == key.size() - behind || number < from + before) return std::string_view::npos;
    return stands_at(key.substr(number - before), first, last) ? number - before : std::string_view::npos;
}

/// Gives `take` the name and the bytes of each hole, in order, as long as the key matches.
template <class Take>
bool KeyTemplate::walk(std::string_view key, Take take) const {
    // What stands between two holes that stretch has a fixed length: the leftmost place for it leaves the most room for
    // what follows, so it never has to be taken back. Only the last hole that stretches is as long as possible, because
    // what is behind it must end the key.
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts_.size();) {
        const Part& part = parts_[i];
        const std::size_t first = part.stretches() ? i + 1 : i;
        const auto [last, bytes] = rigid(first);
        std::size_t begin = at;  // of the rigid parts
        if (part.stretches()) {
            if (at >= key.size()) return false;
            if (last == parts_.size()) {
                begin = key.size() >= at + 1 + bytes ? key.size() - bytes : std::string_view::npos;
            } else if (parts_[last].number && rigid(last + 1).first == parts_.size()) {
                begin = find_before_number(key, at + 1, first, last);
            } else {
                begin = find_rigid(key, at + 1, first, last);
            }
            if (begin == std::string_view::npos) return false;
            if (part.number && !std::ranges::all_of(key.substr(at, begin - at), is_digit)) return false;
            take(part.text, key.substr(at, begin - at));
        }
        if (!stands_at(key.substr(begin), first, last)) return false;
        for (std::size_t j = first, there = begin; j < last; ++j) {
            if (parts_[j].hole) take(parts_[j].text, key.substr(there, parts_[j].size));
            there += parts_[j].size;
        }
        at = begin + bytes;
        i = last;
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
    // A text and one hole, as most templates are: a sweep asks it of every key, more than once.
    if (parts_.size() == 2 && !parts_[0].hole && parts_[1].stretches() && !parts_[1].number) {
        const auto& text = parts_[0].text;
        if (key.size() <= text.size() || !key.starts_with(text)) return false;
        if (hole == 0) bytes = key.substr(text.size());
        return true;
    }
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
        key += filtered(part, value->second);
    }
    return key;
}

std::string KeyTemplate::assemble(const Captures& held) const {
    std::string key;
    for (const Part& part : parts_) {
        if (!part.hole) {
            key += part.text;
        } else if (const auto bytes = held.find(part.text); bytes != held.end()) {
            key += bytes->second;
        }
    }
    return key;
}

KeyTemplate KeyTemplate::with_fingerprint_in(std::string_view hole) const {
    KeyTemplate result = *this;
    for (Part& part : result.parts_) {
        if (!part.hole || part.text != hole) continue;
        part.digest = nullptr;
        part.size = support::kFingerprintSize;
    }
    return result;
}

std::string KeyTemplate::filtered(const Part& part, std::string_view value) {
    const std::string bytes = part.lower ? support::lower(std::string(value)) : std::string(value);
    return part.digest == nullptr ? bytes : support::to_hex(part.digest(bytes)).substr(0, part.size);
}

const KeyTemplate::Part* KeyTemplate::find(std::string_view hole) const {
    const auto found =
        std::find_if(parts_.begin(), parts_.end(), [hole](const Part& p) { return p.hole && p.text == hole; });
    return found == parts_.end() ? nullptr : &*found;
}

std::string KeyTemplate::filtered(std::string_view hole, std::string_view value) const {
    const Part* part = find(hole);
    return part == nullptr ? std::string(value) : filtered(*part, value);
}

bool KeyTemplate::holds_as_given(std::string_view hole) const {
    const Part* part = find(hole);
    return part != nullptr && part->digest == nullptr && !part->lower;
}

bool KeyTemplate::holds_digest(std::string_view hole) const {
    const Part* part = find(hole);
    return part != nullptr && part->digest != nullptr;
}

std::string KeyTemplate::glob(const Captures& known) const {
    std::string glob;
    bool after_star = false;
    for (const Part& part : parts_) {
        const auto value = part.hole ? known.find(part.text) : known.end();
        const bool star = part.hole && value == known.end();
        if (star && !after_star) glob += '*';
        if (!star) glob += escape_glob(part.hole ? filtered(part, value->second) : part.text);
        after_star = star;
    }
    return glob;
}

bool KeyTemplate::Token::takes(char c) const {
    switch (kind) {
        case Kind::byte: return c == byte;
        case Kind::any: return true;
        case Kind::digit: return is_digit(c);
        case Kind::hexadecimal: return is_hexadecimal({&c, 1});
    }
    return false;
}

std::vector<KeyTemplate::Token> KeyTemplate::tokens() const {
    using Kind = Token::Kind;
    std::vector<Token> tokens;
    for (const Part& part : parts_) {
        if (!part.hole) {
            for (const char c : part.text) tokens.push_back({Kind::byte, c});
            continue;
        }
        const auto kind = part.number ? Kind::digit : part.digest != nullptr ? Kind::hexadecimal : Kind::any;
        tokens.insert(tokens.end(), part.stretches() ? 1 : part.size, {kind});
        if (part.stretches()) tokens.push_back({kind, 0, true});
    }
    return tokens;
}

std::vector<std::string> KeyTemplate::placeholders() const {
    std::vector<std::string> names;
    for (const Part& part : parts_) {
        if (part.hole) names.push_back(part.text);
    }
    return names;
}

}  // namespace ratectl::domain
