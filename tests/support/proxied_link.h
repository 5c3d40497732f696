// One connection through the fault proxy: both descriptors, what is still to be passed on either way, and what was
// decided about each request.
#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "support/descriptor.h"
#include "support/fault_proxy.h"

namespace ratectl::test {

/// A connection's descriptor.
class OwnedFd : public support::Descriptor {
public:
    using Descriptor::Descriptor;
    /// Ends a TCP connection with RST.
    void reset();
};

using LinkTime = std::chrono::steady_clock::time_point;

/// Bytes that wait for their time and for room in the kernel.
class Outlet {
public:
    struct Piece {
        std::string bytes;
        LinkTime at{};
        std::size_t step = 0;                // bytes a segment; 0: all at once
        std::chrono::milliseconds pause{0};  // after each segment
        bool last = false;                   // nothing comes after it: the end of the stream
    };

    void add(Piece piece) { pieces_.push_back(std::move(piece)); }
    /// Sends what is due; false when the descriptor does not take it any more.
    bool send_due(int fd, LinkTime now);
    /// The last piece has been sent.
    bool ended() const { return ended_; }
    bool empty() const { return pieces_.empty(); }
    bool due(LinkTime now) const { return !pieces_.empty() && pieces_.front().at <= now; }
    std::optional<LinkTime> next() const;
    void clear() { pieces_.clear(); }

private:
    std::deque<Piece> pieces_;
    bool ended_ = false;
};

/// What a link tells and asks its proxy.
class LinkOwner {
public:
    virtual ~LinkOwner() = default;
    virtual LinkFault decide(std::uint64_t connection, std::string_view request) = 0;
    virtual void saw_reply(bool write, std::size_t bytes) = 0;
    virtual bool silent() const = 0;
};

class ProxiedLink {
public:
    ProxiedLink(std::uint64_t number, OwnedFd client, OwnedFd server, LinkOwner& owner)
        : number_(number), client_(std::move(client)), server_(std::move(server)), owner_(&owner) {}

    /// What to wait for: client first, then server; closed descriptors are -1.
    std::array<pollfd, 2> waits_for(LinkTime now) const;
    std::optional<LinkTime> wakes_at() const;
    /// One turn after poll().
    void turn(const std::array<pollfd, 2>& seen, LinkTime now);
    /// Both sides are gone.
    bool over() const { return !client_.is_open() && !server_.is_open(); }
    void disconnect();

private:
    struct Owed {
        LinkFault fault;
        bool write = false;
    };

    void read_client(LinkTime now);
    void read_server(LinkTime now);
    void pass_request(std::string bytes, const LinkFault& fault, LinkTime now);
    void pass_own_answers(LinkTime now);
    void pass_reply(std::string bytes, const Owed& owed, LinkTime now);
    void to_client(Outlet::Piece piece);
    void lose_client(bool with_reset);
    void settle();

    std::uint64_t number_;
    OwnedFd client_;
    OwnedFd server_;
    LinkOwner* owner_;
    std::string requests_;
    std::string replies_;
    std::deque<Owed> owed_;
    Outlet to_server_;
    Outlet to_client_;
    std::optional<std::size_t> limit_;
    bool swallows_ = false;
    bool server_told_end_ = false;
};

}  // namespace ratectl::test
