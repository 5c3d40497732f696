// Packs a script call's windows: neighbours are alike, so most values take one byte, as the distance from the last.
#include "journal/slice_codec.h"

#include "journal/packing.h"

namespace ratectl::journal {
namespace {

using domain::WriteStatus;

std::uint64_t number_of(WriteStatus status) {
    for (std::size_t i = 0; i < kStatuses.size(); ++i) {
        if (kStatuses[i] == status) return i + 1;
    }
    throw support::Failure(support::ExitCode::bug, "a write status that the journal has no number for");
}

/// The value before, column by column.
struct Columns {
    std::int64_t used = 0;
    std::int64_t reset_at = 0;
    std::int64_t expires = 0;
    std::int64_t state = 0;
    std::int64_t taken = 0;
    std::int64_t at = 0;
};

void pack_window(Packer& packer, const domain::StoredWindow& window, Columns& last) {
    packer.stored(window.used, last.used);
    packer.stored(window.reset_at, last.reset_at);
    for (const auto& expires : window.expires) packer.maybe_distance(expires, last.expires);
    packer.stored(window.state, last.state);
}

void unpack_window(Unpacker& unpacker, domain::StoredWindow& window, Columns& last) {
    unpacker.stored(window.used, last.used);
    unpacker.stored(window.reset_at, last.reset_at);
    for (auto& expires : window.expires) expires = unpacker.maybe_distance(last.expires);
    unpacker.stored(window.state, last.state);
}

Outcome unpack_outcome(Unpacker& unpacker, std::uint64_t row, WriteStatus status, Columns& last) {
    Outcome outcome;
    outcome.row = row;
    outcome.status = status;
    outcome.reason = unpacker.bytes();
    unpack_window(unpacker, outcome.before, last);
    unpack_window(unpacker, outcome.after, last);
    outcome.taken = unpacker.distance(last.taken);
    outcome.at = support::WallTime{support::Milliseconds{unpacker.distance(last.at)}};
    return outcome;
}

}  // namespace

std::string pack_windows(std::span<const WindowView> windows) {
    std::string packed;
    packed.reserve(windows.size() * 24);
    Packer packer(packed);
    std::uint64_t row = 0;
    std::int64_t amount = 0;
    for (const auto& window : windows) {
        packer.number(window.row - row);
        row = window.row;
        packer.bytes(window.key);
        packer.maybe_distance(window.amount, amount);
    }
    return packed;
}

std::vector<SliceWindow> unpack_windows(std::string_view packed) {
    std::vector<SliceWindow> windows;
    Unpacker unpacker(packed);
    std::uint64_t row = 0;
    std::int64_t amount = 0;
    while (!unpacker.at_end()) {
        auto& window = windows.emplace_back();
        window.row = row += unpacker.number();
        window.key = unpacker.bytes();
        window.amount = unpacker.maybe_distance(amount);
    }
    return windows;
}

std::vector<std::uint64_t> unpack_rows(std::string_view packed) {
    std::vector<std::uint64_t> rows;
    Unpacker unpacker(packed);
    std::uint64_t row = 0;
    std::int64_t amount = 0;
    while (!unpacker.at_end()) {
        rows.push_back(row += unpacker.number());
        unpacker.bytes();
        unpacker.maybe_distance(amount);
    }
    return rows;
}

std::string pack_outcomes(std::span<const Outcome* const> outcomes, std::int64_t sent_ms) {
    std::string packed;
    packed.reserve(outcomes.size() * 16);
    Packer packer(packed);
    Columns last;
    last.at = sent_ms;
    for (const Outcome* outcome : outcomes) {
        packer.number(outcome == nullptr ? 0 : number_of(outcome->status));
        if (outcome == nullptr) continue;
        packer.bytes(outcome->reason);
        pack_window(packer, outcome->before, last);
        pack_window(packer, outcome->after, last);
        packer.distance(outcome->taken, last.taken);
        packer.distance(outcome->at.time_since_epoch().count(), last.at);
    }
    return packed;
}

std::vector<std::optional<Outcome>> unpack_outcomes(std::string_view packed, std::span<const std::uint64_t> rows,
                                                    std::int64_t sent_ms) {
    std::vector<std::optional<Outcome>> outcomes(rows.size());
    Unpacker unpacker(packed);
    Columns last;
    last.at = sent_ms;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto status = unpacker.number();
        if (status > kStatuses.size()) throw Damaged{};
        if (status > 0) outcomes[i] = unpack_outcome(unpacker, rows[i], kStatuses[status - 1], last);
    }
    if (!unpacker.at_end()) throw Damaged{};
    return outcomes;
}

}  // namespace ratectl::journal
