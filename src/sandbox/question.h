// One question to a server of ours at a time, and waiting until the answers are what they should be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "domain/endpoint.h"
#include "redis/reply.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::sandbox {

inline constexpr support::Milliseconds kAnswerTimeout{5000};

/// Errors: as those of opening a connection and of an exchange on it; what the server refuses is a reply.
support::Result<redis::Reply> ask(const domain::Endpoint& server, const std::vector<std::string>& words,
                                  support::Milliseconds timeout = kAnswerTimeout);
/// The same, and that it is no error reply (local_io).
support::Result<void> expect_ok(const domain::Endpoint& server, const std::vector<std::string>& words);
/// Asks `done` again and again; it may say what it has seen. Error (local_io): not by the deadline.
support::Result<void> await(const std::string& what, support::Deadline deadline,
                            const std::function<bool(std::string& seen)>& done);

}  // namespace ratectl::sandbox
