// The columns of config show and config check.
#pragma once

#include <span>
#include <string>

#include "output/field.h"

namespace ratectl::commands {

/// One value in force; a null origin is never printed: defaults say `default`.
struct ShownValue {
    std::string name;
    std::string value;
    std::string origin;
};

/// One thing that was checked.
struct CheckedThing {
    enum class Result { ok, note, warning, failed };
    std::string check;
    Result result = Result::ok;
    std::string detail;
    std::string origin;           // empty: nowhere in particular
    std::string deployment = {};  // the one that it belongs to
};

std::span<const output::Field<ShownValue>> shown_value_fields();
std::span<const output::Field<CheckedThing>> checked_thing_fields();

}  // namespace ratectl::commands
