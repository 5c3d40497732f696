// Where a server listens and how to log in: parsed from redis://, rediss://, unix:// and memcached:// URLs, strictly.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"

namespace ratectl::domain {

/// Bytes that no formatter accepts and that are wiped when they die. Only the transport reads them.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string bytes) : bytes_(std::move(bytes)) {}
    Secret(const Secret&) = default;
    Secret(Secret&& other) noexcept;
    Secret& operator=(const Secret& other);
    Secret& operator=(Secret&& other) noexcept;
    ~Secret();

    const std::string& reveal() const { return bytes_; }
    bool empty() const { return bytes_.empty(); }

private:
    void wipe() noexcept;
    std::string bytes_;
};

struct Credentials {
    std::string username;  // empty: the default user
    std::optional<Secret> password;
    std::string source;  // where it came from, for messages: "password_file /run/secrets/redis", "URL"
};

/// What a server speaks.
enum class Protocol { redis, memcached };

/// One server. TCP: host and port; unix socket: path. Or a dump file in its place: path, and nothing connects to
/// it.
struct Endpoint {
    enum class Kind { tcp, unix_socket, file };

    Kind kind = Kind::tcp;
    Protocol protocol = Protocol::redis;
    std::string host;  // a name or an address literal, without brackets
    std::uint16_t port = 6379;
    std::string path;
    bool tls = false;
    /// What answers there is a proxy (twemproxy, Envoy), and the servers are behind it: `?proxy=true`.
    bool proxied = false;
    int db = 0;
    Credentials credentials;

    /// `10.0.0.7:6379`, `[::1]:6379`, `unix:/run/redis.sock`, a file's path: the node's name in rows and messages.
    /// Never a secret.
    std::string address() const;
    /// The URL without user or password: `redis://10.0.0.7:6379`, with `/2` when the db is not 0, and `?proxy=true`.
    std::string url() const;
    /// No address of its own: another server tells which one it is.
    bool is_to_be_told() const { return kind == Kind::tcp && host.empty(); }
    /// Same server and db, with whatever account.
    bool same_server(const Endpoint& other) const;
};

/// `redis[s]://[user[:password]@]host[:port][/db]`, `unix://[user[:password]@]/path[?db=N]`; a proxy has `?proxy=true`
/// behind it and no db. Percent-decoding in user and password. `memcached://host[:port]` has none of all that, and
/// 11211 for a port. Errors (configuration) name what is wrong: port outside 1..65535, db, scheme, socket path over 107
/// bytes, a host that is neither a name nor an inet_pton literal (0x7f.1 is refused). The message never repeats the
/// URL's password. `usual_port`: where a URL of Redis has none.
support::Result<Endpoint> parse_endpoint(std::string_view url, std::uint16_t usual_port = 6379);

/// How to prove the server's identity, and ours. Paths are absolute once configured.
struct TlsOptions {
    std::string ca_file;  // empty: the system's bundle
    std::string cert_file;
    std::string key_file;
    std::string server_name;    // the name to verify and send as SNI; empty: the endpoint's host
    bool insecure = false;      // identity not verified; warned about in every run
    std::string keys = "tls.";  // what these are called in the configuration, for messages: tls.ca_file
};

}  // namespace ratectl::domain
