// The label rules: strings that must equal the library's own, byte for byte.

#include "sharding/label_rules.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace ratectl::sharding {

namespace nodes {

namespace {

constexpr std::uint16_t kMemcachedPort = 11211;

std::string without_memcached_port(const Server& server) {
    if (server.port == kMemcachedPort) return server.host;
    return fmt::format("{}:{}", server.host, server.port);
}

std::string_view scheme_of(const Server& server) { return server.tls ? "rediss" : "redis"; }

}  // namespace

Label address(const Server& server, std::size_t) {
    if (!server.path.empty()) return server.path;
    return fmt::format("{}:{}", server.host, server.port);
}

Label name_only(const Server& server, std::size_t) { return server.name; }

Label name_or_address(const Server& server, std::size_t index) {
    return server.name ? server.name : address(server, index);
}

Label position(const Server&, std::size_t index) { return fmt::format("SHARD-{}", index); }

Label twemproxy(const Server& server, std::size_t) {
    if (server.name) return server.name;
    // Its own format has host, colon and port, and of a socket's path the port is empty.
    return server.path.empty() ? without_memcached_port(server) : server.path + ":";
}

/// To libmemcached a socket is a host with port 0.
Label libmemcached(const Server& server, std::size_t) {
    return server.path.empty() ? without_memcached_port(server) : server.path + ":0";
}

Label libmemcached_spy(const Server& server, std::size_t) {
    return server.path.empty() ? fmt::format("/{}:{}", server.host, server.port) : "/" + server.path + ":0";
}

Label redis_rb_4(const Server& server, std::size_t) {
    if (!server.path.empty()) return fmt::format("unix://{}/{}", server.path, server.db);
    return fmt::format("{}://{}:{}/{}", scheme_of(server), server.host, server.port, server.db);
}

Label redis_rb_5_old_client(const Server& server, std::size_t index) {
    if (!server.path.empty()) return fmt::format("{}/{}", server.path, server.db);
    return redis_rb_4(server, index);
}

Label redis_rb_5(const Server& server, std::size_t) {
    if (!server.path.empty()) {
        return server.db == 0 ? fmt::format("unix://{}", server.path)
                              : fmt::format("unix://{}?db={}", server.path, server.db);
    }
    const bool bare_ipv6 = server.host.find(':') != std::string::npos && !server.host.starts_with('[');
    const std::string host = bare_ipv6 ? fmt::format("[{}]", server.host) : server.host;
    std::string label = fmt::format("{}://{}:{}", scheme_of(server), host, server.port);
    if (server.db != 0) label += fmt::format("/{}", server.db);
    return label;
}

Label sentry_host_info(const Server& server, std::size_t index) {
    const bool socket = !server.path.empty();
    return fmt::format(
        "<HostInfo db={} host={} host_id={} password=None port={} ssl={} ssl_options=None unix_socket_path={}>",
        server.db, socket ? "None" : fmt::format("'{}'", server.host), server.name.value_or(fmt::format("{}", index)),
        socket ? "None" : fmt::format("{}", server.port), server.tls ? "True" : "False",
        socket ? fmt::format("'{}'", server.path) : "None");
}

}  // namespace nodes

namespace labels {

namespace {

/// Rings of a thousand servers have 160,000 labels: appending beats formatting.
void append(std::string& out, std::uint32_t number) {
    std::array<char, 10> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

void append(std::string& out, std::string_view node, std::string_view between, std::uint32_t i) {
    out += node;
    out += between;
    append(out, i);
}

}  // namespace

void colon(std::string& out, std::string_view node, unsigned, std::uint32_t i) { append(out, node, ":", i); }
void dash(std::string& out, std::string_view node, unsigned, std::uint32_t i) { append(out, node, "-", i); }
void underscore(std::string& out, std::string_view node, unsigned, std::uint32_t i) { append(out, node, "_", i); }
void number_first(std::string& out, std::string_view node, unsigned, std::uint32_t i) {
    append(out, i);
    out += node;
}
void dash_salt(std::string& out, std::string_view node, unsigned, std::uint32_t i) {
    append(out, node, "-", i);
    out += "-salt";
}
void jedis_position(std::string& out, std::string_view node, unsigned, std::uint32_t i) {
    append(out, node, "-NODE-", i);
}
void jedis_name(std::string& out, std::string_view node, unsigned, std::uint32_t i) { append(out, node, "*", i); }
void jedis_weighted_name(std::string& out, std::string_view node, unsigned weight, std::uint32_t i) {
    append(out, node, "*", weight);
    append(out, i);
}

}  // namespace labels

namespace counts {

namespace {

double portion(const Share& share) {
    return static_cast<double>(share.weight) / static_cast<double>(share.total_weight);
}

/// Each step is rounded to single precision, as the C code's variables are. The C code multiplies by 160 and divides by
/// 4, which is the same as by the 40 blocks that `points` holds: a power of two rounds nothing.
float ketama_blocks(const Share& share) {
    const float part = static_cast<float>(share.weight) / static_cast<float>(share.total_weight);
    const float scaled = part * static_cast<float>(share.points);
    return scaled * static_cast<float>(share.servers);
}

}  // namespace

std::uint32_t fixed(const Share& share) { return share.points; }
std::uint32_t per_weight(const Share& share) { return share.points * share.weight; }
std::uint32_t weight_only(const Share& share) { return share.weight; }

std::uint32_t twemproxy(const Share& share) {
    const double guarded = static_cast<double>(ketama_blocks(share)) + 0.0000000001;
    return static_cast<std::uint32_t>(std::floor(static_cast<float>(guarded)));
}

std::uint32_t libmemcached(const Share& share) {
    const float guarded = ketama_blocks(share) + 1e-10F;
    return static_cast<std::uint32_t>(std::floor(guarded));
}

std::uint32_t dalli(const Share& share) {
    const auto product = static_cast<double>(std::uint64_t{share.servers} * share.points * share.weight);
    return static_cast<std::uint32_t>(std::floor(product / static_cast<double>(share.total_weight)));
}

std::uint32_t predis_ring(const Share& share) {
    const double product = portion(share) * share.servers * share.points;
    return static_cast<std::uint32_t>(std::round(product));
}

std::uint32_t share_times_servers(const Share& share) {
    const double product = portion(share) * share.servers * share.points;
    return static_cast<std::uint32_t>(std::floor(product));
}

std::uint32_t share_times_points(const Share& share) {
    const double product = portion(share) * share.points * share.servers;
    return static_cast<std::uint32_t>(std::floor(product));
}

std::uint32_t integer_share(const Share& share) {
    return static_cast<std::uint32_t>(std::uint64_t{share.points} * share.servers * share.weight / share.total_weight);
}

}  // namespace counts
}  // namespace ratectl::sharding
