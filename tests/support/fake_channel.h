// Pretended servers behind redis::Channel and redis::Connector: they answer by script, and the test fails on what was
// not expected or not asked.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "redis/channel.h"

namespace ratectl::test {

redis::Reply text(std::string bytes);
redis::Reply status(std::string words);
redis::Reply error(std::string words);
redis::Reply integer(std::int64_t value);
redis::Reply nil();
redis::Reply array(std::vector<redis::Reply> elements);

/// Of a server that does not know a script by its hash.
inline const redis::Reply kNoScript = error("NOSCRIPT No matching script. Please use EVAL.");

/// A fault as a broken connection gives it.
redis::Fault broken(bool maybe_executed, std::string message = "connection closed before the reply");

using Command = std::vector<std::string>;
/// What the receiver takes of a whole reply, which keeps the rest.
void hand_over(redis::Reply& reply, redis::ElementReceiver& elements);

/// A reply, or the fault that receive() gives instead (the channel is closed then).
using Answer = std::variant<redis::Reply, redis::Fault>;

/// One pretended server. Its destructor fails the running test if an expected command never came or another one did.
class FakeNode {
public:
    using Matcher = std::function<bool(const Command&)>;

    FakeNode() = default;
    ~FakeNode();
    FakeNode(const FakeNode&) = delete;
    FakeNode& operator=(const FakeNode&) = delete;

    /// The next command must be exactly this.
    FakeNode& expect(Command command, Answer answer);
    /// The next command must match.
    FakeNode& expect(Matcher matcher, Answer answer, std::string description = "a matching command");
    /// Any command that matches and is not the next expected one: any number of times, also never.
    FakeNode& always(Matcher matcher, std::function<Answer(const Command&)> answer);
    /// The next request does not get out.
    FakeNode& fail_next_send(redis::Fault fault);
    /// The next open() fails like this (in order, before any that succeed).
    FakeNode& fail_next_open(redis::Fault fault);

    redis::ServerFacts facts;
    /// While set, every open() fails like this.
    std::optional<redis::Fault> gone;

    const std::vector<Command>& asked() const { return asked_; }
    std::size_t opened() const { return opened_; }
    std::size_t closed() const { return closed_; }
    /// What did not go as scripted, so far; empty is good.
    std::vector<std::string> problems() const;

private:
    friend class FakeChannel;
    friend class FakeConnector;

    struct Expected {
        Matcher matches;
        Answer answer;
        std::string description;
    };
    Answer answer_to(const Command& command);

    std::deque<Expected> expected_;
    std::vector<std::pair<Matcher, std::function<Answer(const Command&)>>> always_;
    std::deque<redis::Fault> send_faults_;
    std::deque<redis::Fault> open_faults_;
    std::vector<Command> asked_;
    std::vector<std::string> unexpected_;
    std::size_t opened_ = 0;
    std::size_t closed_ = 0;
};

/// Matches commands by their first word (as sent, upper case).
FakeNode::Matcher first_word_is(std::string word);

class FakeChannel : public redis::Channel {
public:
    /// The node outlives the channel.
    explicit FakeChannel(FakeNode& node, std::string where = "shard 'alpha' (10.0.0.7:6379)");
    ~FakeChannel() override;

    asio::awaitable<redis::Outcome<void>> send(const redis::Request& request, support::Deadline deadline) override;
    using Channel::receive;
    asio::awaitable<redis::Outcome<void>> receive(redis::Reply& into, redis::ElementReceiver* elements,
                                                  support::Deadline deadline) override;
    const redis::ServerFacts& facts() const override { return node_->facts; }
    bool is_open() const override { return open_; }
    void close() override;
    const std::string& where() const override { return where_; }

private:
    FakeNode* node_;
    std::string where_;
    std::deque<Answer> waiting_;
    bool open_ = true;
};

/// Opens channels to the nodes it was given, by address; any other address fails the test.
class FakeConnector : public redis::Connector {
public:
    ~FakeConnector() override;
    /// The pretended server at `10.0.0.7:6379`; made on first use.
    FakeNode& at(const std::string& address);
    asio::awaitable<redis::Outcome<std::unique_ptr<redis::Channel>>> open(const domain::Node& node,
                                                                          support::Deadline deadline) override;

private:
    std::map<std::string, std::unique_ptr<FakeNode>> nodes_;
};

/// The commands of a request, taken apart again.
std::vector<Command> commands_of(const redis::Request& request);

}  // namespace ratectl::test
