// Journals of schema version 1, which kept a row for every window.
#pragma once

#include "journal/database.h"

namespace ratectl::journal {

/// Packs the tables `intent` and `outcome` into `slice` and `slice_outcomes`, some thousand rows at a time. Throws Failure (local_io).
void pack_rows_of_version_1(Database& database);

}  // namespace ratectl::journal
