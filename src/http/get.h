// One GET over a connection of its own, over our own transport: its timeouts, TLS and stop signal are those of Redis.
#pragma once

#include <optional>
#include <string>

#include "domain/endpoint.h"
#include "http/url.h"
#include "support/error.h"
#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::http {

struct Question {
    Url server;
    std::string target;                   // behind the server's path: `/api/v1/query?query=up`
    std::optional<domain::Secret> token;  // sent as `Authorization: Bearer`
    domain::TlsOptions tls;
};

struct Answer {
    unsigned status = 0;
    std::string body;  // 1 MiB at most
};

/// Redirects are not followed: they are an answer like others. Errors name the server: unreachable or silent
/// (unavailable), nothing that is HTTP, or too much of it (protocol), stopped (the first signal ends it).
support::Result<Answer> get(const Question& question, support::Deadline deadline, const support::StopSignal& stop);

}  // namespace ratectl::http
