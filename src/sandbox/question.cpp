// Asks by the one client, on a connection and an event loop of the question's own.
#include "sandbox/question.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "domain/node.h"
#include "redis/connection.h"
#include "redis/event_loop.h"

namespace ratectl::sandbox {
namespace {

/// Soon at first, for what is done at once; what takes long gets the machine that looks would take from it.
constexpr support::Milliseconds kFirstPause{2};
constexpr support::Milliseconds kLongestPause{20};

/// One question to one server, by an event loop that lives as long as the question.
struct Question {
    std::shared_ptr<redis::Connector> connector;
    domain::Node server;
    std::vector<std::string> words;
    support::Deadline deadline;
    std::optional<redis::Outcome<redis::Reply>> answer;
};

asio::awaitable<void> put(std::shared_ptr<Question> question) {
    auto channel = co_await question->connector->open(question->server, question->deadline);
    if (!channel) {
        question->answer = redis::fault(channel.error());
        co_return;
    }
    redis::Request request;
    request.add(question->words);
    auto replies = co_await (*channel)->exchange(request, question->deadline);
    question->answer = replies ? redis::Outcome<redis::Reply>(std::move(replies->front()))
                               : redis::Outcome<redis::Reply>(redis::fault(replies.error()));
}

}  // namespace

support::Result<redis::Reply> ask(const domain::Endpoint& server, const std::vector<std::string>& words,
                                  support::Milliseconds timeout) {
    redis::EventLoop loop;
    const auto question = std::make_shared<Question>();
    redis::ConnectionOptions options;
    options.wanted = redis::Peer::any;
    question->connector = redis::make_connector(loop, std::move(options));
    question->server.endpoint = server;
    question->words = words;
    question->deadline = std::chrono::steady_clock::now() + timeout;
    bool ended = false;
    loop.spawn([&ended](const std::exception_ptr&) { ended = true; }, &put, question);
    loop.run_until([&ended] { return ended; });
    question->connector.reset();
    if (!question->answer) return support::failure(support::ExitCode::bug, "a question to a server was dropped");
    if (!*question->answer) return tl::make_unexpected(question->answer->error().error);
    return std::move(**question->answer);
}

support::Result<void> expect_ok(const domain::Endpoint& server, const std::vector<std::string>& words) {
    const auto reply = ask(server, words);
    if (!reply) return tl::make_unexpected(reply.error());
    if (reply->is_error()) {
        return support::failure(support::ExitCode::local_io,
                                server.address() + " refused " + words.front() + ": " + reply->text);
    }
    return {};
}

support::Result<void> await(const std::string& what, support::Deadline deadline,
                            const std::function<bool(std::string& seen)>& done) {
    std::string seen;
    auto pause = kFirstPause;
    while (!done(seen)) {
        if (std::chrono::steady_clock::now() >= deadline) {
            return support::failure(support::ExitCode::local_io,
                                    "waited in vain for " + what + (seen.empty() ? "" : "; last seen: " + seen));
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 3 / 2, kLongestPause);
    }
    return {};
}

}  // namespace ratectl::sandbox
