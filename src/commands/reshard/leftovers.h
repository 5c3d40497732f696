// Copies that an earlier reshard left behind when it was killed between copying and removing.
#pragma once

#include <string>

#include "commands/context.h"
#include "domain/write.h"

namespace ratectl::commands::reshard {

/// True when the window that stands on that shard of `side` is, byte for byte, what a reshard has put there: by this machine's journal, or where
/// that does not know the outcome, by the operation key on the server. Then it is no window of the application's own.
bool is_own_copy(const std::string& key, std::size_t shard, const domain::StoredWindow& there, OpenDeployment& side,
                 journal::Journal& journal);

}  // namespace ratectl::commands::reshard
