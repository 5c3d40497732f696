// The same key on several shards: said in words, a key a warning, and counted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "commands/context.h"
#include "domain/node.h"
#include "domain/window.h"

namespace ratectl::commands {

/// What one shard has under the key.
struct Copy {
    std::string_view shard;
    const domain::WindowLook* look = nullptr;
    support::Moment now{};
};

/// `'alpha' (40 used, resets 2026-11-21T14:00:00Z) and 'beta' (closed); 'alpha' has the newer window and the larger
/// count`
std::string describe_copies(std::span<const Copy> copies);

class Duplicates {
public:
    explicit Duplicates(Context& context) : context_(context) {}
    /// Copies on two shards at least. The first twenty keys are named, the others only counted.
    void report(std::string_view key, std::span<const Copy> copies);
    /// How many keys were counted and not named, if any.
    void finish() const;
    std::uint64_t count() const { return count_; }

private:
    Context& context_;
    std::uint64_t count_ = 0;
};

}  // namespace ratectl::commands
