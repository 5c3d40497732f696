// Encodes and decodes base64, hexadecimal and %XX, refusing what a careful encoder would not have written.
#include "support/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ratectl::support {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::int8_t kNoDigit = -1;

constexpr std::array<std::int8_t, 256> digits_of(std::string_view alphabet) {
    std::array<std::int8_t, 256> digits{};
    digits.fill(kNoDigit);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    }
    return digits;
}

constexpr auto kBase64Digits = digits_of(kAlphabet);

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return kNoDigit;
}

/// The 6-bit digits of one group of four as 24 bits; null for a byte outside the alphabet.
std::optional<std::uint32_t> group_bits(std::string_view group) {
    std::uint32_t bits = 0;
    for (const char c : group) {
        const std::int8_t digit = kBase64Digits[static_cast<unsigned char>(c)];
        if (digit == kNoDigit) return std::nullopt;
        bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    }
    return bits << (6U * static_cast<unsigned>(4 - group.size()));
}

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t bits = (byte_at(bytes, i) << 16U) | (byte_at(bytes, i + 1) << 8U) | byte_at(bytes, i + 2);
        const std::size_t digits = std::min<std::size_t>(bytes.size() - i, 3) + 1;
        for (std::size_t d = 0; d < 4; ++d) {
            text += d < digits ? kAlphabet[(bits >> (18U - 6U * d)) & 63U] : '=';
        }
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::string_view group = text.substr(i, 4);
        if (i + 4 == text.size()) {
            if (group.ends_with('=')) group.remove_suffix(1);
            if (group.ends_with('=')) group.remove_suffix(1);
        }
        auto bits = group_bits(group);
        if (!bits || group.size() < 2) return std::nullopt;
        const std::size_t count = group.size() - 1;
        // Bits behind the last byte must be zero, so that each byte string has exactly one text.
        if ((*bits & ((1U << (24U - 8U * count)) - 1U)) != 0) return std::nullopt;
        for (std::size_t b = 0; b < count; ++b, *bits <<= 8U) bytes += static_cast<char>((*bits >> 16U) & 255U);
    }
    return bytes;
}

std::string to_hex(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += kHexDigits[byte >> 4U];
        text += kHexDigits[byte & 15U];
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]);
        const int low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());  // never grows: a grown string leaves its old buffer behind, unwiped
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            bytes += text[i];
            continue;
        }
        const auto byte = from_hex(text.substr(i + 1, 2));
        if (!byte || byte->size() != 1) return std::nullopt;
        bytes += *byte;
        i += 2;
    }
    return bytes;
}

}  // namespace ratectl::support
