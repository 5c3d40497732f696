// What a sentinel says of one shard: its primary, its replicas, and how it fares.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redis/reply.h"
#include "redis/request.h"
#include "store/nodes/info_text.h"

namespace ratectl::store::sentinel {

struct Word {
    Address primary;
    std::vector<Address> replicas;  // as they were ever seen: some may be gone
    std::int64_t epoch = 0;         // grows with every failover; of two that differ, the later one is newer
    bool is_down = false;           // the primary does not answer this sentinel
    bool is_failing_over = false;
};

/// SENTINEL MASTER, SENTINEL REPLICAS and SENTINEL GET-MASTER-ADDR-BY-NAME: while a sentinel ends a failover, MASTER
/// has the epoch of the new primary, and still the address of the former one.
redis::Request question(const std::string& master);
/// Null: no sentinel's answer. The last reply may be nil: it is not allowed.
std::optional<Word> read_word(std::span<const redis::Reply> replies);

/// Of SENTINEL MASTER and SENTINEL REPLICAS: this sentinel does not watch it.
bool is_unknown_master(const redis::Reply& reply);
/// The names in the reply to SENTINEL MASTERS, sorted; empty where it is another one.
std::vector<std::string> masters_in(const redis::Reply& reply);

}  // namespace ratectl::store::sentinel
