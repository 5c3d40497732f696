// Where an HTTP server is asked: an absolute http:// or https:// URL without a secret in it.
#pragma once

#include <string>
#include <string_view>

#include "domain/endpoint.h"
#include "support/error.h"

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

}  // namespace ratectl::http
