// A Context over pretended servers that hold keys in memory and answer MGET and SCAN: commands run whole, without
// sockets.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/command.h"
#include "commands/context.h"
#include "domain/key_template.h"
#include "redis/event_loop.h"
#include "sandbox/folder.h"
#include "support/fake_channel.h"

namespace ratectl::test {

/// `core:{client}` limit 20, class gold = 50 (client midas); `search:{client}` without a limit; `repo:{owner}/{name}`
/// limit 5.
inline domain::PolicyBook sample_policies() {
    const auto policy = [](const char* name, const char* key, std::optional<std::int64_t> limit) {
        domain::Policy made;
        made.name = name;
        made.key = *domain::KeyTemplate::parse(key);
        made.limit = limit;
        made.period = support::Seconds{3600};
        return made;
    };
    domain::Policy core = policy("core", "core:{client}", 20);
    core.classes["gold"] = 50;
    core.members["midas"] = {"gold", std::nullopt};
    return domain::PolicyBook(
        {core, policy("search", "search:{client}", std::nullopt), policy("repo", "repo:{owner}/{name}", 5)});
}

inline sharding::Options modulo() {
    sharding::Options options;
    options.preset = "modulo";
    return options;
}

/// Refuses connections to the dead.
class MortalConnector final : public redis::Connector {
public:
    asio::awaitable<redis::Outcome<std::unique_ptr<redis::Channel>>> open(const domain::Node& node,
                                                                          support::Deadline deadline) override {
        if (dead.contains(node.name())) {
            co_return redis::fault(
                {{support::ExitCode::unavailable, "shard '" + node.shard + "': connection refused", ""}, false, false});
        }
        co_return co_await fakes.open(node, deadline);
    }
    FakeConnector fakes;
    std::set<std::string> dead;
};

/// The application's clock stands at second 1000. Shards alpha, beta, gamma, each with a primary at 10.0.0.N:6379 and a
/// replica at 10.0.1.N:6379 that holds the same.
class FakeContext : public commands::Context {
public:
    explicit FakeContext(std::size_t shards = 1, std::string input = {})
        : in_(std::move(input), "standard input"), data_(shards) {
        loop_ = std::make_shared<redis::EventLoop>();
        connector_ = std::make_shared<MortalConnector>();
        configured.deployment = "test";
        configured.now = support::from_epoch(1000);
        configured.policies = sample_policies();
        const char* names[] = {"alpha", "beta", "gamma"};
        for (std::size_t i = 0; i < shards; ++i) {
            config::ShardSettings shard;
            shard.shard.name = names[i];
            shard.shard.primary.host = "10.0.0." + std::to_string(i + 1);
            shard.shard.replicas.resize(1);
            shard.shard.replicas[0].host = "10.0.1." + std::to_string(i + 1);
            shard.server.host = shard.shard.primary.host;
            configured.shards.push_back(shard);
            serve(primary(i), i, domain::Role::primary);
            serve(replica(i), i, domain::Role::replica);
        }
        if (shards > 1) configured.sharding = modulo();
    }

    /// Both halves of a window, wherever the shard map says.
    void put(const std::string& key, const std::string& used, const std::string& reset_at) {
        put_raw(shard_map()->shard_of(key), key, used);
        put_raw(shard_map()->shard_of(key), key + ":exp", reset_at);
    }
    void put_raw(std::size_t shard, const std::string& key, const std::string& value) { data_[shard][key] = value; }
    FakeNode& primary(std::size_t shard) {
        return connector_->fakes.at("10.0.0." + std::to_string(shard + 1) + ":6379");
    }
    FakeNode& replica(std::size_t shard) {
        return connector_->fakes.at("10.0.1." + std::to_string(shard + 1) + ":6379");
    }
    /// Nobody gets a connection to them any more.
    void kill_primary(std::size_t shard) { connector_->dead.insert("10.0.0." + std::to_string(shard + 1) + ":6379"); }
    void kill_replica(std::size_t shard) { connector_->dead.insert("10.0.1." + std::to_string(shard + 1) + ":6379"); }

    /// Runs the command with these arguments; a thrown Failure's words are in errors().
    support::ExitCode run(const commands::Command& command, std::vector<std::string> arguments) {
        CLI::App app;
        const commands::Run execute = command.bind(app);
        std::reverse(arguments.begin(), arguments.end());
        app.parse(arguments);
        try {
            return execute(*this);
        } catch (const support::Failure& failure) {
            messages_.error(failure.error());
            return failure.error().code;
        }
    }

    const commands::GlobalOptions& options() const override { return given; }
    const config::Settings& settings() override { return configured; }
    store::Store& store() override {
        if (store_) return *store_;
        const store::Topology topology{own_directory(), {}, {}};
        store::Options options;
        options.wall_clock = [this] { return wall_clock(); };
        options.notice = [this](const support::Error& error) { messages_.warning(error.message, error.hint); };
        store_ = std::make_unique<store::Store>(topology, options, loop_, connector_);
        return *store_;
    }
    config::Settings settings_of(const std::string&, bool) override { throw std::logic_error("one deployment only"); }
    std::unique_ptr<store::Store> store_of(const config::Settings&) override {
        throw std::logic_error("one deployment only");
    }
    const store::Directory& directory() override { return *own_directory(); }
    /// As the tests' expectations ask it.
    const sharding::ShardMap* shard_map() { return directory().rule(); }
    /// The deployments of `others`, on the same pretended servers.
    commands::OpenDeployment open_deployment(const commands::DeploymentName& name) override {
        commands::OpenDeployment opened;
        opened.settings = others.at(name.deployment.value_or("test"));
        const store::Topology topology{commands::directory_of(opened.settings), {}, {}};
        store::Options options;
        options.wall_clock = [this] { return wall_clock(); };
        options.notice = [this](const support::Error& error) { messages_.warning(error.message, error.hint); };
        opened.store = std::make_unique<store::Store>(topology, options, loop_, connector_);
        return opened;
    }
    output::ByteSink& out() override { return out_; }
    output::Diagnostics& messages() override { return messages_; }
    input::ByteSource& in() override { return in_; }
    output::SinkOptions sink_options(std::string_view schema) override {
        output::SinkOptions sink;
        sink.format = support::value_or_throw(output::parse_format(given.output.value_or("table")));
        if (given.key_format) sink.key_format = support::value_or_throw(output::parse_key_format(*given.key_format));
        sink.nul_separated = given.nul;
        sink.header = !given.no_header;
        sink.schema = schema;
        sink.now = now();
        return sink;
    }
    support::WallTime wall_clock() override { return support::WallTime{support::Seconds{1000}}; }
    support::Moment now() override { return configured.now.value_or(support::from_epoch(1000)); }
    std::optional<std::string> env(const std::string&) const override { return std::nullopt; }
    const support::StopSignal& stop() const override { return stop_; }
    std::optional<std::string> ask(std::string_view) override { return std::nullopt; }
    bool stdout_is_terminal() const override { return false; }
    bool stdin_is_terminal() const override { return false; }
    commands::Identity identity() override { return {"tester", "testhost"}; }
    std::string new_operation_id() override { return "01TEST" + std::to_string(++operations_); }
    journal::Journal& journal() override {
        if (!journal_) journal_ = std::make_unique<journal::Journal>(journal_folder_.path() + "/journal.db");
        return *journal_;
    }
    void audit(std::string_view line) override { audited.emplace_back(line); }

    std::vector<std::string> audited;

    commands::GlobalOptions given;
    config::Settings configured;
    std::map<std::string, config::Settings> others;  // by name, for commands about two deployments
    const std::string& output() const { return out_.text; }
    const std::string& errors() const { return err_.text; }

private:
    /// Made anew where a test has changed the rule since.
    std::shared_ptr<store::Directory> own_directory() {
        const bool is_as_configured = !directories_.empty() && directory_for_ == configured.sharding &&
                                      directories_.back()->places().size() == configured.shards.size();
        if (!is_as_configured) {
            directories_.push_back(commands::directory_of(configured));
            directory_for_ = configured.sharding;
        }
        return directories_.back();
    }

    /// MGET of strings, the full look of MULTI and EXEC, and a SCAN that finds everything on its one page.
    void serve(FakeNode& node, std::size_t shard, domain::Role role) {
        node.facts.version = domain::ServerVersion{7, 0, 15, false};
        node.facts.role = role;
        node.facts.run_id = "run";
        if (role == domain::Role::replica) node.facts.link_up = true;
        node.always(
            [](const Command& command) {
                return command == Command{"INFO", "replication"} || command == Command{"INFO", "commandstats"};
            },
            [](const Command&) -> Answer { return error("NOPERM no INFO"); });
        node.always(first_word_is("MGET"), [this, shard](const Command& command) -> Answer {
            std::vector<redis::Reply> values;
            for (std::size_t i = 1; i < command.size(); ++i) {
                const auto found = data_[shard].find(command[i]);
                values.push_back(found == data_[shard].end() ? nil() : text(found->second));
            }
            return array(std::move(values));
        });
        node.always(first_word_is("GET"), [this, shard](const Command& command) -> Answer {
            const auto found = data_[shard].find(command.at(1));
            return found == data_[shard].end() ? nil() : text(found->second);
        });
        node.always(first_word_is("EXISTS"), [this, shard](const Command& command) -> Answer {
            const auto there = [&](const std::string& key) { return data_[shard].contains(key); };
            return integer(std::count_if(command.begin() + 1, command.end(), there));
        });
        serve_full_looks(node, shard);
        node.always(first_word_is("SCAN"), [this, shard](const Command& command) -> Answer {
            std::vector<redis::Reply> keys;
            for (const auto& [key, value] : data_[shard]) {
                if (domain::glob_matches(command.at(3), key)) keys.push_back(text(key));
            }
            return array({text("0"), array(std::move(keys))});
        });
    }

    void serve_full_looks(FakeNode& node, std::size_t shard) {
        const auto queued = std::make_shared<std::vector<redis::Reply>>();
        const auto queue = [this, shard, queued, &node](const std::string& word, auto reply) {
            node.always(first_word_is(word), [this, shard, queued, reply](const Command& command) -> Answer {
                const auto found = data_[shard].find(command.at(1));
                queued->push_back(reply(found == data_[shard].end() ? nullptr : &found->second));
                return status("QUEUED");
            });
        };
        using Value = const std::string*;
        queue("TYPE", [](Value value) { return status(value ? "string" : "none"); });
        queue("GETRANGE", [](Value value) { return text(value ? *value : ""); });
        queue("PTTL", [](Value value) { return integer(value ? 600'000 : -2); });
        queue("PEXPIRETIME", [](Value value) { return integer(value ? 1'601'000 : -2); });
        node.always(first_word_is("MULTI"), [](const Command&) -> Answer { return status("OK"); });
        node.always(first_word_is("EXEC"),
                    [queued](const Command&) -> Answer { return array(std::exchange(*queued, {})); });
    }

    output::StringSink out_;
    output::StringSink err_;
    output::Diagnostics messages_{err_, {}};
    input::StringSource in_;
    support::StopSignal stop_;
    std::vector<std::map<std::string, std::string>> data_;
    std::shared_ptr<redis::EventLoop> loop_;
    std::shared_ptr<MortalConnector> connector_;
    std::unique_ptr<store::Store> store_;
    std::vector<std::shared_ptr<store::Directory>> directories_;  // commands may hold earlier ones
    std::optional<sharding::Options> directory_for_;
    sandbox::TemporaryFolder journal_folder_ =
        support::value_or_throw(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"));
    std::unique_ptr<journal::Journal> journal_;
    int operations_ = 0;
};

}  // namespace ratectl::test
