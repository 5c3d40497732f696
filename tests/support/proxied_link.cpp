// Reads commands and replies frame by frame, and passes each on as was decided.
#include "support/proxied_link.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "support/resp_frame.h"

namespace ratectl::test {
namespace {

enum class Got { something, nothing, end };

Got receive(int fd, std::string& into) {
    char block[65536];
    const auto got = ::recv(fd, block, sizeof block, MSG_DONTWAIT);
    const int error = errno;
    if (got > 0) {
        into.append(block, static_cast<std::size_t>(got));
        return Got::something;
    }
    return got < 0 && (error == EAGAIN || error == EINTR) ? Got::nothing : Got::end;
}

}  // namespace

void OwnedFd::reset() {
    const linger now{1, 0};
    if (is_open()) ::setsockopt(get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
}

bool Outlet::send_due(int fd, LinkTime now) {
    while (due(now)) {
        Piece& piece = pieces_.front();
        while (!piece.bytes.empty()) {
            const std::size_t size = piece.step == 0 ? piece.bytes.size() : std::min(piece.step, piece.bytes.size());
            const auto sent = ::send(fd, piece.bytes.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0) return errno == EAGAIN || errno == EINTR;
            piece.bytes.erase(0, static_cast<std::size_t>(sent));
            if (piece.pause.count() == 0) continue;
            piece.at = now + piece.pause;
            if (!piece.bytes.empty()) return true;
        }
        ended_ = piece.last;
        pieces_.pop_front();
        // A stream that has ended in the middle of a reply does not go on with the next one.
        if (ended_) pieces_.clear();
    }
    return true;
}

std::optional<LinkTime> Outlet::next() const {
    if (pieces_.empty()) return std::nullopt;
    return pieces_.front().at;
}

std::array<pollfd, 2> ProxiedLink::waits_for(LinkTime now) const {
    const auto events = [&](const Outlet& outlet) {
        return static_cast<short>(POLLIN | (outlet.due(now) ? POLLOUT : 0));
    };
    return {pollfd{client_.get(), events(to_client_), 0}, pollfd{server_.get(), events(to_server_), 0}};
}

std::optional<LinkTime> ProxiedLink::wakes_at() const {
    const auto client = to_client_.next();
    const auto server = to_server_.next();
    if (!client || !server) return client ? client : server;
    return std::min(*client, *server);
}

void ProxiedLink::turn(const std::array<pollfd, 2>& seen, LinkTime now) {
    if (client_.is_open() && (seen[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_client(now);
    if (server_.is_open() && (seen[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_server(now);
    if (server_.is_open() && !to_server_.send_due(server_.get(), now)) {
        server_.close();
        to_server_.clear();
    }
    if (client_.is_open() && !to_client_.send_due(client_.get(), now)) lose_client(false);
    settle();
}

void ProxiedLink::read_client(LinkTime now) {
    const Got got = receive(client_.get(), requests_);
    if (got == Got::end) return lose_client(false);
    while (client_.is_open() && !swallows_) {
        const auto size = frame_size(requests_);
        if (!size || *size == 0) return;
        std::string request = requests_.substr(0, *size);
        requests_.erase(0, *size);
        if (owner_->silent()) continue;
        const LinkFault fault = owner_->decide(number_, request);
        pass_request(std::move(request), fault, now);
    }
    if (swallows_) requests_.clear();
}

void ProxiedLink::pass_request(std::string bytes, const LinkFault& fault, LinkTime now) {
    const auto words = first_words(bytes, 1);
    const bool write = !words.empty() && (words[0] == "EVAL" || words[0] == "EVALSHA");
    Outlet::Piece piece{std::move(bytes), now, 0, std::chrono::milliseconds(0), false};
    switch (fault.mode) {
        case FaultMode::drop_request: return lose_client(false);
        case FaultMode::blackhole: swallows_ = true; return;
        case FaultMode::cut_request:
            piece.bytes.resize(piece.bytes.size() / 2);
            to_server_.add(std::move(piece));
            return lose_client(false);
        case FaultMode::delay_request: piece.at += fault.delay; break;
        case FaultMode::slicer: piece.step = std::max<std::size_t>(1, fault.bytes); break;
        case FaultMode::limit: limit_ = fault.bytes; break;
        case FaultMode::answer: owed_.push_back({fault, write}); return pass_own_answers(now);
        default: break;
    }
    to_server_.add(std::move(piece));
    owed_.push_back({fault, write});
    if (fault.mode != FaultMode::reset) return;
    to_server_.send_due(server_.get(), now);
    lose_client(true);
}

void ProxiedLink::read_server(LinkTime now) {
    if (receive(server_.get(), replies_) == Got::end) {
        server_.close();
        to_server_.clear();
        to_client({std::move(replies_), now, 0, std::chrono::milliseconds(0), true});
        return;
    }
    while (!swallows_) {
        const auto size = frame_size(replies_);
        if (!size || *size == 0) return;
        std::string reply = replies_.substr(0, *size);
        replies_.erase(0, *size);
        Owed owed;
        if (!owed_.empty()) {
            owed = std::move(owed_.front());
            owed_.pop_front();
        }
        pass_reply(std::move(reply), owed, now);
        pass_own_answers(now);
    }
    if (swallows_) replies_.clear();
}

// Those that no reply of the server stands before.
void ProxiedLink::pass_own_answers(LinkTime now) {
    while (!owed_.empty() && owed_.front().fault.mode == FaultMode::answer) {
        const Owed owed = std::move(owed_.front());
        owed_.pop_front();
        pass_reply({}, owed, now);
    }
}

void ProxiedLink::pass_reply(std::string bytes, const Owed& owed, LinkTime now) {
    if (owed.fault.at_reply) owed.fault.at_reply();
    owner_->saw_reply(owed.write, bytes.size());
    if (owner_->silent()) return;
    if (owed.fault.rewrite) bytes = owed.fault.rewrite(bytes);
    const std::size_t size = bytes.size();
    Outlet::Piece piece{std::move(bytes), now, 0, std::chrono::milliseconds(0), false};
    switch (owed.fault.mode) {
        case FaultMode::drop_reply: return lose_client(true);
        case FaultMode::cut_reply:
            piece.bytes.resize(owed.fault.bytes % std::max<std::size_t>(1, size));
            piece.last = true;
            break;
        case FaultMode::delay_reply: piece.at += owed.fault.delay; break;
        case FaultMode::slicer: piece.step = std::max<std::size_t>(1, owed.fault.bytes); break;
        case FaultMode::drip:
            piece.step = 1;
            piece.pause = owed.fault.delay;
            break;
        default: break;
    }
    to_client(std::move(piece));
}

void ProxiedLink::to_client(Outlet::Piece piece) {
    if (!client_.is_open() || swallows_) return;
    if (limit_) {
        if (piece.bytes.size() >= *limit_) {
            piece.bytes.resize(*limit_);
            piece.last = true;
        }
        *limit_ -= piece.bytes.size();
    }
    to_client_.add(std::move(piece));
}

void ProxiedLink::lose_client(bool with_reset) {
    if (with_reset) {
        client_.reset();
    } else {
        client_.close();
    }
    to_client_.clear();
}

// A client that has gone takes nothing back: what it sent still reaches the server, in its own time.
void ProxiedLink::settle() {
    if (to_client_.ended()) lose_client(false);
    if (client_.is_open() || !server_.is_open()) return;
    if (swallows_) return server_.close();
    if (!to_server_.empty() || server_told_end_) return;
    ::shutdown(server_.get(), SHUT_WR);
    server_told_end_ = true;
}

void ProxiedLink::disconnect() {
    lose_client(false);
    to_server_.clear();
    server_.close();
}

}  // namespace ratectl::test
