// Policies say which limit a key has: a key template, a limit and period, classes of clients with limits of their own,
// and who has none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/key_template.h"
#include "support/time.h"

namespace ratectl::domain {

/// A client that a class file names: its class, and a limit of its own if the line had one.
struct ClassMember {
    std::string client_class;
    std::optional<std::int64_t> limit;
};

struct Policy {
    std::string name;
    KeyTemplate key;
    std::optional<std::int64_t> limit;
    std::optional<support::Seconds> period;
    /// Of limiters that let requests trickle: how many may come at once, as the limiter's own setting has it.
    std::optional<std::int64_t> burst;
    std::map<std::string, std::int64_t, std::less<>> classes;  // class -> limit
    std::map<std::string, ClassMember, std::less<>> members;   // client, as keys hold it -> class, from the class file
    std::string class_file;                                    // where members came from, or empty
    std::set<std::string, std::less<>> exempt;                 // clients that are never limited, as keys hold them
    std::string exempt_file;                                   // where some of them came from, or empty
    /// The policy whose clients share this one's windows, an organisation each; empty: the windows are those of single
    /// clients.
    std::string shared_by;
    /// Which kind of limiter keeps its windows, as Layout has it; empty: that of the deployment.
    std::string scheme;
    /// A glob of the clients that it is for, as keys hold them; empty: of all. Keys of others are not its keys.
    std::string clients;
    /// How the paths of the requests begin that it limits, with holes of one segment each; empty: it limits all.
    std::vector<KeyTemplate> paths;
    bool secret = false;  // clients are recorded as fingerprints only
    bool masked = false;  // and shown so: secret, and --reveal was not given
};

/// The name of the policy of an organisation's windows.
std::string organisation_policy(std::string_view policy);

/// The path of a request that is named by it or by its URL; what stands behind `?` or `#` is none of it. Null: it is
/// neither.
std::optional<std::string_view> path_in(std::string_view request);
/// Whether the policy limits a request for that path, or URL, and what the holes hold of the first of its beginnings
/// that fits. Null: it does not.
std::optional<Captures> holes_of_request(const Policy& policy, std::string_view request);

/// What a key means to the policies. A view: of the key, and of the book that was asked.
struct PolicyMatch {
    const Policy* policy = nullptr;
    std::string_view client;        // the `client` hole, or the first hole, or empty
    std::string_view client_class;  // or empty
    std::optional<std::int64_t> limit;
    std::string_view
        limit_source;  // `policy:core`, `class:enterprise`, `class-file:client`; `exempt`; else empty without a limit
    bool exempt = false;  // never limited
};

/// The policies of a deployment in file order; the first that matches wins.
class PolicyBook {
public:
    PolicyBook() = default;
    explicit PolicyBook(std::vector<Policy> policies);

    const std::vector<Policy>& policies() const { return policies_; }
    bool empty() const { return policies_.empty(); }
    const Policy* find(std::string_view name) const;
    std::optional<PolicyMatch> match(std::string_view key) const;
    /// The policy that the clients of this one share, by organisations; null: none.
    const Policy* shared_with(const Policy& policy) const;
    /// The hole that holds the client (`org`: the organisation), else the first one; empty for a key without holes.
    static std::string client_hole(const Policy& policy);
    /// Whether it is for that client.
    static bool is_for(const Policy& policy, std::string_view client);
    /// The key of a client under one policy. `known`: what its other holes have; an error (usage) names those that have
    /// nothing, or says that a numbered key would be read as another client's.
    static support::Result<std::string> key_of(const Policy& policy, std::string_view client,
                                               const Captures& known = {});

    /// A key of the policy with a fingerprint for its client.
    static std::string with_fingerprint(const Policy& policy, std::string_view key);
    /// The key with a fingerprint for its client if the client must not be shown, else the key. Once masked stays as it
    /// is.
    std::string visible(std::string_view key) const;
    /// The same for records that are kept, whatever may be shown.
    std::string recorded(std::string_view key) const;
    /// The first policy, masked or not, that could have made this of one of its keys by putting a fingerprint into it;
    /// null: none.
    const Policy* masked_by(std::string_view key) const;
    /// The key of that client from the one with its fingerprint; null: it is another client's.
    std::optional<std::string> unmasked(std::string_view masked, std::string_view client) const;
    /// Whether anything is ever hidden.
    bool hides() const { return hides_; }

private:
    using Sources = std::map<std::string, std::string, std::less<>>;
    /// What a match needs to know of a policy, worked out once.
    struct Facts {
        std::size_t client_hole = KeyTemplate::kNoHole;
        bool chooses = false;                   // by what keys hold of their clients
        std::string source;                     // of the policy's own limit
        Sources class_sources;                  // by class
        Sources member_sources;                 // by client, of those with a limit of their own
        std::optional<KeyTemplate> masked_key;  // of a secret policy: its keys with fingerprints in them
    };
    /// The policies that can match a key which has this as its nearest neighbour at or before it in the order of
    /// beginnings.
    struct Beginning {
        std::string text;
        std::vector<std::size_t> policies;  // in file order
    };

    std::span<const std::size_t> candidates(std::string_view key) const;
    void set_limit(PolicyMatch& match, const Facts& facts) const;
    std::string hidden_key(std::string_view key, bool Policy::*hidden) const;

    std::vector<Policy> policies_;
    std::vector<Facts> facts_;           // of each policy
    std::vector<Beginning> beginnings_;  // sorted by text
    bool hides_ = false;
    bool has_secrets_ = false;
};

}  // namespace ratectl::domain
