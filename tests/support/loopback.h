// Sockets of links that tests put between two programs.
#pragma once

#include "domain/endpoint.h"
#include "support/proxied_link.h"

namespace ratectl::test {

/// The result of a system call; throws std::system_error where it is negative.
int checked(int result, const char* what);

/// A listener that does not block, on a port of its own.
OwnedFd listen_on_loopback();
domain::Endpoint endpoint_of(const OwnedFd& listener);
/// Null descriptor: no client has connected.
OwnedFd accept_from(const OwnedFd& listener);
/// Does not wait; closed when there is no server.
OwnedFd connect_to(const domain::Endpoint& server);

}  // namespace ratectl::test
