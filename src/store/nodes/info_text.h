// The text of INFO as facts, and ROLE's array.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/node.h"
#include "redis/reply.h"

namespace ratectl::store {

/// By command, in lower case.
using CallCounts = std::map<std::string, std::int64_t, std::less<>>;

/// `name:value` lines; comments and anything else are passed over.
class InfoText {
public:
    explicit InfoText(std::string_view text);
    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> number(std::string_view name) const;
    /// INFO commandstats: how often this command (`swapdb`) was called.
    std::int64_t calls_of(std::string_view command) const;
    /// INFO commandstats: how often each was called.
    CallCounts calls() const;

private:
    std::map<std::string, std::string, std::less<>> lines_;
};

/// `slave0:ip=10.0.0.8,port=6379,state=online ...` lines as host and port.
struct Address {
    std::string host;
    std::uint16_t port = 0;
    std::string text() const;
};
std::vector<Address> replicas_in(const InfoText& info);

/// INFO replication.
domain::History history_in(const InfoText& info);

/// ROLE's reply; nothing of it that is not well-formed.
struct RoleReply {
    std::optional<domain::Role> role;
    std::optional<std::int64_t> offset;
    std::optional<bool> link_up;     // replica
    std::optional<Address> primary;  // replica
    std::vector<Address> replicas;   // primary
};
RoleReply parse_role(const redis::Reply& reply);

/// `redis`, `valkey`, `keydb` ..., by the whole of INFO, or INFO server.
std::optional<std::string> product_in(const InfoText& info);

/// What INFO, ROLE and DBSIZE said, in one value; null where they would not.
void add_info_facts(const InfoText& info, domain::NodeFacts& facts);
void add_role_facts(const RoleReply& role, domain::NodeFacts& facts);

}  // namespace ratectl::store
