// The fuzz targets: each takes any bytes and throws Broken when a promise of the code under test does not hold.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fuzz/input_targets.h"
#include "fuzz/operation_targets.h"
#include "fuzz/rdb_targets.h"
#include "fuzz/reply_targets.h"
#include "fuzz/text_targets.h"

namespace ratectl::fuzz {

struct Target {
    std::string_view name;  // also its folder in corpus/
    void (*run)(std::string_view bytes);
};

inline std::span<const Target> targets() {
    static constexpr Target kTargets[] = {
        {"reply", reply},
        {"look", look},
        {"write_answer", write_answer},
        {"operation", operation},
        {"server_error", server_error},
        {"printable", printable},
        {"key_format", key_format},
        {"glob", glob},
        {"key_template", key_template},
        {"numbers", numbers},
        {"key_rows", key_rows},
        {"round_trip", round_trip},
        {"access_log", access_log},
        {"rdb", rdb},
        {"lzf", lzf},
        {"config", config},
        {"twemproxy", twemproxy},
        {"endpoint", endpoint},
        {"arguments", arguments},
        {"placement", placement},
    };
    return kTargets;
}

}  // namespace ratectl::fuzz
