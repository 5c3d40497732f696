// How far a sweep came, and what a later one needs to go on from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/node.h"

namespace ratectl::store {

/// How far the sweep of one shard came, as a later one needs it to go on.
struct ScanCursor {
    std::string shard;
    std::string node;    // whose cursor it is
    std::string run_id;  // of which process; another one knows nothing of the cursor, and its shard starts over
    std::string cursor = "0";
    bool complete = false;      // not read again
    std::uint64_t windows = 0;  // shown before the cursor
};

/// Of a Redis Cluster: what the primary of a shard said of its slots behind the last page that its cursor tells of. In
/// a mark without an id: it did not say, and what was noted of the shard before stands.
struct SlotsThen {
    std::string shard;
    std::string node_id;
    std::string epoch;
    std::string slots;  // `0-5460 5470`

    bool operator==(const SlotsThen&) const = default;
};

/// Without it no cursor of a Redis Cluster is of use: windows of slots that moved since may be behind all of them.
struct SlotRecord {
    std::vector<SlotsThen> shards = {};
    std::string moved = {};  // slots that did not stay where they were, `5 77-80`: all of their windows are still owed

    bool operator==(const SlotRecord&) const = default;
};

/// How far the sweep of one shard came.
struct ShardProgress {
    std::size_t shard = 0;
    std::optional<domain::Node> node;  // the node that is, or was, read
    bool complete = false;             // to the end of the key space, and the caller has finished with every page
    bool stale = false;
    std::uint64_t windows = 0;   // in the pages before the cursor, those of the sweep that was resumed among them
    std::uint64_t keys = 0;      // that SCAN has returned since it (re)started, before any filter
    std::uint64_t restarts = 0;  // another process answered in mid-scan, or when a sweep was resumed
    std::string run_id;          // of the process whose cursor it is; empty: the server would not say
    /// Everything before it was in pages that the caller has finished with: it has asked for the one after.
    std::string cursor = "0";
};

struct ScanMark {
    std::vector<ShardProgress> shards;  // of a Redis Cluster: those whose primary has told its slots
    SlotRecord slots = {};
    bool finished = false;  // nothing is owed
};

}  // namespace ratectl::store
