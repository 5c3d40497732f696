// What has to be known around a look before it can be judged: clocks, the policy's period, the suffix.
#pragma once

#include <optional>
#include <string_view>

#include "commands/doctor/servers.h"
#include "config/settings.h"
#include "domain/diagnosis/finding.h"

namespace ratectl::commands::doctor {

/// Settings and servers outlive it.
class Surroundings {
public:
    Surroundings(const config::Settings& settings, const Servers& servers) : settings_(settings), servers_(servers) {}

    domain::Circumstances of(const std::optional<domain::PolicyMatch>& match, const domain::Node& node,
                             support::WallTime read_at) const;

private:
    const config::Settings& settings_;
    const Servers& servers_;
};

}  // namespace ratectl::commands::doctor
