// A look at a key as rules read it, and what a rule answers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "domain/identify/holding.h"
#include "domain/identify/origin.h"

namespace ratectl::domain::identify {

/// What every rule asks of a look, worked out once. A view.
struct Evidence {
    explicit Evidence(const Holding& holding);

    const Holding& held;
    const HeldKey& key;
    std::string_view name;
    std::string_view value;
    std::optional<std::int64_t> number;  // the value, where it is an integer
    std::int64_t now_ms = 0;
    std::int64_t now = 0;                    // in whole seconds
    std::optional<std::int64_t> expires_ms;  // on the server's clock; null: never

    bool is(HeldKey::Type type) const { return key.type == type; }
    /// A string that holds an integer.
    bool counts() const { return number.has_value(); }
    bool expires() const { return expires_ms.has_value(); }
    /// The second in which it expires.
    std::int64_t expires_s() const { return *expires_ms / 1000; }
    /// The key called base + suffix, where it is there and is not this one.
    const HeldKey* beside(std::string_view base, std::string_view suffix) const;
    std::optional<std::int64_t> life_end_of(const HeldKey& other) const;
    /// The field of a hash; null: it has none.
    const std::string* field(std::string_view name) const;
    /// The same as a number.
    std::optional<double> number_in(std::string_view field) const;
    std::span<const std::pair<std::string, std::string>> elements() const { return key.elements; }
};

using Answer = std::optional<Origin>;
/// Whether this limiter wrote it; null: it did not, or nothing says so.
using Recognise = Answer (*)(const Evidence&);

/// One row a limiter.
struct Rule {
    std::string_view system;
    Recognise recognise;
};

std::span<const Rule> pair_rules();        // windows and buckets of two keys
std::span<const Rule> bucket_rules();      // the number of a bucket of time in the name
std::span<const Rule> counter_rules();     // one integer with a time to live
std::span<const Rule> collection_rules();  // lists, sorted sets and hashes
std::span<const Rule> moment_rules();      // the moment at which a client is free again
std::span<const Rule> object_rules();      // objects of a program

// ---- words
/// `1 request counted`, `-3 requests counted`
std::string counted(std::int64_t used);
/// `2026-01-01T00:00:00Z (in 12m31s)`, `... (3s ago)`
std::string moment(std::int64_t at, std::int64_t now);
/// `12.5`, `78`
std::string plain(double number);
/// An answer about a window that ends at this second: `used` counted, and until when.
Origin window_until(const Evidence& e, Sureness sureness, std::optional<std::int64_t> used, std::int64_t last,
                    std::string_view kind);
/// The same about a counter that ends when its key does, or never.
Origin counter_until_expiry(const Evidence& e, Sureness sureness);

}  // namespace ratectl::domain::identify
