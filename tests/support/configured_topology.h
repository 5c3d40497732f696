// A store's topology from shards as a test has them: they may be changed until the store is made.
#pragma once

#include <memory>
#include <vector>

#include "store/store.h"

namespace ratectl::test {

struct ConfiguredTopology {
    std::vector<domain::Shard> shards;
    /// Another directory than these shards; null: they are it.
    std::shared_ptr<store::Directory> directory;
    /// Which kind of limiter keeps the windows; null: the default one.
    const domain::Limiter* limiter = nullptr;

    // NOLINTNEXTLINE(google-explicit-constructor): stands wherever a topology does
    operator store::Topology() const {
        return {directory ? directory : store::configured_directory({shards}), {}, limiter};
    }
};

}  // namespace ratectl::test
