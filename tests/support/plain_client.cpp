// A blocking RESP2 client over a socket, with one deadline an exchange.
#include "support/plain_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "support/number_text.h"

namespace ratectl::test {

namespace {

constexpr int kDeepestReply = 8;

support::Error unavailable(const domain::Endpoint& endpoint, const std::string& what) {
    return {support::ExitCode::unavailable, endpoint.address() + ": " + what, {}};
}

/// Waits until the descriptor is ready; false at the deadline.
bool wait_for(int descriptor, short events, support::Deadline deadline) {
    for (;;) {
        const auto left =
            std::chrono::duration_cast<support::Milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() < 0) return false;
        pollfd entry{descriptor, events, 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(left.count()) + 1);
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;
};

std::optional<Address> socket_address(const domain::Endpoint& endpoint) {
    Address address;
    if (endpoint.kind == domain::Endpoint::Kind::unix_socket) {
        sockaddr_un local{};
        local.sun_family = AF_UNIX;
        if (endpoint.path.size() >= sizeof local.sun_path) return std::nullopt;
        std::memcpy(local.sun_path, endpoint.path.c_str(), endpoint.path.size() + 1);
        std::memcpy(&address.storage, &local, sizeof local);
        address.length = sizeof local;
        return address;
    }
    sockaddr_in four{};
    sockaddr_in6 six{};
    if (::inet_pton(AF_INET, endpoint.host.c_str(), &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        four.sin_port = htons(endpoint.port);
        std::memcpy(&address.storage, &four, sizeof four);
        address.length = sizeof four;
        return address;
    }
    if (::inet_pton(AF_INET6, endpoint.host.c_str(), &six.sin6_addr) != 1) return std::nullopt;
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(endpoint.port);
    std::memcpy(&address.storage, &six, sizeof six);
    address.length = sizeof six;
    return address;
}

}  // namespace

std::string PlainReply::shown() const {
    if (kind == Kind::nil) return "(nil)";
    if (kind == Kind::error) return "(error) " + text;
    if (kind != Kind::array) return text;
    std::string result;
    for (const auto& item : items) {
        if (!result.empty()) result += '\n';
        result += item.shown();
    }
    return result;
}

PlainClient::PlainClient(domain::Endpoint endpoint, support::Milliseconds timeout)
    : endpoint_(std::move(endpoint)), timeout_(timeout) {}

PlainClient::PlainClient(PlainClient&& other) noexcept
    : endpoint_(std::move(other.endpoint_)),
      timeout_(other.timeout_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

PlainClient& PlainClient::operator=(PlainClient&& other) noexcept {
    if (this == &other) return *this;
    close();
    endpoint_ = std::move(other.endpoint_);
    timeout_ = other.timeout_;
    descriptor_ = std::exchange(other.descriptor_, -1);
    buffer_ = std::move(other.buffer_);
    return *this;
}

PlainClient::~PlainClient() { close(); }

void PlainClient::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    buffer_.clear();
}

support::Result<PlainReply> PlainClient::command(const std::vector<std::string>& words) {
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    const bool fresh = descriptor_ < 0;
    auto answer =
        connect(deadline).and_then([&] { return fresh ? log_in(deadline) : support::Result<void>{}; }).and_then([&] {
            return exchange(words, deadline);
        });
    if (!answer) close();
    return answer;
}

support::Result<PlainReply> PlainClient::exchange(const std::vector<std::string>& words, support::Deadline deadline) {
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    return send(request, deadline).and_then([&] { return reply(deadline, 0); });
}

/// A refusal is left to the command that follows.
support::Result<void> PlainClient::log_in(support::Deadline deadline) {
    const auto& password = endpoint_.credentials.password;
    if (!password) return {};
    const auto answer = exchange({"AUTH", password->reveal()}, deadline);
    if (!answer) return tl::make_unexpected(answer.error());
    return {};
}

support::Result<void> PlainClient::connect(support::Deadline deadline) {
    if (descriptor_ >= 0) return {};
    const auto address = socket_address(endpoint_);
    if (!address) return tl::make_unexpected(unavailable(endpoint_, "not an address"));
    descriptor_ = ::socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor_ < 0) return tl::make_unexpected(unavailable(endpoint_, std::strerror(errno)));
    const int done = ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address->storage), address->length);
    int error = done == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        error = ETIMEDOUT;
        if (wait_for(descriptor_, POLLOUT, deadline)) {
            socklen_t size = sizeof error;
            ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size);
        }
    }
    if (error == 0) return {};
    close();
    return tl::make_unexpected(unavailable(endpoint_, std::strerror(error)));
}

support::Result<void> PlainClient::send(std::string_view bytes, support::Deadline deadline) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno != EAGAIN && errno != EINTR) {
            return tl::make_unexpected(unavailable(endpoint_, std::strerror(errno)));
        } else if (!wait_for(descriptor_, POLLOUT, deadline)) {
            return tl::make_unexpected(unavailable(endpoint_, "does not read"));
        }
    }
    return {};
}

support::Result<void> PlainClient::fill(support::Deadline deadline) {
    char block[16384];
    for (;;) {
        const ssize_t got = ::recv(descriptor_, block, sizeof block, 0);
        if (got > 0) {
            buffer_.append(block, static_cast<std::size_t>(got));
            return {};
        }
        if (got == 0) return tl::make_unexpected(unavailable(endpoint_, "closed the connection"));
        if (errno != EAGAIN && errno != EINTR) return tl::make_unexpected(unavailable(endpoint_, std::strerror(errno)));
        if (!wait_for(descriptor_, POLLIN, deadline))
            return tl::make_unexpected(unavailable(endpoint_, "no reply in time"));
    }
}

support::Result<std::string> PlainClient::line(support::Deadline deadline) {
    for (;;) {
        const auto end = buffer_.find("\r\n");
        if (end != std::string::npos) {
            std::string result = buffer_.substr(0, end);
            buffer_.erase(0, end + 2);
            return result;
        }
        if (auto filled = fill(deadline); !filled) return tl::make_unexpected(filled.error());
    }
}

support::Result<std::string> PlainClient::bytes(std::size_t count, support::Deadline deadline) {
    while (buffer_.size() < count + 2) {
        if (auto filled = fill(deadline); !filled) return tl::make_unexpected(filled.error());
    }
    std::string result = buffer_.substr(0, count);
    buffer_.erase(0, count + 2);
    return result;
}

support::Result<PlainReply> PlainClient::reply(support::Deadline deadline, int depth) {
    auto head = line(deadline);
    if (!head) return tl::make_unexpected(head.error());
    const char type = head->empty() ? '\0' : head->front();
    PlainReply result;
    result.text = head->empty() ? std::string() : head->substr(1);
    if (type == '+') result.kind = PlainReply::Kind::status;
    if (type == '-') result.kind = PlainReply::Kind::error;
    if (type == ':') result.kind = PlainReply::Kind::integer;
    if (type == '+' || type == '-' || type == ':') return result;

    const auto count = support::parse_decimal(result.text);
    if ((type != '$' && type != '*') || !count || depth > kDeepestReply) {
        return support::failure(support::ExitCode::protocol, endpoint_.address() + ": not a Redis reply: " + *head);
    }
    result.text.clear();
    if (*count < 0) return result;
    if (type == '$') {
        auto body = bytes(static_cast<std::size_t>(*count), deadline);
        if (!body) return tl::make_unexpected(body.error());
        result.kind = PlainReply::Kind::bulk;
        result.text = std::move(*body);
        return result;
    }
    result.kind = PlainReply::Kind::array;
    for (std::int64_t i = 0; i < *count; ++i) {
        auto item = reply(deadline, depth + 1);
        if (!item) return item;
        result.items.push_back(std::move(*item));
    }
    return result;
}

}  // namespace ratectl::test
