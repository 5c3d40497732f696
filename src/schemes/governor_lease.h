// The lease of a governor as a script call, and what its reply means; lua/governor/lease.lua.
#pragma once

#include <string>
#include <string_view>

#include "domain/governor/lease.h"
#include "redis/script.h"
#include "support/error.h"

namespace ratectl::schemes::governor {

extern const redis::Script kLeaseScript;

/// `ratectl:governor:THROTTLE`, and `ratectl:governor:{TAG}:THROTTLE` where the tag brings it into the throttle's slot.
std::string governor_key(std::string_view throttle, std::string_view tag = {});
redis::ScriptCall lease_call(const domain::governor::LeaseCall& call, std::string_view tag = {});
/// Total over any reply: what is none of the script's is an error (protocol).
support::Result<domain::governor::LeaseAnswer> decode_lease(const redis::Reply& reply);

}  // namespace ratectl::schemes::governor
