// A real memcached for one test: starts in the constructor, ends (exactly it) in the destructor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sandbox/process.h"
#include "support/proxied_link.h"

namespace ratectl::test {

/// Every failure throws std::runtime_error that says what happened; a missing memcached too, so that such a test fails
/// and never skips.
class MemcachedServer {
public:
    /// Beside its port on the loopback: `-m`, `1` ...
    explicit MemcachedServer(std::vector<std::string> arguments = {});
    ~MemcachedServer();
    MemcachedServer(const MemcachedServer&) = delete;
    MemcachedServer& operator=(const MemcachedServer&) = delete;

    std::uint16_t port() const { return port_; }
    std::string url() const { return "memcached://127.0.0.1:" + std::to_string(port_); }
    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

    /// One command line, with its data behind it where it has some; the answer up to its last line, without that
    /// line's end.
    std::string ask(const std::string& line, const std::string& value = "");
    void set(const std::string& key, const std::string& value, std::int64_t exptime = 0);
    /// Empty: nothing is there.
    std::string get(const std::string& key);
    bool has(const std::string& key) { return ask("mg " + key) != "EN"; }
    /// Both keys of the predecessor's window, as its program stores them.
    void open(const std::string& key, std::int64_t used, std::int64_t reset_at);
    /// The predecessor counts a request of a client whose limit is not reached; what is used then.
    std::int64_t count(const std::string& key, std::int64_t now, std::int64_t next_reset);

    /// SIGKILL, and waits.
    void kill() { process_.kill(); }
    void pause();
    void resume();

private:
    void start(const std::vector<std::string>& arguments);
    std::string read_until_end();

    sandbox::ChildProcess process_;
    OwnedFd link_;
    std::uint16_t port_ = 0;
};

}  // namespace ratectl::test
