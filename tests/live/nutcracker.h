// A real nutcracker (twemproxy) in front of real servers, for one test.
#pragma once

#include <string>
#include <vector>

#include "live/real_servers.h"
#include "sandbox/folder.h"
#include "sandbox/process.h"
#include "support/plain_client.h"

namespace ratectl::test {

bool nutcracker_is_absent();

/// One pool: what stands in its table, and its servers as lines of the file.
struct Pool {
    std::string name;
    std::string settings;              // `hash: md5\n` and so on, a line each, not indented
    std::vector<std::string> servers;  // `127.0.0.1:7001:1 alpha`
};

/// `HOST:PORT:WEIGHT [NAME]` for every server; names and weights may be shorter than the list of servers.
std::vector<std::string> server_lines(const RealServers& servers, const std::vector<unsigned>& weights = {},
                                      const std::vector<std::string>& names = {});

class Nutcracker {
public:
    /// Throws std::runtime_error with the end of its log when it does not come up.
    explicit Nutcracker(const std::vector<Pool>& pools);

    /// The file it runs with: what a team would have.
    const std::string& file() const { return file_; }
    /// What ratectl is given to talk to this pool.
    std::string url(const std::string& pool) const { return "unix://" + folder_.path() + "/" + pool + "?proxy=true"; }
    /// Sets each key through the proxy.
    void set(const std::string& pool, const std::vector<std::string>& keys);
    /// Writes a window of 7 requests for each key, by a script that is routed by the counter's key.
    void write_windows(const std::string& pool, const std::vector<std::string>& keys);

private:
    bool start();
    test::PlainClient client(const std::string& pool) const;

    sandbox::TemporaryFolder folder_;
    std::string file_;
    std::vector<Pool> pools_;
    sandbox::ChildProcess process_;
};

}  // namespace ratectl::test
