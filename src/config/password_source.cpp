// Fetching a deployment's password from where the configuration says it is.
#include "config/password_source.h"

#include <fmt/format.h>

#include "config/config_file.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

constexpr std::size_t kLargestPasswordFile = 64u << 10;
constexpr support::Milliseconds kCommandLimit{10'000};

[[noreturn]] void refuse(const std::string& message, std::string hint = {}) {
    throw Failure(ExitCode::configuration, message, std::move(hint));
}

std::string without_line_end(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    return text;
}

std::string from_environment(const PasswordSource& source, const World& world) {
    auto password = world.env(source.from);
    if (!password || password->empty())
        refuse(fmt::format("{}: password_env names {}, which is not set", source.origin.text, source.from));
    return *password;
}

}  // namespace

std::string_view key_of(PasswordSource::Kind kind) {
    switch (kind) {
        case PasswordSource::Kind::file: return "password_file";
        case PasswordSource::Kind::environment: return "password_env";
        case PasswordSource::Kind::command: return "password_command";
        case PasswordSource::Kind::text: break;
    }
    return "password";
}

domain::Secret secret_in_file(const std::string& path, const std::string& named) {
    auto file = read_regular_file(path, kLargestPasswordFile, named);
    if (!file) refuse(fmt::format("{} {} does not exist", named, path));
    if (file->foreign_owner) {
        refuse(fmt::format("{} {} belongs to another user, and is not read", named, path),
               "the owner must be you or root");
    }
    if (!file->open_to_others.empty()) {
        refuse(fmt::format("{} {} is not read, because {}", named, path, words_of_open_place(*file)),
               hint_to_close(*file));
    }
    std::string secret = without_line_end(std::move(file->text));
    if (secret.empty()) refuse(fmt::format("{} {} is empty", named, path));
    return domain::Secret(std::move(secret));
}

domain::Secret fetch_password(const PasswordSource& source, const World& world) {
    switch (source.kind) {
        case PasswordSource::Kind::text: return source.text;
        case PasswordSource::Kind::file: return secret_in_file(source.from, source.origin.text + ": password_file");
        case PasswordSource::Kind::environment: return domain::Secret(from_environment(source, world));
        case PasswordSource::Kind::command: break;
    }
    auto line = first_line_of_command(source.from, kCommandLimit, world.patience);
    if (!line) {
        throw Failure(line.error().code,
                      fmt::format("{}: password_command: {}", source.origin.text, line.error().message),
                      line.error().hint);
    }
    return domain::Secret(std::move(*line));
}

}  // namespace ratectl::config
