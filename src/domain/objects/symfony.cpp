// Reads objects of PHP as far as Symfony's limiters are made of them: their entries have numbers and texts alone.
#include "domain/objects/stored_objects.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/number_text.h"

namespace ratectl::domain::objects {
namespace {

using support::parse_decimal;
using Kind = SymfonyState::Kind;

struct Value {
    std::optional<std::int64_t> integer;
    std::optional<double> real;
    std::string_view bytes;  // of a text
};

using Entries = std::vector<std::pair<Value, Value>>;

/// As serialize() writes them: `i:10;`, `d:1.5;`, `s:2:"ab";`, and an object as `O:1:"A":2:{...}`.
class PlainReader {
public:
    explicit PlainReader(std::string_view text) : rest_(text) {}

    /// How many entries an object of that class has; null: there is none.
    std::optional<std::int64_t> object(std::string_view name) {
        if (!skip("O:") || quoted() != name || !skip(":")) return std::nullopt;
        const auto count = parse_decimal(until(':').value_or(""));
        return count && skip("{") ? count : std::nullopt;
    }
    std::optional<Value> value() {
        const auto type = until(':').value_or("");
        if (type == "s") {
            const auto bytes = quoted();
            return bytes && skip(";") ? std::optional{Value{{}, {}, *bytes}} : std::nullopt;
        }
        const auto digits = until(';').value_or("");
        const auto integer = type == "i" ? parse_decimal(digits) : std::nullopt;
        if (integer) return Value{integer, {}, {}};
        double real = 0;
        const auto* end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, real);
        const bool whole = type == "d" && read.ec == std::errc() && read.ptr == end;
        return whole ? std::optional{Value{{}, real, {}}} : std::nullopt;
    }
    bool ends() { return rest_ == "}"; }

private:
    /// What stands before the mark, which is behind it then; null: it does not come.
    std::optional<std::string_view> until(char mark) {
        const auto at = rest_.find(mark);
        if (at == std::string_view::npos) return std::nullopt;
        const auto text = rest_.substr(0, at);
        rest_.remove_prefix(at + 1);
        return text;
    }
    bool skip(std::string_view text) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }
    /// The length, and that many bytes in quotes.
    std::optional<std::string_view> quoted() {
        const auto length = parse_decimal(until(':').value_or(""));
        if (!length || *length < 0 || !skip("\"") || static_cast<std::size_t>(*length) > rest_.size())
            return std::nullopt;
        const auto bytes = rest_.substr(0, static_cast<std::size_t>(*length));
        rest_.remove_prefix(bytes.size());
        return skip("\"") ? std::optional{bytes} : std::nullopt;
    }

    std::string_view rest_;
};

/// As igbinary 2 does, big-endian: a byte for the type, and a length or a number of 1 to 8 bytes.
class IgbinaryReader {
public:
    explicit IgbinaryReader(std::string_view bytes) : rest_(bytes) {}

    std::optional<std::int64_t> object(std::string_view name) {
        using namespace std::string_view_literals;
        constexpr unsigned object = 0x17;  // its name has a length of one byte, as the number of its entries has
        constexpr unsigned entries = 0x14;
        if (take(4) != "\0\0\0\2"sv || number(1) != object || take(number(1)) != name || number(1) != entries)
            return std::nullopt;
        return static_cast<std::int64_t>(number(1));
    }
    std::optional<Value> value() {
        const auto type = number(1);
        if (!ok_) return std::nullopt;
        switch (type) {
            case 0x06:
            case 0x08:
            case 0x0a:
            case 0x20: return integer(type == 0x20 ? 8 : 1U << (type - 0x06) / 2, 1);
            case 0x07:
            case 0x09:
            case 0x0b:
            case 0x21: return integer(type == 0x21 ? 8 : 1U << (type - 0x07) / 2, -1);
            case 0x0c: return fitting(Value{{}, std::bit_cast<double>(number(8)), {}});
            case 0x11: return text(1);
            case 0x12: return text(2);
            default: return std::nullopt;
        }
    }
    bool ends() { return rest_.empty(); }

private:
    std::string_view take(std::uint64_t size) {
        ok_ = ok_ && rest_.size() >= size;
        const auto bytes = rest_.substr(0, ok_ ? static_cast<std::size_t>(size) : 0);
        rest_.remove_prefix(bytes.size());
        return bytes;
    }
    std::uint64_t number(std::uint64_t size) {
        std::uint64_t all = 0;
        for (const char c : take(size)) all = all << 8U | static_cast<unsigned char>(c);
        return all;
    }
    std::optional<Value> integer(std::uint64_t size, std::int64_t sign) {
        const auto all = number(size);
        if (all > static_cast<std::uint64_t>(support::kMaxExactInteger)) return std::nullopt;
        return fitting(Value{sign * static_cast<std::int64_t>(all), {}, {}});
    }
    std::optional<Value> text(std::uint64_t size) { return fitting(Value{{}, {}, take(number(size))}); }
    std::optional<Value> fitting(Value value) const { return ok_ ? std::optional{value} : std::nullopt; }

    std::string_view rest_;
    bool ok_ = true;
};

/// Of an object of that class, one or two.
template <class Reader>
std::optional<Entries> entries_of(Reader reader, std::string_view name) {
    const auto count = reader.object(name);
    if (!count || *count < 1 || *count > 2) return std::nullopt;
    Entries entries;
    for (std::int64_t i = 0; i < *count; ++i) {
        const auto key = reader.value();
        const auto value = key ? reader.value() : std::nullopt;
        if (!value) return std::nullopt;
        entries.emplace_back(*key, *value);
    }
    return reader.ends() ? std::optional{std::move(entries)} : std::nullopt;
}

/// The n-th number of four bytes in front, big-endian.
std::int64_t packed(std::string_view bytes, std::size_t n) {
    std::int64_t number = 0;
    for (const char c : bytes.substr(4 * n, 4)) number = number << 8 | static_cast<unsigned char>(c);
    return number;
}

std::optional<std::int64_t> integer_in(const Value& value) {
    const bool exact = value.integer && std::abs(*value.integer) <= support::kMaxExactInteger;
    return exact ? value.integer : std::nullopt;
}

/// Seconds that 64 bits of nanoseconds hold.
std::optional<double> moment_in(const Value& value) {
    const auto seconds = value.integer ? static_cast<double>(*value.integer) : value.real.value_or(-1);
    return seconds >= 0 && seconds <= 9e9 ? std::optional{seconds} : std::nullopt;
}

/// `P0Y0M0DT00H1M0S-3`, each part as it is in the calendar, where a month has 30 days, and what comes back.
bool take_rate(std::string_view text, SymfonyState& state) {
    constexpr std::int64_t day = 86'400;
    constexpr std::int64_t most = 10'000;
    constexpr std::array<std::pair<char, std::int64_t>, 6> parts{
        {{'Y', 365 * day}, {'M', 30 * day}, {'D', day}, {'H', 3600}, {'M', 60}, {'S', 1}}};
    if (!text.starts_with('P')) return false;
    text.remove_prefix(1);
    for (const auto& [mark, seconds] : parts) {
        if (mark == 'H' && text.starts_with('T')) text.remove_prefix(1);
        const auto at = text.find(mark);
        if (at == std::string_view::npos) return false;
        const auto digits = text.substr(0, at);
        const auto count = parse_decimal(digits.substr(digits.size() > 1 && digits.front() == '0' ? 1 : 0));
        if (!count || *count < 0 || *count > most) return false;
        state.period += support::Seconds(*count * seconds);
        text.remove_prefix(at + 1);
    }
    state.refill = text.starts_with('-') ? parse_decimal(text.substr(1)).value_or(0) : 0;
    return true;
}

std::optional<SymfonyState> fixed_window(const Entries& entries) {
    if (entries.size() != 2 || entries[1].first.bytes.size() != 8) return std::nullopt;
    const auto at = moment_in(entries[0].second);
    const auto size = integer_in(entries[1].second);
    if (!at || !size) return std::nullopt;
    const auto bytes = entries[1].first.bytes;
    return SymfonyState{
        .hits = packed(bytes, 0), .size = size, .period = support::Seconds(packed(bytes, 1)), .at = *at};
}

std::optional<SymfonyState> sliding_window(const Entries& entries) {
    if (entries.size() != 1 || entries[0].first.bytes.size() < 12) return std::nullopt;
    const auto at = moment_in(entries[0].second);
    if (!at) return std::nullopt;
    const auto bytes = entries[0].first.bytes;
    return SymfonyState{.kind = Kind::sliding_window,
                        .hits = packed(bytes, 0),
                        .hits_before = packed(bytes, 1),
                        .size = {},
                        .period = support::Seconds(packed(bytes, 2)),
                        .at = *at};
}

std::optional<SymfonyState> token_bucket(const Entries& entries) {
    if (entries.size() != 2 || entries[0].first.bytes.size() < 4) return std::nullopt;
    const auto tokens = integer_in(entries[0].second);
    const auto at = moment_in(entries[1].second);
    if (!tokens || !at) return std::nullopt;
    SymfonyState state{
        .kind = Kind::token_bucket, .tokens = *tokens, .size = packed(entries[0].first.bytes, 0), .at = *at};
    return take_rate(entries[1].first.bytes, state) && state.refill > 0 ? std::optional{state} : std::nullopt;
}

}  // namespace

std::optional<SymfonyState> symfony_in(std::string_view text) {
    using Read = std::optional<SymfonyState> (*)(const Entries&);
    constexpr std::array<std::pair<std::string_view, Read>, 3> classes{
        {{"Window", fixed_window}, {"SlidingWindow", sliding_window}, {"TokenBucket", token_bucket}}};
    for (const auto& [name, read] : classes) {
        const auto full = "Symfony\\Component\\RateLimiter\\Policy\\" + std::string(name);
        const auto entries =
            text.starts_with("O:") ? entries_of(PlainReader(text), full) : entries_of(IgbinaryReader(text), full);
        if (!entries) continue;
        const auto state = read(*entries);
        return state && state->period.count() > 0 ? state : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace ratectl::domain::objects
