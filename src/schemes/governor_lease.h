// The lease of a governor as a script call, and what its reply means; lua/governor/lease.lua.
#pragma once

#include <string>
#include <string_view>

#include "domain/governor/lease.h"
#include "redis/script.h"
#include "support/error.h"

namespace ratectl::schemes::governor {

extern const redis::Script kLeaseScript;

/// `ratectl:governor:THROTTLE`
std::string governor_key(std::string_view throttle);
redis::ScriptCall lease_call(const domain::governor::LeaseCall& call);
/// Total over any reply: what is none of the script's is an error (protocol).
support::Result<domain::governor::LeaseAnswer> decode_lease(const redis::Reply& reply);

}  // namespace ratectl::schemes::governor
