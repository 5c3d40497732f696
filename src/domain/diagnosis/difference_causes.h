// What explains one node's answer beside that of the node that counts.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "domain/diagnosis/divergence.h"

namespace ratectl::domain {

inline const NodeFacts* facts_of(const NodeView& view) { return view.facts ? &*view.facts : nullptr; }
/// As it sees itself; as configured, where it would not say.
Role acting_role(const NodeView& view);
/// A replica that has lost its primary.
bool is_link_down(const NodeView& view);
std::optional<std::int64_t> offset_of(const NodeView& view);

/// Set where the window is open at one of two times, `now` and the server's, and closed at the other: whether it is
/// open at the server's.
std::optional<bool> open_by_its_clock(const NodeView& view, const Comparison& around);

/// The views, `around` and `found`, whose reference is chosen, outlive it.
class ViewCauses {
public:
    ViewCauses(std::span<const NodeView> views, const Comparison& around, const Divergence& found);
    Difference explain(std::size_t i) const;

private:
    std::span<const NodeView> views_;
    const Comparison& around_;
    const Divergence& found_;
    const NodeView* reference_;
};

}  // namespace ratectl::domain
