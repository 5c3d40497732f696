// Asks a throw-away server one thing on a connection of its own, and waits for the answer.
#pragma once

#include <string>
#include <vector>

#include "domain/endpoint.h"
#include "redis/reply.h"
#include "support/error.h"

namespace ratectl::sandbox {

/// Errors: as those of opening a connection and of an exchange on it.
support::Result<redis::Reply> ask(const domain::Endpoint& server, const std::vector<std::string>& words);

/// It answers: also when it wants another password, but not while it still loads.
bool answers(const domain::Endpoint& server);

}  // namespace ratectl::sandbox
