// Whether a server that is read for a while has the same data throughout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include "store/core.h"

namespace ratectl::store {

/// A process can be given other data and go on answering: as a replica of another primary, or as a primary of its own.
/// The histories that INFO replication tells show it; in a failover one goes on from the other, and the data stay. Or
/// its databases change places, which nothing shows but the count of SWAPDB. A server that tells neither is not
/// doubted.
class DataWatch {
public:
    DataWatch(std::shared_ptr<Core> core, std::size_t shard) : core_(std::move(core)), shard_(shard) {}

    /// Asks over a channel that owes no other answer, and judges all that has been heard. What was heard first is what
    /// has to stay: a fault that is not transient says that it did not.
    asio::awaitable<redis::Outcome<void>> ask(redis::Channel& channel, domain::Node node);
    /// A replica can have been given other data and its own again between two questions: it has to say with every page
    /// whose they are. A primary would have begun another history.
    bool is_due_with_pages() const { return !said_.empty() && said_.front().facts.role == domain::Role::replica; }
    /// Its answer to INFO replication.
    void hear(std::string_view info);
    /// Another process answers.
    void begin_anew() {
        said_.clear();
        swaps_.reset();
    }

private:
    struct Said {
        domain::History history;
        domain::NodeFacts facts;
    };
    asio::awaitable<std::optional<std::string>> change_to(Said now);
    bool has_swapped(std::string_view info);

    std::shared_ptr<Core> core_;
    std::size_t shard_;
    std::vector<Said> said_;             // each history that it told of after another
    std::optional<std::int64_t> swaps_;  // calls of SWAPDB when that was asked first
};

}  // namespace ratectl::store
