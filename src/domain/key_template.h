// A key with named holes, such as `core:{client}`: matches whole keys, builds keys, and yields the SCAN pattern of all of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace ratectl::domain {

/// Placeholder name -> bytes.
using Captures = std::map<std::string, std::string, std::less<>>;

/// `{name}` is a hole of one or more bytes, `{{` and `}}` are literal braces. Names: [a-z][a-z0-9_]*, each at most once.
class KeyTemplate {
public:
    static support::Result<KeyTemplate> parse(std::string_view text);

    /// The captures if the whole key matches; earlier holes are as short as possible (and backtrack).
    std::optional<Captures> match(std::string_view key) const;
    /// Whether the whole key matches; then `bytes` is what its hole number `hole` (of placeholders()) has in the key, empty for kNoHole.
    bool matches(std::string_view key, std::size_t hole, std::string_view& bytes) const;
    static constexpr std::size_t kNoHole = static_cast<std::size_t>(-1);
    /// The bytes with which every matching key begins.
    std::string_view beginning() const;
    /// The key; a hole without a value, or with an empty one, is an error (usage).
    support::Result<std::string> expand(const Captures& values) const;
    /// A glob for SCAN MATCH that every matching key matches: literals escaped, each hole a `*`.
    std::string glob() const;
    const std::string& text() const { return text_; }
    std::vector<std::string> placeholders() const;

private:
    struct Part {
        bool hole = false;
        std::string text;  // the literal bytes, or the hole's name
    };
    template <class Take>
    bool walk(std::string_view key, Take take) const;

    std::string text_;
    std::vector<Part> parts_;
};

/// Escapes the bytes that mean something in a Redis glob: * ? [ ] ^ - and the backslash.
std::string escape_glob(std::string_view literal);
/// The bytes before the first wildcard of a glob, unescaped.
std::string literal_prefix(std::string_view glob);
bool has_wildcard(std::string_view glob);
/// Redis's own glob rules (stringmatchlen, case-sensitive). Patterns over 512 bytes or 16 stars never get here.
bool glob_matches(std::string_view glob, std::string_view text);
/// Refuses (usage) an empty pattern and one over 512 bytes or 16 stars.
support::Result<void> check_glob(std::string_view glob);

}  // namespace ratectl::domain
