// What the examples of help, manual and README need around them: servers with windows, and every file that they name.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sandbox/folder.h"
#include "sandbox/sandbox.h"
#include "support/memcached_server.h"
#include "support/redis_cluster.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

/// Three shards with a replica each (`production`, the default), the same and a fourth (`production-new`), policies
/// core and search. Windows end half an hour after they were made; alice's of core is exhausted, core:leaked has no
/// TTL. Two resets were done: 01JD0W3V5M7Q9R2T4X6Z8B1C3D and my-reset.
class ExampleWorld {
public:
    ExampleWorld();

    /// As many more windows of policy core, of one request each.
    void add_clients(int count) const;
    /// A policy of throttles, and some of those: search, which has knobs, and mail.
    void add_throttles() const;
    /// Deployment `legacy`: a memcached with the predecessor's windows of the clients bob and erin; and a feature,
    /// next_limit, at 10 %.
    void add_predecessor();
    /// A Redis Cluster of one node, in cluster.toml, with the same policies: their keys have tags there.
    void add_cluster();
    /// Lines of bash in the world's folder, which is HOME, too; a question on the terminal is answered with yes.
    RunResult run(const std::string& script) const;
    const std::string& folder() const { return folder_.path(); }

private:
    void write_file(const std::string& name, const std::string& text) const;
    void write_configurations() const;
    void write_inputs() const;
    void write_dumps() const;
    void count_windows() const;
    void leak_a_window() const;
    void must_run(const std::string& script) const;
    void await_replicas(const RunOptions& options) const;
    std::string deployment(const std::string& name, std::size_t shards) const;

    sandbox::TemporaryFolder folder_;
    sandbox::Sandbox servers_;
    std::optional<MemcachedServer> predecessor_;
    std::unique_ptr<RedisCluster> cluster_;
};

}  // namespace ratectl::test
