// The tables of the journal.
#pragma once

#include "journal/database.h"

namespace ratectl::journal {

/// Makes the tables where there are none yet, all of them or nothing. Throws Failure (local_io): the file is no
/// journal, or a ratectl with other tables wrote it.
void prepare_schema(Database& database);

}  // namespace ratectl::journal
