// Where a deployment's password comes from, and fetching it: a file, an environment variable, a command, or the
// configuration itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "domain/endpoint.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::config {

struct PasswordSource {
    enum class Kind { text, file, environment, command };
    Kind kind = Kind::text;
    std::string from;     // the absolute path, the variable's name, or the command
    domain::Secret text;  // Kind::text only
    Origin origin;
};

/// The key that says it: `password`, `password_file`, ...
std::string_view key_of(PasswordSource::Kind kind);

/// Throws Failure (configuration) at the source's origin when there is no password to be had; never with what was read.
domain::Secret fetch_password(const PasswordSource& source, const World& world);

/// What a file holds that only its owner may write, without the end of its line. Throws Failure (configuration) where
/// there is none, or others could have written it; `named`: what the file was given as, `--load-token-file`.
domain::Secret secret_in_file(const std::string& path, const std::string& named);

/// The first line that `/bin/sh -c command` writes, run without standard input in a process group of its own. Errors
/// (configuration): cannot be started, ended with another status than 0, wrote nothing, took longer than `limit` (it is
/// killed then). Throws Failure when patience is over sooner. `complaint`: null: its standard error is ours; else that
/// is not, and the last line of it (of the last 4 KiB; raw bytes) is left there.
support::Result<std::string> first_line_of_command(const std::string& command, support::Milliseconds limit,
                                                   const support::Patience& patience = {},
                                                   std::string* complaint = nullptr);

}  // namespace ratectl::config
