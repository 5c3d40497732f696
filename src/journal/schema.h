// The tables of the journal, and how an older file is brought up to date.
#pragma once

#include <span>
#include <string_view>

#include "journal/database.h"

namespace ratectl::journal {

/// What leads from the version before to the next; the first one starts from nothing.
struct SchemaStep {
    int to = 1;
    std::string_view sql;
    /// Carries over what the version before has, where SQL cannot; null: nothing. `after` follows.
    void (*carry)(Database&) = nullptr;
    std::string_view after = {};
};

/// Every version there ever was, oldest first. A released step is never changed: a new one is added.
std::span<const SchemaStep> schema_steps();

/// Takes the file to the last step, all of it or nothing. Throws Failure (local_io): the file is no journal, a newer ratectl wrote it.
void bring_up_to_date(Database& database, std::span<const SchemaStep> steps);

}  // namespace ratectl::journal
