// A directory for tests: its keys have slots that may move to another place, and its places may get another primary.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include "redis/outcome.h"
#include "store/directory.h"

namespace ratectl::test {

/// Every key of these tests is in the slot that its last digit names, and slots begin in the first place.
class MovingDirectory final : public store::Directory {
public:
    /// Each has one node.
    explicit MovingDirectory(const std::vector<std::pair<std::string, domain::Endpoint>>& primaries) {
        for (const auto& [name, endpoint] : primaries) {
            domain::Shard shard{name, endpoint, {}, false};
            nodes_.push_back({{name, domain::Role::primary, shard.primary}});
            places_.push_back(std::move(shard));
        }
    }

    /// What a redirect teaches it; true: ask anew. Unset: nothing.
    std::function<bool(const redis::Redirect&)> learns;
    struct Told {
        store::Place place;
        redis::Redirect redirect;
    };
    std::vector<Told> told;

    void move_slot(std::uint16_t slot, std::size_t place) {
        place_of_slot_[slot] = place;
        ++epoch_;
    }
    void promote(std::size_t place, const domain::Endpoint& endpoint) {
        nodes_.at(place).front().endpoint = endpoint;
        ++epoch_;
    }

    const std::vector<domain::Shard>& places() const override { return places_; }
    bool knows_homes() const override { return true; }
    std::optional<store::Place> place_of(std::string_view key) const override {
        const auto slot = static_cast<std::uint16_t>(key.back() - '0');
        const auto moved = place_of_slot_.find(slot);
        return store::Place{moved == place_of_slot_.end() ? 0 : moved->second, slot};
    }
    std::uint64_t epoch() const override { return epoch_; }
    const std::vector<domain::Node>& nodes(std::size_t place) const override { return nodes_.at(place); }
    bool is_known(std::size_t, bool) const override { return true; }
    Awaitable<void> learn(std::shared_ptr<store::Core>, std::size_t) override { co_return; }
    Awaitable<bool> redirected(std::shared_ptr<store::Core>, store::Place place, redis::Redirect redirect) override {
        told.push_back({place, redirect});
        co_return learns&& learns(redirect);
    }

private:
    std::vector<domain::Shard> places_;
    std::vector<std::vector<domain::Node>> nodes_;
    std::map<std::uint16_t, std::size_t> place_of_slot_;
    std::uint64_t epoch_ = 0;
};

}  // namespace ratectl::test
