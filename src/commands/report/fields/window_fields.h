// The columns of a window: one look at one key on one node, judged.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands/request/selection.h"
#include "domain/node.h"
#include "domain/window.h"
#include "output/field.h"
#include "support/time.h"

namespace ratectl::commands {

/// A view: everything it points to outlives the row. Nodes are null for a key that several shards were asked for and
/// none has.
struct WindowRow {
    const domain::WindowLook& look;
    const domain::Window& window;
    const KeyMeaning& meaning;
    std::string_view deployment;
    std::string_view shard;
    std::string_view node;  // its address
    std::optional<domain::Role> role;
    support::Moment now{};  // the application's clock at this look
    support::WallTime read_at{};
    bool stale = false;
    std::optional<bool> binding = {};  // of its client, where an organisation was named
};

/// What alone decides some of the columns (see output::Field::facts): the place, the time and the depth of the look;
/// what the policies say of the key, its client excepted, and its limiter; the state, whether it is used up; the end of
/// the window, where it has one, and now; what is null as long as looks are light, windows are sound and no
/// organisation was named, or as long as there is neither a policy nor a limit; and what each window has of its own.
inline constexpr unsigned kFactsOfLook = 1;
inline constexpr unsigned kFactsOfPolicy = 2;
inline constexpr unsigned kFactsOfState = 4;
inline constexpr unsigned kFactsOfReset = 8;
inline constexpr unsigned kFactsBeyondLight = 16;
inline constexpr unsigned kFactsBeyondLimits = 32;
inline constexpr unsigned kFactsOfItsOwn = 64;

std::span<const output::Field<WindowRow>> window_fields();
/// The table's columns when rows come from several nodes of a shard.
inline constexpr std::string_view kWindowColumnsWithNode = "key,node,role,state,used,limit,remaining,reset_at,shard";
/// And when an organisation was named.
inline constexpr std::string_view kWindowColumnsWithBinding = "key,state,used,limit,remaining,reset_at,binding,shard";
/// True for the columns that only a full look can fill.
bool needs_full_look(std::string_view column);
/// A row in a pipe tells by it what was looked at.
inline constexpr output::Column kLayoutColumn{"layout", output::CellType::text, "LAYOUT",
                                              "how its limiter stores it: a change refuses a row of another layout",
                                              output::Column::Shown::machine};
output::Cell layout_cell(const domain::WindowLook& look);
/// From now to then; null where that is farther than milliseconds can hold.
output::Cell distance_cell(support::Instant t, support::Moment now);
/// The colour of a state, wherever one is printed.
output::Word state_word(domain::WindowState state);
/// Used as a share of the limit, in percent, rounded to hundredths; null without a limit above 0 or a count.
std::optional<double> percent_of(const domain::Window& window);

}  // namespace ratectl::commands
