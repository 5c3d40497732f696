// The columns of config show, check and names.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

/// What the configuration gives a name to.
struct ConfigName {
    std::string name;
    std::string_view kind;  // deployment, policy, shard, class
};

std::span<const output::Field<ShownValue>> shown_value_fields();
std::span<const output::Field<CheckedThing>> checked_thing_fields();
std::span<const output::Field<ConfigName>> config_name_fields();

}  // namespace ratectl::commands
