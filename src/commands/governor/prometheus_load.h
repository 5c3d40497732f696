// A load that a Prometheus server knows.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "commands/governor/loads.h"

namespace ratectl::commands::governor {

struct PrometheusFlags {
    std::string url;
    std::string query;
    std::string token_file;  // empty: no login
    std::string ca_file;     // empty: the system's authorities
};

/// Throws Failure (usage) for what is no URL, and (configuration) where the token cannot be read.
std::unique_ptr<LoadSource> prometheus_load(const PrometheusFlags& flags, std::string name, Context& context);

}  // namespace ratectl::commands::governor
