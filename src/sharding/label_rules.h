// What identifies a server to each library, how virtual nodes are labelled, and how many a server gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sharding/preset.h"

namespace ratectl::sharding {

/// Node labels.
namespace nodes {

using Label = std::optional<std::string>;

Label address(const Server& server, std::size_t index);    // host:port, or the socket's path
Label name_only(const Server& server, std::size_t index);  // the configured name, which must be there
Label name_or_address(const Server& server, std::size_t index);
Label position(const Server& server, std::size_t index);  // SHARD-<index>
Label twemproxy(const Server& server,
                std::size_t index);  // the name, else host:port, without :11211; of a socket /path:
Label libmemcached(const Server& server, std::size_t index);           // host:port, without :11211; of a socket /path:0
Label libmemcached_spy(const Server& server, std::size_t index);       // /host:port, always with the port
Label redis_rb_4(const Server& server, std::size_t index);             // redis://host:port/db, unix://path/db
Label redis_rb_5_old_client(const Server& server, std::size_t index);  // redis://host:port/db, path/db
Label redis_rb_5(const Server& server, std::size_t index);        // redis://host:port, with the db when it is not 0
Label sentry_host_info(const Server& server, std::size_t index);  // the repr of rb's HostInfo

}  // namespace nodes

/// Virtual nodes: node label and number -> the bytes that are hashed, appended.
namespace labels {

void colon(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);                // node:i
void dash(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);                 // node-i
void underscore(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);           // node_i
void number_first(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);         // i node
void dash_salt(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);            // node-i-salt
void jedis_position(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);       // SHARD-0-NODE-i
void jedis_name(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);           // name*i
void jedis_weighted_name(std::string& out, std::string_view node, unsigned weight, std::uint32_t i);  // name*weight i

}  // namespace labels

/// Labels per server; the arithmetic is each library's own, rounding errors included.
namespace counts {

std::uint32_t fixed(const Share& share);
std::uint32_t per_weight(const Share& share);  // points * weight
std::uint32_t weight_only(const Share& share);
std::uint32_t twemproxy(const Share& share);     // blocks of four, in single precision
std::uint32_t libmemcached(const Share& share);  // the same with the rounding guard in single precision
std::uint32_t dalli(const Share& share);
std::uint32_t predis_ring(const Share& share);
std::uint32_t share_times_servers(const Share& share);  // floor(weight / total * servers * points)
std::uint32_t share_times_points(const Share& share);   // floor(weight / total * points * servers)
std::uint32_t integer_share(const Share& share);        // points * servers * weight // total

}  // namespace counts
}  // namespace ratectl::sharding
