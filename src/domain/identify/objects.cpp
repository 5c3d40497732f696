// Limiters that store an object of their program, and those whose key holds nothing that can be counted.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "domain/identify/evidence.h"
#include "domain/identify/shape.h"
#include "domain/operation.h"

namespace ratectl::domain::identify {
namespace {

using Type = HeldKey::Type;

/// Our own records: what a write has done, for a while.
Answer ratectl(const Evidence& e) {
    if (!is_reserved_key(e.name)) return std::nullopt;
    Origin origin;
    origin.sureness = Sureness::certain;
    origin.means = "ratectl's own record of a write; `ratectl history --on-servers` reads it";
    return origin;
}

/// PHP names the class of an object, whichever way it is written.
Answer symfony(const Evidence& e) {
    if (!e.is(Type::string) || e.value.find("Symfony\\Component\\RateLimiter\\") == std::string_view::npos)
        return std::nullopt;
    Origin origin;
    origin.sureness = Sureness::certain;
    const auto has = [&e](std::string_view name) { return e.value.find(name) != std::string_view::npos; };
    origin.means = has("SlidingWindow") ? "a sliding window"
                   : has("TokenBucket") ? "a bucket of tokens"
                   : has("Window")      ? "a fixed window"
                                        : "a limiter's state";
    origin.means += ", as an object of PHP";
    return origin;
}

// ---- bucket4j: big-endian, and nothing in it that could stand elsewhere

class Bytes {
public:
    explicit Bytes(std::string_view bytes) : rest_(bytes) {}

    /// The next so many bytes as a number; 0 behind the end, where ok() is false.
    std::int64_t next(std::size_t size) {
        if (rest_.size() < size) {
            ok_ = false;
            return 0;
        }
        std::uint64_t number = 0;
        for (const char c : rest_.substr(0, size)) number = number << 8U | static_cast<unsigned char>(c);
        rest_.remove_prefix(size);
        return static_cast<std::int64_t>(number);
    }
    void skip(std::size_t size) {
        if (rest_.size() < size) ok_ = false;
        rest_.remove_prefix(std::min(size, rest_.size()));
    }
    bool expect(std::size_t size, std::int64_t number) { return next(size) == number && ok_; }
    bool ok() const { return ok_; }

private:
    std::string_view rest_;
    bool ok_ = true;
};

struct Bandwidth {
    std::int64_t capacity = 0;
    std::int64_t period_ns = 0;
    std::int64_t refill = 0;
};

std::optional<Bandwidth> next_bandwidth(Bytes& bytes) {
    Bandwidth bandwidth;
    if (!bytes.expect(4, 1)) return std::nullopt;
    bandwidth.capacity = bytes.next(8);
    bytes.skip(8);  // how many there are at first
    bandwidth.period_ns = bytes.next(8);
    bandwidth.refill = bytes.next(8);
    bytes.skip(1 + 8 + 1);  // how it is filled, when first
    if (bytes.next(1) != 0) bytes.skip(static_cast<std::size_t>(bytes.next(2)));
    if (!bytes.ok() || bandwidth.capacity < 1 || bandwidth.period_ns < 1 || bandwidth.refill < 1) return std::nullopt;
    return bandwidth;
}

Answer bucket4j(const Evidence& e) {
    constexpr std::int64_t most = 5;  // bandwidths that fit into what is read
    if (!e.is(Type::string)) return std::nullopt;
    Bytes bytes(e.value);
    const auto format = bytes.next(4);
    if ((format != 1 && format != 2) || !bytes.expect(4, 1)) return std::nullopt;
    const auto count = bytes.next(4);
    if (count < 1 || count > most) return std::nullopt;
    std::optional<Bandwidth> first;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto bandwidth = next_bandwidth(bytes);
        if (!bandwidth) return std::nullopt;
        if (!first) first = bandwidth;
    }
    constexpr std::int64_t state_of_longs = 3;
    if (!bytes.expect(4, state_of_longs) || !bytes.expect(4, 1) || !bytes.expect(4, 3 * count)) return std::nullopt;
    bytes.skip(8);  // when it was filled last
    const auto tokens = bytes.next(8);
    if (!bytes.ok()) return std::nullopt;
    Origin origin;
    origin.sureness = Sureness::certain;
    origin.means = fmt::format("{} of {} tokens were left; {} more every {} ms", tokens, first->capacity, first->refill,
                               first->period_ns / 1'000'000);
    return origin;
}

/// One of n places, taken by a random word of 20 letters and digits; Laravel's prefix, as it comes, ends so.
Answer laravel_funnel(const Evidence& e) {
    constexpr std::size_t letters = 20;
    const auto is_letter = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (!e.is(Type::string) || !e.expires() || e.value.size() != letters || e.name.empty()) return std::nullopt;
    if (!std::ranges::all_of(e.value, is_letter) || !is_digits(e.name.substr(e.name.size() - 1))) return std::nullopt;
    if (e.name.find("_database_") == std::string_view::npos) return std::nullopt;
    Origin origin;
    origin.sureness = Sureness::unsure;  // as a token of a session may look
    origin.means = fmt::format("a place that is taken, at the latest until {}", moment(e.expires_s(), e.now));
    return origin;
}

constexpr std::array kObjectRules{
    Rule{"ratectl", ratectl},
    Rule{"symfony", symfony},
    Rule{"bucket4j", bucket4j},
    Rule{"laravel-funnel", laravel_funnel},
};

}  // namespace

std::span<const Rule> object_rules() { return kObjectRules; }

}  // namespace ratectl::domain::identify
