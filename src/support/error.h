// What went wrong, as a value: one enum names every way a command can end, and an Error carries it with words for a
// human.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace ratectl::support {

/// How a command ended; the numbers are the process's exit codes and a promise to scripts (ratectl-exit-codes(7)).
/// 2-7 and 11 promise that nothing was written.
enum class ExitCode : int {
    done = 0,
    attention = 1,        // there is something to look at
    usage = 2,            // the command line is wrong
    configuration = 3,    // the configuration is wrong, or a limit that was needed is unknown
    unavailable = 4,      // a server could not be reached or did not answer in time
    access = 5,           // login, ACL or TLS identity
    write_refused = 6,    // the server refuses writes (replica, memory, disk, too few replicas)
    guard = 7,            // window changed, consent missing, not a window
    unknown = 8,          // a write was sent and its reply was lost
    partial = 9,          // some shards or keys failed, the rest was printed
    local_io = 10,        // a local file, standard input or standard output
    protocol = 11,        // wrong peer or protocol
    bug = 70,             // ratectl broke its own rule
    interrupted = 130,    // SIGINT
    terminated = 143,     // SIGTERM, SIGHUP
    output_closed = 141,  // standard output is not read any more
};

/// The graver of two endings: 8 > 9 > 10 > 130/143 > any other failure > 1 > 0. The first of two equals stays.
ExitCode graver(ExitCode a, ExitCode b);

/// Message: what happened, where, what it means for the data. Hint: what to do next, or empty. Both may hold raw bytes
/// from a key or the network: they are made printable where they are printed, nowhere else. Never a secret.
struct Error {
    ExitCode code = ExitCode::bug;
    std::string message;
    std::string hint;
    /// Which of several with this code, a stable word, where a caller does something about it; else empty.
    std::string_view reason = {};

    bool operator==(const Error&) const = default;
};

/// An operation whose failure is an ordinary answer: work goes on.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ExitCode code, std::string message, std::string hint = {}) {
    return tl::make_unexpected(Error{code, std::move(message), std::move(hint)});
}

/// What the system calls an errno: `No such file or directory`.
std::string errno_text(int error);

/// Thrown where the command cannot go on; caught once, in app::run.
class Failure : public std::exception {
public:
    explicit Failure(Error error) : error_(std::move(error)) {}
    Failure(ExitCode code, std::string message, std::string hint = {})
        : error_{code, std::move(message), std::move(hint)} {}
    const Error& error() const { return error_; }
    const char* what() const noexcept override { return error_.message.c_str(); }

private:
    Error error_;
};

/// Throws a Failure (usage).
[[noreturn]] void throw_usage(std::string message, std::string hint = {});

/// The value, or throws its error as a Failure.
template <class T>
T value_or_throw(Result<T> result) {
    if (!result) throw Failure(std::move(result.error()));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace ratectl::support
