// One table of a TOML file, read key by key with type and range checks whose errors name file, line, column and key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "config/config_file.h"
#include "config/settings.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::config {

/// Parses a file's text. Throws Failure (configuration) naming `file:line:column`; refuses NUL bytes and nesting that
/// is only meant to hurt.
toml::table parse_toml(const ConfigFile& file);

/// A view: the table must outlive it. Values never get into messages, they might be secrets; keys do.
class TableView {
public:
    /// `path` is the table's place as the user wrote it (`deployments.production`), `schema` its name in known_keys().
    /// Throws Failure (configuration) for a key that is not known there, with the nearest that is.
    TableView(const toml::table& table, std::string file, std::string path, std::string_view schema,
              Complaints complaints = nullptr);

    bool has(std::string_view key) const { return table_->contains(key); }
    bool is_table(std::string_view key) const;
    bool is_array(std::string_view key) const;

    /// Null when the key is absent. Texts are never empty.
    std::optional<std::string> text(std::string_view key) const;
    std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) const;
    std::optional<bool> boolean(std::string_view key) const;
    std::optional<support::Milliseconds> duration(std::string_view key, support::Milliseconds least,
                                                  support::Milliseconds most) const;
    /// The index of the text in `words`.
    std::optional<std::size_t> word(std::string_view key, std::span<const std::string> words) const;
    /// Empty when absent.
    std::vector<std::string> texts(std::string_view key) const;
    std::optional<TableView> table(std::string_view key, std::string_view schema) const;
    /// An array of tables; `path` of each is `shards[0]`, ...
    std::vector<TableView> tables(std::string_view key, std::string_view schema) const;
    /// The names and values of a table whose keys the user chooses.
    const toml::table* free_table(std::string_view key) const;

    /// Where the value of a key stands: `file:line`.
    Origin origin(std::string_view key) const;
    const std::string& path() const { return path_; }
    const std::string& file() const { return file_; }

    /// Throws Failure (configuration): `file:line:column: path.key: message`.
    [[noreturn]] void fail(std::string_view key, const std::string& message, const std::string& hint = {}) const;
    [[noreturn]] void fail_at(const toml::node& node, const std::string& name, const std::string& message,
                              const std::string& hint = {}) const;
    /// The value, or fails with the error's words at the key's place.
    template <class T>
    T take(std::string_view key, support::Result<T> result) const {
        if (!result) fail(key, result.error().message, result.error().hint);
        if constexpr (!std::is_void_v<T>) return std::move(*result);
    }

    /// Calls `read` for a part that the others can do without.
    template <class Read>
    void part(Read read) const {
        go_past(complaints_, read);
    }

private:
    const toml::node* find(std::string_view key) const;
    [[noreturn]] void wrong_type(std::string_view key, std::string_view wanted) const;
    void refuse_unknown_keys() const;

    const toml::table* table_;
    std::string file_;
    std::string path_;
    std::string schema_;
    Complaints complaints_;
};

/// Names that people type: no control bytes, no comma, not empty, at most 255 bytes.
support::Result<std::string> check_name(std::string name);

}  // namespace ratectl::config
