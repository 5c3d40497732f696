// Named windows as every node of their shard shows them at one `now`: looks, what each node says about itself, and what
// explains differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "domain/diagnosis/divergence.h"
#include "domain/node.h"
#include "domain/window.h"
#include "store/store.h"
#include "support/time.h"

namespace ratectl::commands {

/// One key on one shard.
struct WindowViews {
    std::string key;
    std::size_t shard = 0;
    std::vector<domain::NodeView> views;  // every node of the shard, the one known as its primary first
    std::optional<std::int64_t> limit;    // as meaning_of() has it
    domain::Divergence divergence;
};

/// The look of the node that counts. Null: it shows nothing, or no node answered.
const domain::WindowLook* counting_look(const WindowViews& shown);
/// As the look that counts has it; without one as far as the key tells.
KeyMeaning meaning_of(const WindowViews& shown, const config::Settings& settings);

struct ViewQuestion {
    support::Moment now{};
    std::int64_t min_delta = 1;
    /// How often windows whose nodes differ are looked at again before the difference stands (about a second in all);
    /// 0: once is enough.
    int looks_again = 5;
    /// Nodes that send every client elsewhere as long as the window's slot has not arrived are views without a look;
    /// else they are none.
    bool every_node = false;
};

/// --from chooses the nodes that a sweep reads. For named keys every node is asked, which is said where it was given.
void say_from_is_unused(Context& context);

/// One WindowViews a key, in order. All nodes are asked at once, keys and nodes together; one row is still one atomic
/// look. Where nodes differ although their links are up, those keys are looked at again after short pauses, until they
/// agree or a second has passed: so a lag that passes is told from one that stays. A node that does not answer is a
/// view without a look. Memory grows with the keys: cut long lists into chunks.
std::vector<WindowViews> view_windows(std::span<const store::KeyAt> keys, const ViewQuestion& question,
                                      Context& context);

/// A window found where the application does not look for it.
struct StrayWindow {
    std::size_t key = 0;  // index into what was asked for
    domain::Node node;
    domain::WindowLook look;
    support::WallTime read_at{};
};
/// Asks the primaries of all other shards for keys that their own shard does not have. Shards that do not answer are
/// passed over: the caller asks only to be able to say more. None where servers lead every client to a key.
std::vector<StrayWindow> look_on_other_shards(std::span<const store::KeyAt> keys, Context& context);

}  // namespace ratectl::commands
