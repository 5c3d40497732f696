// Reads and writes operation ids, and names kinds of operations.
#include "domain/operation.h"

#include <algorithm>
#include <string_view>

#include "domain/governor/lease.h"
#include "support/number_text.h"

namespace ratectl::domain {
namespace {

constexpr std::uint64_t kSlots = 16'384;  // of a Redis Cluster

}  // namespace

support::Result<void> check_operation_id(std::string_view id) {
    constexpr std::size_t longest = 64;
    const auto allowed = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    const bool is_flag = id.starts_with('-');  // where an id is an argument
    if (!id.empty() && !is_flag && id.size() <= longest && std::all_of(id.begin(), id.end(), allowed)) return {};
    return support::failure(
        support::ExitCode::usage,
        "'" + std::string(id) +
            "' is not an operation id: it takes 1 to 64 of A-Z a-z 0-9 _ -, and does not begin with -",
        "leave --op-id out to have one made");
}

bool is_reserved_key(std::string_view key) {
    return key.starts_with(kReservedPrefix) || key.starts_with(kProbePrefix) ||
           key.starts_with(governor::kGovernorPrefix);
}

std::string_view name_of(WriteKind kind) {
    switch (kind) {
        case WriteKind::count: return "increment";
        case WriteKind::refund: return "refund";
        case WriteKind::reset: return "reset";
        case WriteKind::restore: return "undo";
        case WriteKind::repair: return "repair";
        case WriteKind::put: return "put";
    }
    return "increment";
}

std::uint64_t number_in_slot(std::uint64_t count, std::uint16_t slot) { return count * kSlots + slot; }

std::uint16_t slot_of_number(std::uint64_t number) { return static_cast<std::uint16_t>(number % kSlots); }

std::string to_string(const SliceId& id) { return id.operation + "." + std::to_string(id.number); }

std::optional<std::int64_t> amount_in(WriteKind kind, const StoredWindow& before, const StoredWindow& after,
                                      std::int64_t taken) {
    if (kind == WriteKind::refund) return taken;
    if (kind != WriteKind::count) return std::nullopt;
    // Counted where no window tells it: in a counter that went on, or a state that is no number.
    if (taken > 0) return taken;
    // Else the servers do not keep what was asked for, but what was there before and after.
    const auto number = [](const std::optional<std::string>& stored) {
        return stored ? support::parse_decimal(*stored) : std::nullopt;
    };
    const auto used_after = number(after.used);
    const auto used_before = before.reset_at == after.reset_at ? number(before.used) : std::optional<std::int64_t>{0};
    return used_after && used_before ? std::optional{*used_after - *used_before} : std::nullopt;
}

// 130 bits, the first two of them zero, five a character.
std::string make_ulid(support::WallTime now, const std::array<std::uint8_t, 10>& randomness) {
    constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    constexpr int time_characters = 10;
    std::string text;
    const auto milliseconds = static_cast<std::uint64_t>(now.time_since_epoch().count());
    for (int i = time_characters - 1; i >= 0; --i) text += alphabet[(milliseconds >> (5 * i)) & 31U];
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const std::uint8_t byte : randomness) {
        bits = (bits << 8U) | byte;
        held += 8;
        while (held >= 5) {
            held -= 5;
            text += alphabet[(bits >> held) & 31U];
        }
    }
    return text;
}

}  // namespace ratectl::domain
