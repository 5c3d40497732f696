// The limiters whose keys the servers have: samples summed up, and the policies that such keys would belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "commands/context.h"
#include "commands/outcome.h"
#include "config/starter.h"
#include "domain/identify/origin.h"

namespace ratectl::commands {

/// As it may be shown: what a key of a secret policy is called tells of its client.
domain::Origin shown_origin(domain::Origin origin, std::string_view key, const config::Settings& settings);

/// Keys that are alike: of one limiter, as surely, and under one policy.
struct KeyKind {
    std::string example;
    domain::Origin origin;  // what they have in common
    std::int64_t keys = 0;
};

struct OriginQuestion {
    const config::Settings& settings;
    std::vector<std::size_t> shards = {};  // empty: all
    domain::ReadFrom from = {};
    std::size_t most = 0;  // keys of each shard
};

/// The most frequent first. Says what could not be read, and tells the outcome.
std::vector<KeyKind> sample_origins(const OriginQuestion& question, store::Store& store, Context& context,
                                    Outcome& outcome);
std::int64_t count_keys(const std::vector<KeyKind>& kinds);

/// `--from`, for commands that read one node of every shard. Throws Failure (usage) for all.
domain::ReadFrom one_node(const domain::ReadFrom& from);

/// Each policy once, under a name of its own.
class OriginPolicies {
public:
    /// `deployment`: whose policies they would be.
    explicit OriginPolicies(std::string deployment) : deployment_(std::move(deployment)) {}

    /// Null where it would be a guess, or where no scheme of this program is the limiter's.
    const config::StarterPolicy* policy_of(const domain::Origin& origin);
    /// The same as the table to paste; empty: none.
    std::string table_of(const domain::Origin& origin);
    /// All of them that were asked for.
    std::string text() const;
    bool empty() const { return policies_.empty(); }

private:
    using Policy = std::tuple<std::string, std::string, support::Seconds>;  // system, template, period
    std::string name_for(const std::string& system);

    std::string deployment_;
    std::map<std::string, bool, std::less<>> schemes_;  // whether there is one of that name
    std::map<Policy, std::size_t> known_;
    std::map<std::string, std::size_t> names_;
    std::vector<config::StarterPolicy> policies_;
};

}  // namespace ratectl::commands
