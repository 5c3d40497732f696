// Policies say which limit a key has: a key template, a limit and period, and classes of clients with limits of their own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

/// What a key means to the policies.
struct PolicyMatch {
    const Policy* policy = nullptr;
    Captures captures;
    std::string client;        // the `client` hole, or the first hole, or empty
    std::string client_class;  // or empty
    std::optional<std::int64_t> limit;
    std::string limit_source;  // `policy:core`, `class:enterprise`, `class-file:client`; empty without a limit
};

/// The policies of a deployment in file order; the first that matches wins.
class PolicyBook {
public:
    PolicyBook() = default;
    explicit PolicyBook(std::vector<Policy> policies) : policies_(std::move(policies)) {}

    const std::vector<Policy>& policies() const { return policies_; }
    bool empty() const { return policies_.empty(); }
    const Policy* find(std::string_view name) const;
    std::optional<PolicyMatch> match(std::string_view key) const;
    /// The key of a client under one policy: its `client` hole, or its only hole; an error (usage) when it has other holes.
    static support::Result<std::string> key_of(const Policy& policy, std::string_view client);

private:
    std::vector<Policy> policies_;
};

}  // namespace ratectl::domain
