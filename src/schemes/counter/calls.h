// The scripts of counters that are lists, an element a request.
#pragma once

#include "redis/script.h"

namespace ratectl::schemes::counter::calls {

/// Embedded from lua/counter/ at build, behind calls.lua.
extern const redis::Script kCountScript;
extern const redis::Script kRefundScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;

}  // namespace ratectl::schemes::counter::calls
