// Computes slots with a table, as a million keys are cut by them.
#include "sharding/cluster_slots.h"

#include <array>
#include <charconv>
#include <vector>

#include "sharding/key_tag.h"

namespace ratectl::sharding {
namespace {

constexpr std::array<std::uint16_t, 256> crc_table() {
    std::array<std::uint16_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t crc = byte << 8U;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
        table[byte] = static_cast<std::uint16_t>(crc & 0xffffU);
    }
    return table;
}

constexpr auto kTable = crc_table();

constexpr KeyTag kRule{KeyTag::Rule::redis};

std::uint16_t slot_of_tag(std::string_view bytes) {
    std::uint32_t crc = 0;
    for (const char c : bytes) {
        const auto index = ((crc >> 8U) ^ static_cast<unsigned char>(c)) & 0xffU;
        crc = ((crc << 8U) ^ kTable[index]) & 0xffffU;
    }
    return static_cast<std::uint16_t>(crc % kClusterSlots);
}

std::vector<std::string> all_tags() {
    std::vector<std::string> tags(kClusterSlots);
    std::size_t found = 0;
    for (std::uint32_t number = 0; found < tags.size(); ++number) {
        std::array<char, 12> text{};
        const char* end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
        const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
        auto& tag = tags[slot_of_tag(digits)];
        if (!tag.empty()) continue;
        tag = digits;
        ++found;
    }
    return tags;
}

}  // namespace

std::uint16_t cluster_slot(std::string_view key) { return slot_of_tag(find_tag(kRule, key).value_or(key)); }

bool shares_tag(std::string_view key, std::string_view other) {
    const auto tag = find_tag(kRule, key);
    return tag && other.starts_with(key.substr(0, static_cast<std::size_t>(tag->end() - key.begin()) + 1));
}

const std::string& tag_of_slot(std::uint16_t slot) {
    static const std::vector<std::string> tags = all_tags();
    return tags.at(slot);
}

}  // namespace ratectl::sharding
