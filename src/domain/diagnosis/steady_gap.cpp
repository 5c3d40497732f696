// Compares two nodes' looks one by one, up to the last, to find a difference that stays.
#include "domain/diagnosis/steady_gap.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "domain/diagnosis/look_difference.h"

namespace ratectl::domain {
namespace {

using support::Instant;

constexpr std::size_t kLooksThatTell = 3;

/// Used here less used there, look by look, the last one too; empty: the looks are not side by side, or of one window.
std::vector<std::int64_t> deltas_of(const NodeView& view, const NodeView& reference) {
    if (view.earlier.size() != reference.earlier.size()) return {};
    std::vector<std::int64_t> deltas;
    for (std::size_t i = 0; i <= view.earlier.size(); ++i) {
        const WindowLook& here = i < view.earlier.size() ? view.earlier[i].look : *view.look;
        const WindowLook& there = i < view.earlier.size() ? reference.earlier[i].look : *reference.look;
        const auto used = counted(here, Instant::min());
        const auto theirs = counted(there, Instant::min());
        if (!used || !theirs || stored_reset(here).value != stored_reset(there).value) return {};
        deltas.push_back(difference_of(*used, *theirs));
    }
    return deltas;
}

}  // namespace

bool stays_apart(const NodeView& view, const NodeView& reference, std::optional<std::size_t> arrived_at,
                 std::int64_t min_delta) {
    const auto deltas = deltas_of(view, reference);
    if (deltas.empty()) return false;
    if (std::all_of(deltas.begin(), deltas.end(), [&](std::int64_t delta) { return delta >= min_delta; })) return true;
    if (!arrived_at) return false;
    const auto since = std::span(deltas).subspan(*arrived_at + 1);
    if (since.size() < kLooksThatTell || std::abs(since.front()) < min_delta) return false;
    return std::all_of(since.begin(), since.end(), [&](std::int64_t delta) { return delta == since.front(); });
}

}  // namespace ratectl::domain
