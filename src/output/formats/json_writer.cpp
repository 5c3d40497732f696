// Writes JSON objects and arrays; strings as all machine formats have them.
#include "output/formats/json_writer.h"

#include <fmt/format.h>

#include <utility>

#include "output/formats/machine_text.h"

namespace ratectl::output {

void JsonWriter::open(char bracket) {
    comma();
    text_ += bracket;
    fresh_ = true;
}

void JsonWriter::close(char bracket) {
    text_ += bracket;
    fresh_ = false;
}

JsonWriter& JsonWriter::name(std::string_view name) {
    comma();
    append_json_string(text_, name);
    text_ += ':';
    fresh_ = true;
    return *this;
}

void JsonWriter::raw(std::string_view json) {
    comma();
    text_ += json;
}

void JsonWriter::member(std::string_view name, std::string_view text) {
    this->name(name).comma();
    append_json_string(text_, text);
}

void JsonWriter::member(std::string_view name, std::optional<std::int64_t> value) {
    value ? integer(name, *value) : null(name);
}

void JsonWriter::member(std::string_view name, std::optional<double> value) {
    value ? this->name(name).raw(fmt::format("{:.2f}", *value)) : null(name);
}

void JsonWriter::member(std::string_view name, support::Instant t) {
    integer(name, support::epoch_seconds(t));
    this->name(std::string(name) + "_iso").comma();
    text_ += '"';
    append_iso(text_, t);
    text_ += '"';
}

void JsonWriter::null(std::string_view name) { this->name(name).raw("null"); }

std::string JsonWriter::take() {
    fresh_ = true;
    return std::exchange(text_, {});
}

void JsonWriter::integer(std::string_view name, std::int64_t value) {
    this->name(name).comma();
    append_integer(text_, value);
}

void JsonWriter::comma() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
}

}  // namespace ratectl::output
