// What a governor leaves for its next run: its last decision, as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/governor/decide.h"

namespace ratectl::domain::governor {

std::string text_of(const Decision& decision);
/// Null: it is not what text_of() writes. What it is may have been changed by anything all the same.
std::optional<Decision> decision_in(std::string_view text);

}  // namespace ratectl::domain::governor
