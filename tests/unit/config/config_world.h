// A temporary home with configuration files in it, and the environment that resolve() is shown.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <sys/stat.h>

#include "config/settings.h"
#include "support/contains.h"
#include "support/error.h"

namespace ratectl::config {

using test::contains;

class ConfigWorld {
public:
    ConfigWorld() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ratectl-config-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        env["HOME"] = path("home");
    }
    ~ConfigWorld() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ConfigWorld(const ConfigWorld&) = delete;
    ConfigWorld& operator=(const ConfigWorld&) = delete;

    std::string path(const std::string& name) const { return folder_ + "/" + name; }

    /// Writes a file below the folder and returns its path.
    std::string write(const std::string& name, const std::string& text, mode_t mode = 0600) {
        const std::filesystem::path file = path(name);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        ::chmod(file.c_str(), mode);
        return file.string();
    }

    World world() const {
        World result;
        result.env = [this](const std::string& name) -> std::optional<std::string> {
            const auto found = env.find(name);
            if (found == env.end()) return std::nullopt;
            return found->second;
        };
        result.now = support::from_epoch(1'800'000'000);
        result.system_file = path("etc/ratectl.toml");
        return result;
    }

    Settings resolve(const Overrides& overrides = {}) const { return config::resolve(overrides, world()); }
    /// Resolves with that text as --config.
    Settings resolve_text(const std::string& text, Overrides overrides = {}) {
        overrides.config_file = write("ratectl.toml", text);
        return resolve(overrides);
    }

    /// The error that resolving ends with; code `done` when it does not fail.
    support::Error error(const Overrides& overrides = {}) const {
        try {
            resolve(overrides);
        } catch (const support::Failure& failure) {
            return failure.error();
        }
        return {support::ExitCode::done, "", ""};
    }
    support::Error error_of_text(const std::string& text, Overrides overrides = {}) {
        overrides.config_file = write("ratectl.toml", text);
        return error(overrides);
    }

    std::map<std::string, std::string> env;

private:
    std::string folder_;
};

/// The smallest file that is right; more keys of the deployment go into `more`.
inline std::string one_shard(const std::string& more = "") {
    return "[deployments.main]\n" + more + "\n[[deployments.main.shards]]\nprimary = \"redis://127.0.0.1:7001\"\n";
}

/// What `config show` prints for a name, or empty.
inline std::string shown(const Settings& settings, const std::string& name) {
    for (const auto& [key, value] : settings.shown()) {
        if (key == name) return value;
    }
    return "";
}

}  // namespace ratectl::config
