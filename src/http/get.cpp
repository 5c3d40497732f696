// Writes the request, and feeds what comes to http_parser until the answer is whole.
#include "http/get.h"

#include <array>
#include <memory>

#include <fmt/format.h>
#include <http_parser.h>
#include <asio/awaitable.hpp>

#include "redis/event_loop.h"
#include "redis/faults.h"
#include "redis/wire_opener.h"

namespace ratectl::http {
namespace {

using redis::fault;
using redis::Outcome;
using support::ExitCode;

constexpr std::size_t kLongestBody = std::size_t{1} << 20;
constexpr std::size_t kReadAtOnce = 16'384;

/// What http_parser has made of the bytes so far.
class AnswerParser {
public:
    AnswerParser() {
        http_parser_init(&parser_, HTTP_RESPONSE);
        parser_.data = this;
        http_parser_settings_init(&settings_);
        settings_.on_body = [](http_parser* parser, const char* bytes, std::size_t size) {
            auto& body = self(parser).answer_.body;
            if (body.size() + size > kLongestBody) return 1;
            body.append(bytes, size);
            return 0;
        };
        settings_.on_message_complete = [](http_parser* parser) {
            self(parser).complete_ = true;
            return 0;
        };
    }
    AnswerParser(const AnswerParser&) = delete;
    AnswerParser& operator=(const AnswerParser&) = delete;

    /// No bytes: the stream has ended. False: this is no answer, or too long.
    bool feed(std::string_view bytes) {
        const auto taken = http_parser_execute(&parser_, &settings_, bytes.data(), bytes.size());
        return complete_ || (taken == bytes.size() && HTTP_PARSER_ERRNO(&parser_) == HPE_OK);
    }
    bool is_complete() const { return complete_; }
    Answer take() {
        answer_.status = parser_.status_code;
        return std::move(answer_);
    }
    std::string_view why() const {
        return HTTP_PARSER_ERRNO(&parser_) == HPE_CB_body ? "its answer is longer than 1 MiB"
                                                          : "it does not speak HTTP";
    }

private:
    static AnswerParser& self(http_parser* parser) { return *static_cast<AnswerParser*>(parser->data); }

    http_parser parser_{};
    http_parser_settings settings_{};
    Answer answer_;
    bool complete_ = false;
};

std::string request_of(const Question& question) {
    const auto& server = question.server;
    auto request = fmt::format(
        "GET {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ratectl\r\nAccept: application/json\r\nConnection: close\r\n",
        server.path, question.target, server.authority());
    if (question.token) request.append("Authorization: Bearer ").append(question.token->reveal()).append("\r\n");
    return request.append("\r\n");
}

/// Everything that the coroutine uses.
struct Exchange {
    Question question;
    std::string where;
    support::Deadline deadline;
    redis::EventLoop* loop = nullptr;
    std::unique_ptr<redis::WireOpener> opener;
    Outcome<Answer> answer = fault({{ExitCode::bug, "a question to a server was dropped", ""}, false, false});
};

asio::awaitable<Outcome<Answer>> exchange(std::shared_ptr<Exchange> held) {
    const redis::TimeLimit limit(held->deadline);
    auto wire = co_await held->opener->open(held->question.server.endpoint, held->where, limit);
    if (!wire) co_return fault(wire.error());
    const auto written = co_await wire->write(request_of(held->question), held->deadline);
    if (!written) co_return fault(send_fault(*held->loop, written.error(), held->where, limit, true));
    AnswerParser parser;
    std::array<char, kReadAtOnce> buffer;
    std::size_t got = 0;
    while (!parser.is_complete()) {
        const auto count = co_await wire->read(buffer, held->deadline);
        const bool ended = !count && count.error().kind == redis::WireError::Kind::closed;
        if (!count && !ended) co_return fault(receive_fault(*held->loop, count.error(), held->where, limit, got));
        const std::string_view bytes = ended ? std::string_view() : std::string_view(buffer.data(), *count);
        got += bytes.size();
        const bool fits = parser.feed(bytes);
        if (ended && !parser.is_complete())
            co_return fault(receive_fault(*held->loop, count.error(), held->where, limit, got));
        if (!fits)
            co_return fault({{ExitCode::protocol, fmt::format("{}: {}", held->where, parser.why()), ""}, false, false});
    }
    co_return parser.take();
}

asio::awaitable<void> ask(std::shared_ptr<Exchange> held) { held->answer = co_await exchange(held); }

}  // namespace

support::Result<Answer> get(const Question& question, support::Deadline deadline, const support::StopSignal& stop) {
    redis::EventLoop loop(&stop);
    const auto held = std::make_shared<Exchange>();
    held->question = question;
    held->where = question.server.text();
    held->deadline = deadline;
    held->loop = &loop;
    held->opener = std::make_unique<redis::WireOpener>(loop, redis::WireOpener::Options{question.tls, {}, {}});
    loop.on_stop([&loop] { loop.abort_all(); });
    bool ended = false;
    loop.spawn([&ended](const std::exception_ptr&) { ended = true; }, &ask, held);
    loop.run_until([&ended] { return ended; });
    held->opener.reset();
    if (!held->answer) return tl::make_unexpected(held->answer.error().error);
    return std::move(*held->answer);
}

namespace {

constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;

tl::unexpected<support::Error> wrong(const char* what, const char* hint = "") {
    return support::failure(support::ExitCode::usage, what, hint);
}

}  // namespace

std::string Url::authority() const {
    const auto& host = endpoint.host;
    const auto name = host.find(':') == std::string::npos ? host : '[' + host + ']';
    return endpoint.port == (endpoint.tls ? kHttps : kHttp) ? name : fmt::format("{}:{}", name, endpoint.port);
}

std::string Url::text() const { return fmt::format("http{}://{}{}", endpoint.tls ? "s" : "", authority(), path); }

support::Result<Url> parse_url(std::string_view text) {
    http_parser_url parts{};
    http_parser_url_init(&parts);
    if (http_parser_parse_url(text.data(), text.size(), 0, &parts) != 0)
        return wrong("is no URL", "http://HOST:PORT, or https://");
    const auto part = [&](http_parser_url_fields field) {
        const auto& place = parts.field_data[field];
        return (parts.field_set >> field & 1) != 0 ? text.substr(place.off, place.len) : std::string_view();
    };
    if (!part(UF_USERINFO).empty()) {
        return wrong("has a user or a password in it, which every user of the machine could see",
                     "--load-token-file FILE has the token");
    }
    if (!part(UF_QUERY).empty() || !part(UF_FRAGMENT).empty())
        return wrong("has a query or a fragment: it is where the server is, and no more");
    const auto scheme = part(UF_SCHEMA);
    if (scheme != "http" && scheme != "https") return wrong("is neither http:// nor https://");
    Url url;
    url.endpoint.tls = scheme == "https";
    url.endpoint.host = part(UF_HOST);
    url.endpoint.port = parts.port != 0 ? parts.port : url.endpoint.tls ? kHttps : kHttp;
    url.path = part(UF_PATH);
    while (url.path.ends_with('/')) url.path.pop_back();
    return url;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string encoded;
    for (const char c : text) {
        if (unreserved.find(c) != std::string_view::npos)
            encoded += c;
        else
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

}  // namespace ratectl::http
