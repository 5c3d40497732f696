// Packs numbers as distances, which wrap around: any two numbers have one, and no sum overflows.
#include "journal/packing.h"

#include <charconv>

namespace ratectl::journal {
namespace {

// What a stored value begins with; from kNumber on it is a number's distance.
constexpr std::uint64_t kNone = 0;
constexpr std::uint64_t kText = 1;
constexpr std::uint64_t kNumber = 2;
constexpr std::size_t kMostDigits = 16;

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ (value < 0 ? UINT64_MAX : 0);
}

std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1U) ^ ((value & 1U) != 0 ? UINT64_MAX : 0));
}

std::int64_t wrapped_difference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Only what comes back as the same bytes.
std::optional<std::int64_t> canonical_number(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
    if (digits.front() == '0' && text != "0") return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

void Packer::number(std::uint64_t value) {
    while (value >= 0x80U) {
        out_.push_back(static_cast<char>(value | 0x80U));
        value >>= 7U;
    }
    out_.push_back(static_cast<char>(value));
}

void Packer::bytes(std::string_view value) {
    number(value.size());
    out_.append(value);
}

void Packer::distance(std::int64_t value, std::int64_t& last) {
    number(zigzag(wrapped_difference(value, last)));
    last = value;
}

void Packer::maybe_distance(const std::optional<std::int64_t>& value, std::int64_t& last) {
    number(value ? 1 : 0);
    if (value) distance(*value, last);
}

void Packer::stored(const std::optional<std::string>& value, std::int64_t& last) {
    if (!value) return number(kNone);
    const auto as_number = canonical_number(*value);
    if (as_number) {
        number(kNumber + zigzag(wrapped_difference(*as_number, last)));
        last = *as_number;
    } else {
        number(kText);
        bytes(*value);
    }
}

std::uint64_t Unpacker::number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (in_.empty()) throw Damaged{};
        const auto byte = static_cast<unsigned char>(in_.front());
        in_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
        if ((byte & 0x80U) == 0) return value;
    }
    throw Damaged{};
}

std::string_view Unpacker::bytes() {
    const auto size = number();
    if (size > in_.size()) throw Damaged{};
    const auto value = in_.substr(0, size);
    in_.remove_prefix(size);
    return value;
}

std::int64_t Unpacker::distance(std::int64_t& last) { return last = wrapped_sum(last, unzigzag(number())); }

std::optional<std::int64_t> Unpacker::maybe_distance(std::int64_t& last) {
    const auto there = number();
    if (there > 1) throw Damaged{};
    return there == 0 ? std::nullopt : std::optional{distance(last)};
}

void Unpacker::stored(std::optional<std::string>& value, std::int64_t& last) {
    const auto kind = number();
    if (kind == kNone) {
        value.reset();
    } else if (kind == kText) {
        value.emplace(bytes());
    } else {
        last = wrapped_sum(last, unzigzag(kind - kNumber));
        char digits[24];
        const auto end = std::to_chars(std::begin(digits), std::end(digits), last).ptr;
        if (!value) value.emplace();
        value->assign(digits, end);
    }
}

}  // namespace ratectl::journal
