// Scripted answers for code that talks through redis::Channel.
#include "support/fake_channel.h"

#include <charconv>
#include <stdexcept>

#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include "support/catch.h"

namespace ratectl::test {

namespace {

redis::Reply reply_of(redis::Reply::Kind kind, std::string words) {
    redis::Reply reply;
    reply.kind = kind;
    reply.text = std::move(words);
    return reply;
}

std::string shown(const Command& command) {
    std::string out;
    for (const std::string& word : command) {
        out += (out.empty() ? "" : " ") + (word.size() > 60 ? word.substr(0, 60) + "..." : word);
    }
    return out;
}

redis::CutText cut_at(std::string_view text, std::size_t most) {
    const auto rest = text.substr(std::min(most, redis::CutText::kBeginning));
    const auto end = rest.substr(rest.size() - std::min(rest.size(), redis::CutText::kEnd));
    return {text.substr(0, text.size() - rest.size()), end, text.size()};
}

void hand_over(redis::Reply& reply, std::size_t depth, redis::ElementReceiver& elements) {
    for (redis::Reply& element : reply.elements) {
        const bool is_cut = element.is_text() && element.text.size() > elements.most();
        if (depth != 1) {
            if (is_cut) element.text = std::string(cut_at(element.text, elements.most()).beginning);
            hand_over(element, depth == 0 ? 0 : depth - 1, elements);
        } else if (is_cut) {
            elements.cut(cut_at(element.text, elements.most()));
        } else if (element.is_text()) {
            elements.text(element.text);
        } else {
            element.is_nil() ? elements.nil() : elements.other();
        }
    }
    if (depth == 1) reply.elements.clear();
}

}  // namespace

void hand_over(redis::Reply& reply, redis::ElementReceiver& elements) { hand_over(reply, elements.depth(), elements); }

redis::Reply text(std::string bytes) { return reply_of(redis::Reply::Kind::text, std::move(bytes)); }

redis::Reply status(std::string words) { return reply_of(redis::Reply::Kind::status, std::move(words)); }

redis::Reply error(std::string words) { return reply_of(redis::Reply::Kind::error, std::move(words)); }

redis::Reply integer(std::int64_t value) {
    redis::Reply reply;
    reply.kind = redis::Reply::Kind::integer;
    reply.integer = value;
    return reply;
}

redis::Reply nil() { return {}; }

redis::Reply array(std::vector<redis::Reply> elements) {
    redis::Reply reply;
    reply.kind = redis::Reply::Kind::array;
    reply.elements = std::move(elements);
    return reply;
}

redis::Fault broken(bool maybe_executed, std::string message) {
    return {{support::ExitCode::unavailable, std::move(message), ""}, maybe_executed, true};
}

FakeNode::~FakeNode() {
    for (const std::string& problem : problems()) FAIL_CHECK("fake server: " << problem);
}

FakeNode& FakeNode::expect(Command command, Answer answer) {
    std::string description = shown(command);
    return expect([command = std::move(command)](const Command& asked) { return asked == command; }, std::move(answer),
                  std::move(description));
}

FakeNode& FakeNode::expect(Matcher matcher, Answer answer, std::string description) {
    expected_.push_back({std::move(matcher), std::move(answer), std::move(description)});
    return *this;
}

FakeNode& FakeNode::always(Matcher matcher, std::function<Answer(const Command&)> answer) {
    always_.emplace_back(std::move(matcher), std::move(answer));
    return *this;
}

FakeNode& FakeNode::fail_next_send(redis::Fault fault) {
    send_faults_.push_back(std::move(fault));
    return *this;
}

FakeNode& FakeNode::fail_next_open(redis::Fault fault) {
    open_faults_.push_back(std::move(fault));
    return *this;
}

std::vector<std::string> FakeNode::problems() const {
    std::vector<std::string> all = unexpected_;
    for (const Expected& left : expected_) all.push_back("never asked: " + left.description);
    if (!send_faults_.empty()) all.emplace_back("a send fault was never used");
    if (!open_faults_.empty()) all.emplace_back("an open fault was never used");
    return all;
}

Answer FakeNode::answer_to(const Command& command) {
    asked_.push_back(command);
    if (!expected_.empty() && expected_.front().matches(command)) {
        Answer answer = std::move(expected_.front().answer);
        expected_.pop_front();
        return answer;
    }
    for (const auto& [matches, answer] : always_) {
        if (matches(command)) return answer(command);
    }
    unexpected_.push_back("unexpected: " + shown(command) +
                          (expected_.empty() ? "" : "; next was to be: " + expected_.front().description));
    return error("ERR the fake server did not expect this");
}

FakeNode::Matcher first_word_is(std::string word) {
    return [word = std::move(word)](const Command& command) { return !command.empty() && command.front() == word; };
}

FakeChannel::FakeChannel(FakeNode& node, std::string where) : node_(&node), where_(std::move(where)) {}

FakeChannel::~FakeChannel() { FakeChannel::close(); }

void FakeChannel::close() {
    if (open_) ++node_->closed_;
    open_ = false;
    waiting_.clear();
}

asio::awaitable<redis::Outcome<void>> FakeChannel::send(const redis::Request& request, support::Deadline) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    if (!open_) co_return redis::fault(broken(false, "connection is closed"));
    if (!node_->send_faults_.empty()) {
        redis::Fault fault = std::move(node_->send_faults_.front());
        node_->send_faults_.pop_front();
        close();
        co_return redis::fault(std::move(fault));
    }
    for (const Command& command : commands_of(request)) waiting_.push_back(node_->answer_to(command));
    co_return redis::Outcome<void>();
}

asio::awaitable<redis::Outcome<void>> FakeChannel::receive(redis::Reply& into, redis::ElementReceiver* elements,
                                                           support::Deadline) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    if (!open_) co_return redis::fault(broken(false, "connection is closed"));
    if (waiting_.empty()) throw std::logic_error("receive() without a command that waits for its reply");
    Answer answer = std::move(waiting_.front());
    waiting_.pop_front();
    if (auto* fault = std::get_if<redis::Fault>(&answer)) {
        close();
        co_return redis::fault(std::move(*fault));
    }
    into = std::get<redis::Reply>(std::move(answer));
    if (elements != nullptr) hand_over(into, *elements);
    co_return redis::Outcome<void>();
}

FakeConnector::~FakeConnector() = default;

FakeNode& FakeConnector::at(const std::string& address) {
    std::unique_ptr<FakeNode>& node = nodes_[address];
    if (!node) node = std::make_unique<FakeNode>();
    return *node;
}

asio::awaitable<redis::Outcome<std::unique_ptr<redis::Channel>>> FakeConnector::open(const domain::Node& node,
                                                                                     support::Deadline) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    const std::string where = "shard '" + node.shard + "' (" + node.name() + ")";
    const auto found = nodes_.find(node.name());
    if (found == nodes_.end()) {
        FAIL_CHECK("opened an unexpected server: " << where);
        co_return redis::fault(broken(false, where + ": no such fake server"));
    }
    FakeNode& fake = *found->second;
    if (!fake.open_faults_.empty()) {
        redis::Fault fault = std::move(fake.open_faults_.front());
        fake.open_faults_.pop_front();
        co_return redis::fault(std::move(fault));
    }
    if (fake.gone) co_return redis::fault(*fake.gone);
    ++fake.opened_;
    co_return std::unique_ptr<redis::Channel>(std::make_unique<FakeChannel>(fake, where));
}

std::vector<Command> commands_of(const redis::Request& request) {
    const std::string_view bytes = request.bytes();
    std::size_t at = 0;
    const auto header = [&](char sign) {
        std::size_t number = 0;
        const std::size_t end = bytes.find("\r\n", at);
        if (end == std::string::npos || bytes[at] != sign) throw std::logic_error("a request that is no RESP");
        std::from_chars(bytes.data() + at + 1, bytes.data() + end, number);
        at = end + 2;
        return number;
    };
    std::vector<Command> commands;
    while (at < bytes.size()) {
        Command& command = commands.emplace_back(header('*'));
        for (std::string& word : command) {
            const std::size_t size = header('$');
            word = bytes.substr(at, size);
            at += size + 2;
        }
    }
    return commands;
}

}  // namespace ratectl::test
