// What a change did to a window, in one cell for people.
#pragma once

#include <string>

#include "domain/write.h"

namespace ratectl::commands {

/// `4998 -> 4958`, `7 -> none`; of a repair `expires never -> 2026-01-01T00:00:01Z`, each half by itself where they differ.
std::string change_words(const domain::StoredWindow& before, const domain::StoredWindow& after, bool about_expiries);
/// The first part of a repair's, where nobody knows what the expiries became.
std::string expiry_words(const domain::StoredWindow& window);

}  // namespace ratectl::commands
