// Tells names of deployments, files and URLs apart by how they are written.
#include "commands/request/deployment_name.h"

#include <string_view>

#include <fmt/format.h>

namespace ratectl::commands {
namespace {

using support::Failure;

bool is_file(std::string_view text) { return text.ends_with(".toml") || text.find('/') != std::string_view::npos; }

}  // namespace

DeploymentName parse_deployment_name(const std::string& text) {
    if (text.empty()) throw Failure(ExitCode::usage, "a deployment is empty", "an unset variable of the shell?");
    if (text.ends_with(".toml")) return {text, std::nullopt, std::nullopt};
    const auto colon = text.rfind(':');
    if (colon != std::string::npos && is_file(std::string_view(text).substr(0, colon))) {
        if (colon + 1 == text.size())
            throw Failure(ExitCode::usage, fmt::format("'{}' names no deployment behind the colon", text));
        return {text.substr(0, colon), text.substr(colon + 1), std::nullopt};
    }
    if (is_file(text)) return {text, std::nullopt, std::nullopt};
    return {std::nullopt, text, std::nullopt};
}

DeploymentName parse_deployment_or_url(const std::string& text) {
    const bool is_url = text.find("://") != std::string::npos || text.starts_with("env:");
    if (is_url) return {std::nullopt, std::nullopt, text};
    return parse_deployment_name(text);
}

}  // namespace ratectl::commands
