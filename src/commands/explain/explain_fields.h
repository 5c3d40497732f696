// The columns of explain: one window a row, the paragraph among them.
#pragma once

#include <span>
#include <string>

#include "commands/explain/facts.h"
#include "output/field.h"

namespace ratectl::commands {

struct ExplainRow {
    explain::WindowFacts facts;
    std::string zone;  // --tz, for local times; empty: none was given
    std::string text;  // the paragraph
};
std::span<const output::Field<ExplainRow>> explain_fields();

}  // namespace ratectl::commands
