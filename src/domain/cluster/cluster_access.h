// How the nodes of a Redis Cluster are reached: some of them by configuration, the others where they say they are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/endpoint.h"
#include "support/error.h"

namespace ratectl::domain {

/// A server as another one names it. The host is a name or an address literal, without brackets.
struct HostPort {
    std::string host;
    std::uint16_t port = 0;

    bool operator==(const HostPort&) const = default;
};

/// Takes `10.0.0.8:6379`, `[::1]:6379`, and what servers write: `::1:6379`, and with the host left out `:6379`. Null:
/// it is none of that.
std::optional<HostPort> parse_host_port(std::string_view text);

/// Where servers are reached that go by other names among themselves (NAT, containers).
class AddressMap {
public:
    /// Both a host, or both a host and a port. Errors: configuration.
    support::Result<void> add(std::string_view announced, std::string_view reached);
    /// An entry with the port goes before one of the host alone.
    HostPort reached(const HostPort& announced) const;
    /// As they were added.
    const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

private:
    std::vector<std::pair<std::string, std::string>> entries_;
    std::vector<std::pair<HostPort, HostPort>> parsed_;  // port 0: any
};

/// `10.0.0.0/8`, `fd00::/8`, or one address.
class Network {
public:
    static support::Result<Network> parse(std::string_view text);
    /// False for names, which say nothing of where they lead.
    bool has(std::string_view host) const;
    const std::string& text() const { return text_; }

private:
    std::string text_;
    int family_ = 0;
    std::array<unsigned char, 16> bytes_{};
    unsigned bits_ = 0;
};

struct ClusterAccess {
    std::vector<Endpoint> nodes;  // at least one; they tell of the others
    AddressMap addresses;
    /// Where a redirect may lead although no node has told of that server.
    std::vector<Network> networks;
};

}  // namespace ratectl::domain
