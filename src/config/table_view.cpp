// One table of a TOML file, read key by key.
#include "config/table_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/keys.h"
#include "support/suggest.h"
#include "support/time_text.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

std::string_view kind_of(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table: return "a table";
        case toml::node_type::array: return "an array";
        case toml::node_type::string: return "a text";
        case toml::node_type::integer: return "an integer";
        case toml::node_type::floating_point: return "a number with a fraction";
        case toml::node_type::boolean: return "true or false";
        default: return "a date or time";
    }
}

std::string place_of(const std::string& file, const toml::node& node) {
    const auto& begin = node.source().begin;
    return fmt::format("{}:{}:{}", file, begin.line, begin.column);
}

std::string dotted(const std::string& path, std::string_view key) {
    return path.empty() ? std::string{key} : fmt::format("{}.{}", path, key);
}

}  // namespace

TableView::TableView(const toml::table& table, std::string file, std::string path, std::string_view schema,
                     Complaints complaints)
    : table_(&table), file_(std::move(file)), path_(std::move(path)), schema_(schema), complaints_(complaints) {
    refuse_unknown_keys();
}

void TableView::refuse_unknown_keys() const {
    const std::vector<std::string> known = keys_of(schema_);
    for (const auto& [key, node] : *table_) {
        const std::string name{key.str()};
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        std::string hint = support::did_you_mean(name, known);
        if (hint.empty()) hint = fmt::format("known here: {}", fmt::join(known, ", "));
        const auto& begin = key.source().begin;
        part([&] {
            throw Failure(
                ExitCode::configuration,
                fmt::format("{}:{}:{}: unknown key '{}'", file_, begin.line, begin.column, dotted(path_, name)), hint);
        });
    }
}

const toml::node* TableView::find(std::string_view key) const {
    const std::vector<std::string> known = keys_of(schema_);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
        throw Failure(ExitCode::bug, fmt::format("the configuration parser asks for a key that it does not list: {}.{}",
                                                 schema_, key));
    }
    return table_->get(key);
}

void TableView::fail_at(const toml::node& node, const std::string& name, const std::string& message,
                        const std::string& hint) const {
    throw Failure(ExitCode::configuration, fmt::format("{}: {}: {}", place_of(file_, node), name, message), hint);
}

void TableView::fail(std::string_view key, const std::string& message, const std::string& hint) const {
    const toml::node* node = table_->get(key);
    fail_at(node ? *node : *table_, dotted(path_, key), message, hint);
}

void TableView::wrong_type(std::string_view key, std::string_view wanted) const {
    fail(key, fmt::format("must be {}, not {}", wanted, kind_of(*table_->get(key))));
}

bool TableView::is_table(std::string_view key) const {
    const toml::node* node = find(key);
    return node && node->is_table();
}

bool TableView::is_array(std::string_view key) const {
    const toml::node* node = find(key);
    return node && node->is_array();
}

std::optional<std::string> TableView::text(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const auto* value = node->as_string();
    if (!value) wrong_type(key, "a text in quotes");
    if (value->get().empty()) fail(key, "must not be empty");
    return value->get();
}

std::optional<std::int64_t> TableView::integer(std::string_view key, std::int64_t least, std::int64_t most) const {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const auto* value = node->as_integer();
    if (!value) wrong_type(key, "an integer");
    if (value->get() < least || value->get() > most)
        fail(key, fmt::format("must be between {} and {}, not {}", least, most, value->get()));
    return value->get();
}

std::optional<bool> TableView::boolean(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const auto* value = node->as_boolean();
    if (!value) wrong_type(key, "true or false");
    return value->get();
}

std::optional<support::Milliseconds> TableView::duration(std::string_view key, support::Milliseconds least,
                                                         support::Milliseconds most) const {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    if (!node->is_string()) {
        const std::string hint =
            node->is_integer() ? fmt::format("write the unit, too: {} = \"{}s\"", key, node->as_integer()->get()) : "";
        fail(key, fmt::format("must be a duration such as \"2s\", not {}", kind_of(*node)), hint);
    }
    const auto value = take(key, support::parse_duration(node->as_string()->get()));
    if (value < least || value > most) {
        fail(key,
             fmt::format("must be between {} and {}", support::format_duration(least), support::format_duration(most)));
    }
    return value;
}

std::optional<std::size_t> TableView::word(std::string_view key, std::span<const std::string> words) const {
    const auto value = text(key);
    if (!value) return std::nullopt;
    const auto at = std::find(words.begin(), words.end(), *value);
    if (at == words.end()) {
        fail(key, fmt::format("'{}' is not one of {}", *value, fmt::join(words, ", ")),
             support::did_you_mean(*value, words));
    }
    return static_cast<std::size_t>(at - words.begin());
}

std::vector<std::string> TableView::texts(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return {};
    const auto* array = node->as_array();
    if (!array) wrong_type(key, "an array of texts");
    std::vector<std::string> values;
    for (std::size_t i = 0; i < array->size(); ++i) {
        const toml::node& element = (*array)[i];
        const std::string name = fmt::format("{}[{}]", dotted(path_, key), i);
        if (!element.is_string())
            fail_at(element, name, fmt::format("must be a text in quotes, not {}", kind_of(element)));
        if (element.as_string()->get().empty()) fail_at(element, name, "must not be empty");
        values.push_back(element.as_string()->get());
    }
    return values;
}

std::optional<TableView> TableView::table(std::string_view key, std::string_view schema) const {
    const toml::table* value = free_table(key);
    if (!value) return std::nullopt;
    return TableView(*value, file_, dotted(path_, key), schema, complaints_);
}

std::vector<TableView> TableView::tables(std::string_view key, std::string_view schema) const {
    const toml::node* node = find(key);
    if (!node) return {};
    const auto* array = node->as_array();
    if (!array) wrong_type(key, "an array of tables");
    std::vector<TableView> views;
    for (std::size_t i = 0; i < array->size(); ++i) {
        const toml::node& element = (*array)[i];
        std::string name = fmt::format("{}[{}]", dotted(path_, key), i);
        if (!element.is_table()) fail_at(element, name, fmt::format("must be a table, not {}", kind_of(element)));
        views.emplace_back(*element.as_table(), file_, std::move(name), schema, complaints_);
    }
    return views;
}

const toml::table* TableView::free_table(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return nullptr;
    if (!node->is_table()) wrong_type(key, "a table");
    return node->as_table();
}

Origin TableView::origin(std::string_view key) const {
    const toml::node* node = table_->get(key);
    return {Origin::Kind::file, fmt::format("{}:{}", file_, (node ? *node : *table_).source().begin.line)};
}

support::Result<std::string> check_name(std::string name) {
    if (name.empty()) return support::failure(ExitCode::configuration, "a name must not be empty");
    if (name.size() > 255) return support::failure(ExitCode::configuration, "a name has at most 255 bytes");
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            return support::failure(ExitCode::configuration, "a name cannot hold control characters");
        if (c == ',') {
            return support::failure(ExitCode::configuration, "a name cannot hold a comma",
                                    "flags separate several names by commas");
        }
    }
    return name;
}

}  // namespace ratectl::config
