// What a change did to a window: in one cell for people, and the halves before and after it, each in its own.
#pragma once

#include <optional>
#include <string>

#include "domain/write.h"
#include "output/cell.h"

namespace ratectl::commands {

/// `4998 -> 4958`, `7 -> none`; of a repair `expires never -> 2026-01-01T00:00:01Z`, each half by itself where they
/// differ.
std::string change_words(const domain::StoredWindow& before, const domain::StoredWindow& after, bool about_expiries);
/// The first part of a repair's, where it is not known what the expiries became.
std::string expiry_words(const domain::StoredWindow& window);

/// A half of a StoredWindow as a number, and as a time; null where it is none: what it holds is in the column of bytes.
output::Cell stored_integer(const std::optional<std::string>& half);
output::Cell stored_time(const std::optional<std::string>& half);

}  // namespace ratectl::commands
