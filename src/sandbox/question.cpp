// Asks one server one thing, by an event loop that lives as long as the question.
#include "sandbox/question.h"

#include <memory>
#include <optional>
#include <utility>

#include "domain/node.h"
#include "redis/connection.h"
#include "redis/event_loop.h"

namespace ratectl::sandbox {
namespace {

constexpr support::Milliseconds kAnswerTimeout{5000};
constexpr support::Milliseconds kPingTimeout{500};

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

support::Result<redis::Reply> ask_within(support::Milliseconds timeout, const domain::Endpoint& server,
                                         const std::vector<std::string>& words) {
    redis::EventLoop loop;
    const auto question = std::make_shared<Question>();
    question->connector = redis::make_connector(loop, {});
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

}  // namespace

support::Result<redis::Reply> ask(const domain::Endpoint& server, const std::vector<std::string>& words) {
    return ask_within(kAnswerTimeout, server, words);
}

bool answers(const domain::Endpoint& server) {
    const auto reply = ask_within(kPingTimeout, server, {"PING"});
    return reply || reply.error().code != support::ExitCode::unavailable;
}

}  // namespace ratectl::sandbox
