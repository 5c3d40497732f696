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

[[noreturn]] void refuse(const PasswordSource& source, const std::string& message, std::string hint = {}) {
    throw Failure(ExitCode::configuration, fmt::format("{}: {}", source.origin.text, message), std::move(hint));
}

std::string without_line_end(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    return text;
}

std::string from_file(const PasswordSource& source) {
    auto file = read_regular_file(source.from, kLargestPasswordFile, source.origin.text + ": password_file");
    if (!file) refuse(source, fmt::format("password_file {} does not exist", source.from));
    if (file->foreign_owner) {
        refuse(source, fmt::format("password_file {} belongs to another user, and is not read", source.from),
               "the owner must be you or root");
    }
    if (!file->open_to_others.empty()) {
        refuse(source, fmt::format("password_file {} is not read, because {}", source.from, words_of_open_place(*file)),
               "chmod go-w " + file->open_to_others);
    }
    std::string password = without_line_end(std::move(file->text));
    if (password.empty()) refuse(source, fmt::format("password_file {} is empty", source.from));
    return password;
}

std::string from_environment(const PasswordSource& source, const World& world) {
    auto password = world.env(source.from);
    if (!password || password->empty())
        refuse(source, fmt::format("password_env names {}, which is not set", source.from));
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

domain::Secret fetch_password(const PasswordSource& source, const World& world) {
    switch (source.kind) {
        case PasswordSource::Kind::text: return source.text;
        case PasswordSource::Kind::file: return domain::Secret(from_file(source));
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
