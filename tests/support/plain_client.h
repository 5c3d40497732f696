// The smallest blocking client, one command, one reply: what servers hold, told by other means than the program's own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "domain/endpoint.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::test {

struct PlainReply {
    enum class Kind { status, error, integer, bulk, nil, array };
    Kind kind = Kind::nil;
    std::string text;  // bytes; an integer's digits; an error with its first word
    std::vector<PlainReply> items;

    bool is_error() const { return kind == Kind::error; }
    /// `(nil)`, `(error) ERR ...`, the text, or an array's items one a line.
    std::string shown() const;
};

/// Connects on first use, and logs in where the endpoint has a password; a failed exchange closes the connection and
/// the next one opens another. No TLS.
class PlainClient {
public:
    explicit PlainClient(domain::Endpoint endpoint, support::Milliseconds timeout = std::chrono::minutes(1));
    PlainClient(PlainClient&& other) noexcept;
    PlainClient& operator=(PlainClient&& other) noexcept;
    ~PlainClient();

    /// Errors: unavailable (no connection, no whole reply in time), protocol.
    support::Result<PlainReply> command(const std::vector<std::string>& words);
    void close();

private:
    support::Result<void> connect(support::Deadline deadline);
    support::Result<void> log_in(support::Deadline deadline);
    support::Result<PlainReply> exchange(const std::vector<std::string>& words, support::Deadline deadline);
    support::Result<void> send(std::string_view bytes, support::Deadline deadline);
    support::Result<std::string> line(support::Deadline deadline);
    support::Result<std::string> bytes(std::size_t count, support::Deadline deadline);
    support::Result<void> fill(support::Deadline deadline);
    support::Result<PlainReply> reply(support::Deadline deadline, int depth);

    domain::Endpoint endpoint_;
    support::Milliseconds timeout_;
    int descriptor_ = -1;
    std::string buffer_;
};

}  // namespace ratectl::test
