// A throw-away sharded deployment of real redis-servers on loopback: up, status, down, from this process or a later one.
#pragma once

#include <string>
#include <vector>

#include "sandbox/folder.h"
#include "sandbox/server.h"
#include "sandbox/state_file.h"
#include "support/error.h"
#include "support/stop_signal.h"

namespace ratectl::sandbox {

struct SandboxOptions {
    unsigned shards = 3;           // 1..kMostShards
    unsigned replicas = 1;         // each shard's; 0..kMostReplicas
    std::string program;           // the redis-server binary
    std::string parent = "/tmp";   // where the temporary folder is made
    std::string folder;            // this one instead: made, or empty
    bool die_with_parent = false;  // for `run`: nothing is left when we are killed
    support::Milliseconds patience{15000};
    const support::StopSignal* stop = nullptr;
};
inline constexpr unsigned kMostShards = 64;
inline constexpr unsigned kMostReplicas = 4;

/// alpha, beta, gamma ... and after omega shard25, shard26.
std::string shard_name(unsigned index);

/// A running sandbox; its owner ends it, unless released.
class Sandbox {
public:
    /// Returns when every server answers and every replica's link is up; on an error nothing is left.
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
    support::Result<void> await(support::Deadline deadline);
    support::Result<void> link(support::Deadline deadline);
    support::Result<void> save();

    std::string folder_;
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
/// Ends exactly its processes and removes its files; how many were still running. Error (local_io): there is none.
support::Result<std::size_t> down(const std::string& folder);

}  // namespace ratectl::sandbox
