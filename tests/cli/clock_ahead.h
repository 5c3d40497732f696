// Programs and servers whose wall clock is wrong.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "support/built_programs.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

/// What a program has to be started with so that its wall clock is ahead by so much.
inline std::map<std::string, std::string> clock_ahead(std::chrono::milliseconds by) {
    // A sanitizer wants to come first.
    return {{"LD_PRELOAD", shifted_clock()},
            {"RATECTL_TEST_CLOCK_SHIFT_MS", std::to_string(by.count())},
            {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
}
inline RunOptions with_clock_ahead(std::chrono::milliseconds by) {
    RunOptions options;
    options.environment = clock_ahead(by);
    return options;
}
inline RedisServerOptions server_with_clock_ahead(std::chrono::milliseconds by) {
    RedisServerOptions options;
    for (const auto& [name, value] : clock_ahead(by)) options.environment.push_back(name + "=" + value);
    return options;
}

}  // namespace ratectl::test
