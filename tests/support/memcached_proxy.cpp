// One poll loop; bytes pass as they come, but for the answers that are the proxy's own.
#include "support/memcached_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "support/loopback.h"

namespace ratectl::test {
namespace {

/// What has come; empty: the end.
std::string received(int fd) {
    std::string block(65'536, '\0');
    const auto got = ::recv(fd, block.data(), block.size(), 0);
    block.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return block;
}

void send_all(int fd, const std::string& bytes) { ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

}  // namespace

struct MemcachedProxy::Impl {
    struct Connection {
        OwnedFd client;
        OwnedFd server;
        std::string own = {};  // what the client gets in the place of the server's next answer
    };

    Impl(std::uint16_t port, Answers said) : answers(std::move(said)) {
        server.host = "127.0.0.1";
        server.port = port;
    }

    OwnedFd connected() const {
        auto link = connect_to(server);
        pollfd writable{link.get(), POLLOUT, 0};
        ::poll(&writable, 1, -1);
        return link;
    }

    bool is_hit(const std::string& request) {
        const auto word = request.substr(0, request.find(' '));
        const bool is_write = word == "ma" || word == "ms" || word == "md";
        if (!is_write || (hit && !answers.to_all) || (!answers.word.empty() && word != answers.word)) return false;
        return hit = true;
    }

    /// False: an end is gone.
    bool take_request(Connection& link) {
        const auto request = received(link.client.get());
        if (request.empty()) return false;
        bool own = is_hit(request);
        if (own && answers.meanwhile) {
            answers.meanwhile();
            own = false;
        }
        if (own && answers.passes) link.own = answers.line + "\r\n";
        if (own && !answers.passes) {
            send_all(link.client.get(), answers.line + "\r\n");
        } else {
            send_all(link.server.get(), request);
        }
        return true;
    }

    static bool take_answer(Connection& link) {
        auto answer = received(link.server.get());
        if (answer.empty()) return false;
        if (!link.own.empty()) answer = std::exchange(link.own, {});
        send_all(link.client.get(), answer);
        return true;
    }

    void run() {
        for (;;) {
            std::vector<pollfd> fds{{stop.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
            for (const auto& link : links) {
                fds.push_back({link.client.get(), POLLIN, 0});
                fds.push_back({link.server.get(), POLLIN, 0});
            }
            ::poll(fds.data(), fds.size(), -1);
            if (fds[0].revents != 0) return;
            std::size_t at = 2;
            for (auto link = links.begin(); link != links.end(); at += 2) {
                bool lives = fds[at].revents == 0 || take_request(*link);
                lives = lives && (fds[at + 1].revents == 0 || take_answer(*link));
                link = lives ? std::next(link) : links.erase(link);
            }
            if (fds[1].revents == 0) continue;
            auto client = accept_from(listener);
            if (client.is_open()) links.push_back({std::move(client), connected()});
        }
    }

    domain::Endpoint server;
    Answers answers;
    bool hit = false;
    OwnedFd stop{checked(::eventfd(0, EFD_CLOEXEC), "eventfd")};
    OwnedFd listener = listen_on_loopback();
    std::list<Connection> links;
    std::thread thread;
};

MemcachedProxy::MemcachedProxy(std::uint16_t server, Answers answers)
    : impl_(std::make_unique<Impl>(server, std::move(answers))) {
    impl_->thread = std::thread([this] { impl_->run(); });
}

MemcachedProxy::~MemcachedProxy() {
    const std::uint64_t one = 1;
    if (::write(impl_->stop.get(), &one, sizeof one) == sizeof one) impl_->thread.join();
}

std::string MemcachedProxy::url() const {
    return "memcached://127.0.0.1:" + std::to_string(endpoint_of(impl_->listener).port);
}

}  // namespace ratectl::test
