// Writes JSON objects and arrays with their commas, for documents that are not rows.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::output {

/// The caller opens and closes; an array's items and an object's members follow one another as they are written.
class JsonWriter {
public:
    void open(char bracket);
    void close(char bracket);
    /// What is written next belongs to this name.
    JsonWriter& name(std::string_view name);
    /// JSON that is already written.
    void raw(std::string_view json);

    void member(std::string_view name, std::string_view text);
    void member(std::string_view name, const char* text) { member(name, std::string_view(text)); }
    void member(std::string_view name, bool value) { this->name(name).raw(value ? "true" : "false"); }
    void member(std::string_view name, std::integral auto value) { integer(name, static_cast<std::int64_t>(value)); }
    /// Without this one a plain double would become a bool.
    void member(std::string_view name, double value) { member(name, std::optional(value)); }
    /// Null where there is none.
    void member(std::string_view name, std::optional<std::int64_t> value);
    /// With two decimals; null where there is none.
    void member(std::string_view name, std::optional<double> value);
    /// The epoch second, and as `name_iso` the same for people.
    void member(std::string_view name, support::Instant t);
    void null(std::string_view name);

    /// What was written; the writer is empty then.
    std::string take();

private:
    void integer(std::string_view name, std::int64_t value);
    void comma();

    std::string text_;
    bool fresh_ = true;  // nothing stands before the next value that it needs a comma from
};

}  // namespace ratectl::output
