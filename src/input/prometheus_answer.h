// What a Prometheus server answers to an instant query (HTTP API v1), and the many servers that speak like it.
#pragma once

#include <string>
#include <string_view>

#include "support/error.h"

namespace ratectl::input {

/// The one number that a query was to give.
struct PrometheusSample {
    bool is_series = false;  // else a scalar
    std::string at;          // the epoch second for which it was evaluated, as JSON has it
    std::string value;       // `1.5`, `NaN`, `+Inf`
};

/// Errors (protocol): it is no such answer, it tells of an error, there is no series, or more than one.
support::Result<PrometheusSample> sample_in(std::string_view body);

}  // namespace ratectl::input
