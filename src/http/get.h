// One GET over a connection of its own, over our own transport: its timeouts, TLS and stop signal are those of Redis;
// and where an HTTP server is asked: an absolute http:// or https:// URL without a secret in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/endpoint.h"
#include "support/error.h"
#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::http {

struct Url {
    domain::Endpoint endpoint;
    std::string path;  // what stands behind the host, without a `/` at its end; may be empty

    /// `host:9090`, `[::1]:9090`, without the port where it is the usual one.
    std::string authority() const;
    /// `https://host:9090/path`.
    std::string text() const;
};

/// Errors (usage) say what is wrong, and never repeat the URL: a user and password (they would be seen by every user of
/// the machine), a query or a fragment, another scheme, no host.
support::Result<Url> parse_url(std::string_view text);

/// For a value in a query: whatever is not unreserved (RFC 3986) as `%XX`.
std::string percent_encoded(std::string_view text);

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
