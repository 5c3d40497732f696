// A lossy link of our own: a TCP proxy in front of one server that loses, cuts, delays and slices what passes, request
// by request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "domain/node.h"

namespace ratectl::test {

enum class FaultMode {
    ok,
    drop_request,   // read, never passed on, then the end of the connection
    cut_request,    // its first half passes, then the end of the connection
    delay_request,  // passes after `delay`, even when the client has gone by then
    drop_reply,     // the server has answered; the client gets a reset
    cut_reply,      // the first `bytes` of the reply (less than all of it), then the end of the connection
    delay_reply,    // passes after `delay`
    reset,          // passed on, and the client gets a reset at once
    blackhole,      // from here on nothing passes on this connection, either way
    slicer,         // request and reply pass in segments of `bytes` (0: of one)
    drip,           // the reply passes byte by byte, `delay` after each
    limit,          // from here on `bytes` of replies pass on this connection, then its end
    answer          // never passed on; the client gets what `rewrite` makes of nothing
};
std::string_view name_of(FaultMode mode);

struct LinkFault {
    FaultMode mode = FaultMode::ok;
    std::chrono::milliseconds delay{0};
    std::size_t bytes = 0;
    /// Runs on the proxy's thread when the whole reply has come, before any of it passes.
    std::function<void()> at_reply = {};
    /// What passes instead of the whole reply.
    std::function<std::string(const std::string& reply)> rewrite = {};
};

/// One command on its way to the server.
struct LinkRequest {
    std::uint64_t connection = 0;  // 1 for the first one that was accepted
    std::uint64_t number = 0;      // 1, 2 ... of all writes; 0 for what is no write
    std::string word;              // as sent: `EVALSHA`
    bool write = false;            // EVAL or EVALSHA
    std::string_view bytes;        // only while the question is asked
};

struct LinkCounts {
    std::uint64_t connections = 0;
    std::uint64_t requests = 0;
    std::uint64_t writes = 0;
    std::map<FaultMode, std::uint64_t> faults;  // what was done to requests
    std::size_t open = 0;                       // connections right now
    std::size_t last_write_reply = 0;           // bytes of the last whole reply to a write
};

/// One thread and a loopback port of its own choice; both end with the object, and so does every connection. Requests
/// and replies are told apart by their framing, so pipelined commands are met one by one.
class FaultProxy {
public:
    using Chooser = std::function<LinkFault(const LinkRequest&)>;

    /// The server at a TCP address or a unix socket; it need not be there yet.
    explicit FaultProxy(domain::Endpoint server);
    ~FaultProxy();
    FaultProxy(const FaultProxy&) = delete;
    FaultProxy& operator=(const FaultProxy&) = delete;

    domain::Endpoint endpoint() const;
    /// The endpoint as shard 'alpha'.
    domain::Node node() const;

    /// Asked on the proxy's thread for every request from now on; empty: all is well again. What it holds outlives the
    /// proxy.
    void choose(Chooser chooser);
    /// The next `count` writes meet this, everything else passes.
    void hit_writes(const LinkFault& fault, std::uint64_t count = UINT64_MAX);
    /// While silent, nothing passes on any connection, old or new, and what came is lost: the server is gone.
    void silence(bool silent);
    /// Ends every connection that is open now, and returns when that is done.
    void disconnect();

    /// Whoever has asked sees everything that choosers and at_reply have done to shared things so far.
    LinkCounts counts() const;
    /// False when so many writes did not come in that time.
    bool await_writes(std::uint64_t count, std::chrono::milliseconds patience) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Every fault that an exchange can meet and outlive, drawn by a generator of its own: only writes are hit, `share` of
/// 100 of them.
struct LinkWeather {
    std::uint64_t seed = 1;
    unsigned share = 50;
    std::chrono::milliseconds beyond{150};  // delays that outlive the client's patience
    std::chrono::milliseconds within{20};   // and those that do not
};
FaultProxy::Chooser seeded_mix(const LinkWeather& weather);

}  // namespace ratectl::test
