// Real redis-servers behind a real client library, the keys to give it, and the check that ratectl knows where each one
// went.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/folder.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"
#include "unit/random_source.h"

namespace ratectl::test {

/// False when that system_program() with the arguments ends with 0: the library is there. Otherwise says which Debian
/// package has it, and that fails the test where CI is set in the environment; elsewhere the test goes on without that
/// library.
bool is_absent(const std::string& library, const std::string& package, const std::string& program,
               const std::vector<std::string>& arguments);
/// The program's path: the system's own (Debian's packages belong to that), else the first on the PATH.
std::string system_program(const std::string& name);
/// The preset of the redis-rb that is here, in quotes; null when none is, as is_absent() says.
std::optional<std::string> redis_rb_preset();
/// The path of a script in tests/live.
std::string script(const std::string& name);

enum class KeyBytes { text, any };  // text: valid UTF-8 without control characters

/// Different keys: plain, tagged in every odd way, UTF-8, and with `any` also arbitrary bytes; of the last none is
/// empty.
std::vector<std::string> random_keys(RandomSource& random, std::size_t count, KeyBytes bytes);
/// One key a line, in hexadecimal.
std::string hex_lines(const std::vector<std::string>& keys);

/// key -> index of the server that has it.
using Placement = std::map<std::string, std::size_t>;

class RealServers {
public:
    explicit RealServers(std::size_t count);

    /// Only the first so many take part from now on, over TCP; all are emptied.
    void use(std::size_t count);
    /// The same over unix sockets.
    void use_sockets(std::size_t count);
    std::size_t size() const { return used_; }
    domain::Endpoint endpoint(std::size_t index) const;
    /// Looks on every server; a key that is on two of them fails the test.
    Placement keys_found();

private:
    std::vector<std::unique_ptr<RedisServer>> servers_;
    std::size_t used_;
    bool sockets_ = false;
};

/// A configuration file for one test.
class DeploymentFile {
public:
    explicit DeploymentFile(const std::string& text);
    const std::string& path() const { return path_; }

private:
    sandbox::TemporaryFolder folder_;
    std::string path_;
};

/// `extra` is TOML of each shard by its index, for names, weights and labels.
std::string deployment_text(const RealServers& servers, const std::string& sharding,
                            const std::vector<std::string>& extra = {});

/// Runs `ratectl locate` over every key and fails for each one that is elsewhere in reality, and when fewer than
/// `least` keys were found.
void check_located(const DeploymentFile& deployment, const RealServers& servers, const Placement& real,
                   std::size_t least);
/// Runs `ratectl check` over every key: each must be an open window on the shard where it really is.
void check_windows_found(const DeploymentFile& deployment, const RealServers& servers, const Placement& real);

/// The lines of a text, without the last, empty one.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace ratectl::test
