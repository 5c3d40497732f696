// Opens channels: a wire, and the greeting over it, all before one deadline.
#include "redis/connection.h"

#include <map>
#include <string>
#include <utility>

#include "redis/faults.h"
#include "redis/socket_channel.h"
#include "redis/wire_opener.h"

namespace ratectl::redis {
namespace {

class SocketConnector : public Connector {
public:
    SocketConnector(EventLoop& loop, ConnectionOptions options)
        : loop_(&loop),
          opener_(loop, {std::move(options.tls), options.notice, options.lookup}),
          caps_(options.caps),
          wanted_(options.wanted),
          wall_clock_(std::move(options.wall_clock)) {
        for (auto& [shard, tls] : options.shard_tls)
            openers_.try_emplace(shard, loop, WireOpener::Options{std::move(tls), options.notice, options.lookup});
    }

    asio::awaitable<Outcome<std::unique_ptr<Channel>>> open(const domain::Node& node,
                                                            support::Deadline deadline) override {
        const TimeLimit limit(deadline);
        const std::string where = place_of(node);
        auto wire = co_await opener_for(node).open(node.endpoint, where, limit);
        if (!wire) co_return fault(std::move(wire.error()));
        auto channel = std::make_unique<SocketChannel>(*loop_, std::move(*wire), where, caps_, limit);
        const auto greeted = co_await channel->greet(node.endpoint, peer_for(node), wall_clock_);
        if (!greeted) co_return fault(greeted.error());
        if (channel->facts().is_sentinel && !node.shard.empty())
            co_return fault({{support::ExitCode::protocol, where + ": is a sentinel, and has no windows",
                              "kind = \"sentinel\" and sentinels = [\"redis://HOST:PORT\"] in the configuration let it "
                              "tell where they are"},
                             false,
                             false});
        co_return std::unique_ptr<Channel>(std::move(channel));
    }

private:
    /// Sentinels have no shard.
    WireOpener& opener_for(const domain::Node& node) {
        const auto own = openers_.find(node.shard);
        return own == openers_.end() ? opener_ : own->second;
    }

    Peer peer_for(const domain::Node& node) const {
        if (node.endpoint.proxied) return Peer::proxy;
        const bool replica = wanted_ != Peer::alone && node.role == domain::Role::replica;
        return replica ? Peer::cluster_replica : wanted_;
    }

    EventLoop* loop_;
    WireOpener opener_;
    std::map<std::string, WireOpener> openers_;  // of shards
    ReplyCaps caps_;
    Peer wanted_;
    std::function<support::WallTime()> wall_clock_;
};

}  // namespace

std::unique_ptr<Connector> make_connector(EventLoop& loop, ConnectionOptions options) {
    return std::make_unique<SocketConnector>(loop, std::move(options));
}

}  // namespace ratectl::redis
