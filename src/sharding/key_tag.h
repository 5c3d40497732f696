// Key tags: the part of a key that is hashed, by the rules of the libraries that have such a thing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace ratectl::sharding {

/// How the tag in a key is found; where there is none, the whole key is hashed.
struct KeyTag {
    enum class Rule {
        none,
        redis,  // first `{`, first `}` after it, not empty: Redis Cluster and most clients; twemproxy with its own two
                // characters
        codis,  // the same, but an empty tag counts (and is hashed as the empty string)
        phpredis,  // as codis, but a NUL byte ends the search
        ruby,      // /^\{(.+?)\}/ : at the beginning of the key or of a line in it
        ruby_any,  // /\{(.+?)\}/ : redis-rb with `tag:` set to that
        jedis,     // \{(.+?)\} with Java's idea of a line's end
        greedy,    // Python's .*\{(.*)\}.* on the first line: the last pair, empty allowed
        npm,       // as redis, but after `{}` it goes on looking for a `}`
        salimane,  // rediscluster-py: all between the first `{` and the last byte, whatever that is
    };
    Rule rule = Rule::none;
    char open = '{';  // redis only
    char close = '}';

    bool operator==(const KeyTag&) const = default;
};

/// Two characters (`{}`, `$$`) as twemproxy's hash_tag, or the name of a rule. Errors: configuration.
support::Result<KeyTag> parse_key_tag(std::string_view text);
std::string describe(const KeyTag& tag);
/// The names that parse_key_tag() knows.
std::vector<std::string> key_tag_names();

/// The tag within the key; null: hash the whole key.
std::optional<std::string_view> find_tag(const KeyTag& tag, std::string_view key);

}  // namespace ratectl::sharding
