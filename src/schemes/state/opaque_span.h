// The scripts of opaque windows that are a hash.
#pragma once

#include "redis/script.h"

namespace ratectl::schemes::opaque_span {

/// Embedded from lua/state/ at build, behind opaque_span.lua.
extern const redis::Script kCountScript;
extern const redis::Script kRefundScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;

}  // namespace ratectl::schemes::opaque_span
