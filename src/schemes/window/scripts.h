// The scripts of the window layout, embedded from lua/ at build.
#pragma once

#include "redis/script.h"

namespace ratectl::schemes::window {

extern const redis::Script kCheckScript;
extern const redis::Script kRateScript;
extern const redis::Script kRefundScript;
extern const redis::Script kRepairScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;

}  // namespace ratectl::schemes::window
