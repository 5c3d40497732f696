// What bucket4j keeps under a key: the settings and the state of a bucket's bandwidths, big-endian, formats 1 and 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ratectl::domain::objects {

struct Bandwidth {
    std::int64_t capacity = 0;   // in tokens, at least 1
    std::int64_t period_ns = 0;  // in which so many come back, at least 1
    std::int64_t refill = 0;     // at least 1
    bool at_once = false;        // what comes back does so at the end of a period
    std::int64_t last_ns = 0;    // since 1970: filled up to there
    std::int64_t tokens = 0;     // then
};

/// At least one; null: no such bytes, whole and with no other state than that of long integers.
std::optional<std::vector<Bandwidth>> bucket4j_in(std::string_view bytes);

}  // namespace ratectl::domain::objects
