// Policies say which limit a key has: a key template, a limit and period, and classes of clients with limits of their own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
    std::map<std::string, std::int64_t, std::less<>> classes;  // class -> limit
    std::map<std::string, ClassMember, std::less<>> members;   // client -> class, from the class file
    std::string class_file;                                    // where members came from, or empty
};

/// What a key means to the policies. A view: of the key, and of the book that was asked.
struct PolicyMatch {
    const Policy* policy = nullptr;
    std::string_view client;        // the `client` hole, or the first hole, or empty
    std::string_view client_class;  // or empty
    std::optional<std::int64_t> limit;
    std::string_view limit_source;  // `policy:core`, `class:enterprise`, `class-file:client`; empty without a limit
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
    /// The key of a client under one policy: its `client` hole, or its only hole; an error (usage) when it has other holes.
    static support::Result<std::string> key_of(const Policy& policy, std::string_view client);

private:
    using Sources = std::map<std::string, std::string, std::less<>>;
    /// What a match needs to know of a policy, worked out once.
    struct Facts {
        std::size_t client_hole = KeyTemplate::kNoHole;
        std::string source;      // of the policy's own limit
        Sources class_sources;   // by class
        Sources member_sources;  // by client, of those with a limit of their own
    };
    /// The policies that can match a key which has this as its nearest neighbour at or before it in the order of beginnings.
    struct Beginning {
        std::string text;
        std::vector<std::size_t> policies;  // in file order
    };

    std::span<const std::size_t> candidates(std::string_view key) const;
    void set_limit(PolicyMatch& match, const Facts& facts) const;

    std::vector<Policy> policies_;
    std::vector<Facts> facts_;           // of each policy
    std::vector<Beginning> beginnings_;  // sorted by text
};

}  // namespace ratectl::domain
