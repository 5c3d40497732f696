// A key with named holes, such as `core:{client}`: matches whole keys, builds keys, and yields the SCAN pattern of all
// of them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/digest.h"
#include "support/error.h"

namespace ratectl::domain {

/// The hole that says which of a client's windows a key is of, for limiters that number them: decimal digits.
inline constexpr std::string_view kBucketHole = "bucket";

/// Placeholder name -> bytes.
using Captures = std::map<std::string, std::string, std::less<>>;

/// `{name}` is a hole of one or more bytes, `{{` and `}}` are literal braces. Names: [a-z][a-z0-9_]*, each at most
/// once. `{bucket}` is one of digits alone. `{name|filter}` puts the value through filters on its way into the key,
/// from left to right: `lower` (ASCII letters), `md5`, `sha1`, `sha256` (lower-case hexadecimal; `sha256:16`: the first
/// 16 digits), the digest last. A hole with a digest holds just so many digits, and whose it is cannot be told.
class KeyTemplate {
public:
    static support::Result<KeyTemplate> parse(std::string_view text);

    /// What the holes hold if the whole key matches; earlier holes are as short as possible (and backtrack).
    std::optional<Captures> match(std::string_view key) const;
    /// Whether the whole key matches; then `bytes` is what its hole number `hole` (of placeholders()) has in the key,
    /// empty for kNoHole.
    bool matches(std::string_view key, std::size_t hole, std::string_view& bytes) const;
    static constexpr std::size_t kNoHole = static_cast<std::size_t>(-1);
    /// The bytes with which every matching key begins.
    std::string_view beginning() const;
    /// The key; a hole without a value, or with an empty one, is an error (usage).
    support::Result<std::string> expand(const Captures& values) const;
    /// The key whose holes hold these very bytes, as match() gives them; holes without any stay empty.
    std::string assemble(const Captures& held) const;
    /// The template of this one's keys with a fingerprint in that hole, whatever else it takes.
    KeyTemplate with_fingerprint_in(std::string_view hole) const;
    /// What the hole holds in the key of this value.
    std::string filtered(std::string_view hole, std::string_view value) const;
    bool holds(std::string_view hole) const { return find(hole) != nullptr; }
    /// Whether the hole holds the value as it is, and no digest of it, nor its letters in another case.
    bool holds_as_given(std::string_view hole) const;
    /// Whether the hole holds a digest instead of the value.
    bool holds_digest(std::string_view hole) const;
    /// A glob for SCAN MATCH that every matching key matches: literals escaped, each hole a `*`, or what it holds for a
    /// value of `known`.
    std::string glob(const Captures& known = {}) const;
    const std::string& text() const { return text_; }
    std::vector<std::string> placeholders() const;
    /// What the bytes of its keys can be, from the first to the last.
    struct Token {
        enum class Kind { byte, any, digit, hexadecimal } kind = Kind::byte;
        char byte = 0;
        bool repeats = false;  // so many of them as there are, or none

        bool takes(char c) const;
    };
    std::vector<Token> tokens() const;

private:
    struct Part {
        bool hole = false;
        std::string text;     // the literal bytes, or the hole's name
        bool lower = false;   // the filters of a hole
        bool number = false;  // of digits alone
        support::Digest (*digest)(std::string_view) = nullptr;
        std::size_t size = 0;  // bytes in the key; 0: as many as there are

        bool stretches() const { return hole && size == 0; }
        /// Whether they are what a part of this size can be.
        bool takes(std::string_view bytes) const;
    };
    static support::Result<Part> parse_hole(std::string_view text, std::string_view inside);
    static std::string filtered(const Part& part, std::string_view value);
    const Part* find(std::string_view hole) const;
    /// The bytes of a run of literals and digests from part `first` on, up to the next hole that stretches: how many
    /// parts and bytes.
    std::pair<std::size_t, std::size_t> rigid(std::size_t first) const;
    bool stands_at(std::string_view key, std::size_t first, std::size_t last) const;
    bool number_stands_at(std::string_view key, std::size_t part) const;
    std::size_t find_rigid(std::string_view key, std::size_t from, std::size_t first, std::size_t last) const;
    std::size_t find_before_number(std::string_view key, std::size_t from, std::size_t first, std::size_t last) const;
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
