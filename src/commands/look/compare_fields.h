// The columns of compare: one look at one window on one node, beside the node that counts.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "commands/looks/node_views.h"
#include "domain/window.h"
#include "output/field.h"

namespace ratectl::commands {

/// A view: everything it points to outlives the row.
struct CompareRow {
    const WindowViews& window;
    const domain::NodeView& view;
    const domain::Difference& difference;
    const domain::WindowLook* look = nullptr;  // null: the node gave no answer
    domain::Window judged;
    bool is_script = false;  // the look through Lua
    bool counts = false;     // the node that others are compared with
    std::string_view deployment;
};

std::span<const output::Field<CompareRow>> compare_fields();
/// The table's columns.
inline constexpr std::string_view kCompareTable = "key,node,role,state,used,reset_at,cause";

}  // namespace ratectl::commands
