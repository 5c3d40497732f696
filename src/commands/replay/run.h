// A whole replay: consent, the play, the report and how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "commands/context.h"
#include "commands/replay/request_source.h"
#include "commands/write/consent.h"
#include "commands/write/write_order.h"
#include "domain/policy.h"
#include "support/time.h"

namespace ratectl::commands::replay {

/// A replay with its flags checked.
struct Play {
    std::string log;            // a path, or `-`
    domain::PolicyBook policy;  // exactly one: key template, limit, classes
    support::Seconds period{};
    bool enforce = false;
    LogRules rules;
    ConsentFlags consent;
    OrderFlags order;
};

ExitCode run(const Play& play, Context& context);

}  // namespace ratectl::commands::replay
