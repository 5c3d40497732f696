// --max-latency and --ops: how gentle a sweep is to the servers, the same words for every command that sweeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace ratectl::commands {

/// As given.
struct PaceFlags {
    std::optional<std::string> max_latency;
    std::optional<std::string> ops;
};

void bind_pace(CLI::App& app, PaceFlags& flags);
/// What a page may keep the servers' other clients waiting; 1 ms unless given. Throws Failure (usage).
std::chrono::microseconds max_latency_of(const PaceFlags& flags);
/// Commands a second to each server, `N` or `N/s`; null: as many as it answers. Throws Failure (usage).
std::optional<std::uint64_t> ops_of(const PaceFlags& flags);

}  // namespace ratectl::commands
