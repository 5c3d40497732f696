// Addresses that servers announce: parsed strictly, because they come from the network.
#include "domain/cluster/cluster_access.h"

#include <algorithm>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "support/number_text.h"

namespace ratectl::domain {
namespace {

using support::ExitCode;

constexpr std::uint64_t kLastPort = 65'535;
constexpr unsigned kBitsOfByte = 8;

bool is_literal(int family, std::string_view host, void* bytes) {
    return inet_pton(family, std::string(host).c_str(), bytes) == 1;
}

/// As a URL would have it.
bool is_host(std::string_view host) {
    const bool colons = host.find(':') != std::string_view::npos;
    const auto endpoint = parse_endpoint(fmt::format(fmt::runtime(colons ? "redis://[{}]" : "redis://{}"), host));
    return endpoint && endpoint->host == host;
}

/// A host with a port, or a host alone (port 0).
std::optional<HostPort> parse_entry(std::string_view text) {
    const bool literal = text.find(':') != text.rfind(':') && !text.starts_with('[');
    if (!literal && !text.ends_with(']') && text.find(':') != std::string_view::npos) return parse_host_port(text);
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    return is_host(text) ? std::optional(HostPort{std::string(text), 0}) : std::nullopt;
}

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto port = support::parse_unsigned(text.substr(colon + 1), kLastPort);
    auto host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (!port || *port == 0 || (!host.empty() && !is_host(host))) return std::nullopt;
    return HostPort{std::string(host), static_cast<std::uint16_t>(*port)};
}

support::Result<void> AddressMap::add(std::string_view announced, std::string_view reached) {
    const auto from = parse_entry(announced);
    const auto to = parse_entry(reached);
    for (const auto& [text, parsed] : {std::pair{announced, from}, std::pair{reached, to}}) {
        if (parsed && !parsed->host.empty()) continue;
        return support::failure(ExitCode::configuration, fmt::format("'{}' is neither a host nor HOST:PORT", text),
                                "\"10.0.0.8:6379\" = \"127.0.0.1:7001\"");
    }
    if ((from->port == 0) != (to->port == 0)) {
        return support::failure(ExitCode::configuration,
                                fmt::format("'{}' and '{}': both have a port, or neither has", announced, reached),
                                "a host alone keeps each port that is announced");
    }
    entries_.emplace_back(announced, reached);
    parsed_.emplace_back(*from, *to);
    return {};
}

HostPort AddressMap::reached(const HostPort& announced) const {
    const auto same = std::ranges::find(parsed_, announced, &std::pair<HostPort, HostPort>::first);
    if (same != parsed_.end()) return same->second;
    for (const auto& [from, to] : parsed_) {
        if (from.port == 0 && from.host == announced.host) return {to.host, announced.port};
    }
    return announced;
}

support::Result<Network> Network::parse(std::string_view text) {
    const auto slash = text.find('/');
    const auto host = text.substr(0, slash);
    Network network;
    network.text_ = std::string(text);
    for (const int family : {AF_INET, AF_INET6}) {
        if (!is_literal(family, host, network.bytes_.data())) continue;
        network.family_ = family;
        const std::uint64_t most = family == AF_INET ? 32 : 128;
        network.bits_ = static_cast<unsigned>(most);
        if (slash == std::string_view::npos) return network;
        const auto bits = support::parse_unsigned(text.substr(slash + 1), most);
        if (!bits) break;
        network.bits_ = static_cast<unsigned>(*bits);
        return network;
    }
    return support::failure(ExitCode::configuration, fmt::format("'{}' is not a network", text),
                            "an address with the number of its leading bits that count: 10.0.0.0/8, fd00::/8");
}

bool Network::has(std::string_view host) const {
    std::array<unsigned char, 16> bytes{};
    if (!is_literal(family_, host, bytes.data())) return false;
    for (unsigned bit = 0; bit < bits_; ++bit) {
        const unsigned differ = bytes_.at(bit / kBitsOfByte) ^ bytes.at(bit / kBitsOfByte);
        if (((differ >> (kBitsOfByte - 1 - bit % kBitsOfByte)) & 1U) != 0) return false;
    }
    return true;
}

}  // namespace ratectl::domain
