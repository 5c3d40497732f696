// A throw-away deployment of real redis-servers on loopback, shards, under sentinels or a cluster: up, status, down,
// from this process or a later one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sandbox/configuration.h"
#include "sandbox/folder.h"
#include "sandbox/server.h"
#include "sandbox/state_file.h"
#include "support/descriptor.h"
#include "support/error.h"
#include "support/stop_signal.h"

namespace ratectl::sandbox {

struct SandboxOptions {
    Kind kind = Kind::shards;
    unsigned shards = 3;           // 1..kMostShards
    unsigned replicas = 1;         // each shard's; 0..kMostReplicas
    std::string program;           // the redis-server binary
    std::string parent = "/tmp";   // where the temporary folder is made
    std::string folder;            // this one instead: made, or empty
    domain::Secret password;       // of all servers; empty: none
    bool die_with_parent = false;  // for `run`: nothing is left when we are killed
    support::Milliseconds patience{15000};
    const support::StopSignal* stop = nullptr;
};
inline constexpr unsigned kMostShards = 64;
inline constexpr unsigned kMostReplicas = 4;
inline constexpr unsigned kSentinels = 3;  // of Kind::sentinel

/// alpha, beta, gamma ... and after omega shard25, shard26.
std::string shard_name(unsigned index);

/// A running sandbox; its owner ends it, unless released, and locks its folder until then, so that down() leaves it
/// alone.
class Sandbox {
public:
    /// Returns when every server answers, every replica's link is up, and all sentinels or nodes of a cluster know one
    /// another; on an error nothing is left.
    static support::Result<Sandbox> up(const SandboxOptions& options);
    Sandbox(Sandbox&&) noexcept = default;
    Sandbox& operator=(Sandbox&&) = delete;
    ~Sandbox();

    const std::string& folder() const { return folder_; }
    std::string config_file() const { return folder_ + "/" + kConfigFile; }
    const std::vector<Member>& members() const { return members_; }
    /// The servers and the folder stay for a later down().
    void release();

private:
    Sandbox() = default;
    support::Result<void> launch(const SandboxOptions& options);
    support::Result<void> launch_one(const SandboxOptions& options, Member member, std::string config);
    support::Result<void> await_servers(support::Deadline deadline);
    support::Result<void> tie(const SandboxOptions& options, support::Deadline deadline);
    support::Result<void> link(support::Deadline deadline);
    support::Result<void> join(support::Deadline deadline);
    support::Result<void> watch(const SandboxOptions& options, support::Deadline deadline);
    support::Result<void> save();

    std::string folder_;
    Kind kind_ = Kind::shards;
    support::Descriptor lock_;
    domain::Secret password_;
    std::vector<LocalServer> servers_;
    std::vector<Member> members_;  // one a server
    bool owned_ = false;
};

struct MemberStatus {
    Member member;
    bool running = false;  // that very process
    bool answers = false;
};
/// What became of the sandbox in that folder. Error (local_io): there is none.
support::Result<std::vector<MemberStatus>> status(const std::string& folder);
struct Ended {
    std::size_t servers = 0;          // that were still running
    std::vector<Member> strangers{};  // the process of that number is none of its servers, and was left alone
    std::vector<std::string> left{};  // what is in the folder that is not the sandbox's; empty: the folder is gone
};
/// Ends exactly its processes, by number, start, command and folder, and removes its files. Errors (local_io): there is
/// none; its owner is still there; a server does not end, and then its files stay.
support::Result<Ended> down(const std::string& folder);

}  // namespace ratectl::sandbox
