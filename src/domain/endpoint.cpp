// Parses server URLs strictly.
// A message repeats a host, and numbers; never what stands before the `@`, where a password may be, or in a
// query or a fragment, or in the place of a number.
#include "domain/endpoint.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "support/ascii.h"
#include "support/base64.h"
#include "support/number_text.h"

namespace ratectl::domain {

namespace {

using support::ExitCode;
using support::Result;

constexpr std::size_t kLongestSocketPath = 107;  // sun_path less its NUL
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;
constexpr std::uint64_t kLargestDb = 65535;
constexpr std::uint16_t kMemcachedPort = 11211;
constexpr std::string_view kLoginHint =
    "a user and a password stand before the host: redis://USER:PASSWORD@HOST:PORT/DB, in a variable: -u env:NAME";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

tl::unexpected<support::Error> bad_url(std::string_view why, std::string hint = {}) {
    return support::failure(ExitCode::configuration, fmt::format("server URL: {}", why), std::move(hint));
}

bool only(std::string_view text, std::string_view allowed) {
    return text.find_first_not_of(allowed) == std::string_view::npos;
}

/// For a message: a number as it was written, anything else by its kind alone, because it may be a password in the
/// wrong place.
std::string as_written(std::string_view what, std::string_view text) {
    return text.empty() || !only(text, "0123456789-") ? fmt::format("the {}", what)
                                                      : fmt::format("{} '{}'", what, text);
}

bool is_address(int family, std::string_view host) {
    std::array<unsigned char, sizeof(in6_addr)> address{};
    return inet_pton(family, std::string(host).c_str(), address.data()) == 1;
}

/// A last label that is a number makes the resolver read the whole as an IPv4 address in one of its loose spellings.
bool ends_in_number(std::string_view host) {
    std::string_view label = host.substr(host.rfind('.') + 1);
    if (label.empty()) return false;
    if (only(label, kDigits)) return true;
    if (!label.starts_with("0x") && !label.starts_with("0X")) return false;
    label.remove_prefix(2);
    return only(label, "0123456789abcdefABCDEF");
}

bool is_label(std::string_view label) {
    if (label.empty() || label.size() > kLongestLabel || label.front() == '-' || label.back() == '-') return false;
    return std::all_of(label.begin(), label.end(), [](char c) {
        return c == '-' || c == '_' || kDigits.find(c) != std::string_view::npos ||
               kLetters.find(c) != std::string_view::npos;
    });
}

bool is_host_name(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.empty() || host.size() > kLongestName || ends_in_number(host)) return false;
    while (true) {
        const std::size_t dot = host.find('.');
        if (!is_label(host.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        host.remove_prefix(dot + 1);
    }
}

Result<Credentials> parse_userinfo(std::string_view userinfo) {
    constexpr std::string_view hint = "write special characters of user and password as %XX, `/` as %2F and `@` as %40";
    const bool plain = std::none_of(userinfo.begin(), userinfo.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte <= 0x20 || byte == 0x7f || std::string_view("/?#@[]").find(c) != std::string_view::npos;
    });
    if (!plain) return bad_url("the user or the password holds a character that must be escaped", std::string(hint));
    const std::size_t colon = userinfo.find(':');
    auto username = support::percent_decode(userinfo.substr(0, colon));
    auto password =
        support::percent_decode(colon == std::string_view::npos ? std::string_view{} : userinfo.substr(colon + 1));
    if (!username || !password)
        return bad_url("the user or the password holds a % that is not an escape", std::string(hint));
    Credentials credentials;
    credentials.username = std::move(*username);
    if (!password->empty()) {
        credentials.password.emplace(std::move(*password));
        credentials.source = "URL";
    }
    return credentials;
}

Result<void> parse_db(std::string_view text, Endpoint& endpoint) {
    const auto db = support::parse_unsigned(text, kLargestDb);
    if (!db) return bad_url(fmt::format("{} is not a number from 0 to {}", as_written("database", text), kLargestDb));
    endpoint.db = static_cast<int>(*db);
    return {};
}

Result<void> parse_host(std::string_view host, bool bracketed, Endpoint& endpoint) {
    if (host.empty()) return bad_url("the host is missing");
    if (bracketed) {
        if (!is_address(AF_INET6, host)) return bad_url(fmt::format("'[{}]' is not an IPv6 address", host));
    } else if (ends_in_number(host)) {
        if (!is_address(AF_INET, host)) return bad_url(fmt::format("'{}' is not an IPv4 address", host));
    } else if (!is_host_name(host)) {
        return bad_url(fmt::format("'{}' is neither a host name nor an address", host));
    }
    endpoint.host = std::string(host);
    return {};
}

Result<void> parse_authority(std::string_view authority, Endpoint& endpoint) {
    const bool bracketed = authority.starts_with('[');
    const std::size_t host_end = bracketed ? authority.find(']') : authority.find(':');
    if (bracketed && host_end == std::string_view::npos) return bad_url("a bracket of an IPv6 address is not closed");
    const std::string_view host = bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
    std::string_view rest = host_end == std::string_view::npos ? std::string_view{} : authority.substr(host_end);
    if (bracketed) rest.remove_prefix(1);
    if (!bracketed && rest.find(':', 1) != std::string_view::npos && !rest.empty()) {
        return bad_url("there is more than one colon between the host and the port",
                       "an IPv6 address stands in brackets: [::1]; user and password end with an `@`");
    }
    if (auto good = parse_host(host, bracketed, endpoint); !good) return good;
    if (rest.empty()) return {};
    const auto port = rest.front() == ':' ? support::parse_unsigned(rest.substr(1), 65535) : std::nullopt;
    if (!port || *port == 0) {
        const std::string_view text = rest.substr(rest.front() == ':' ? 1 : 0);
        return bad_url(fmt::format("{} is not a number from 1 to 65535", as_written("port", text)));
    }
    endpoint.port = static_cast<std::uint16_t>(*port);
    return {};
}

/// Takes `userinfo@` off the front of `rest`, up to the separator that stands at `at`.
Result<void> take_userinfo(std::string_view& rest, std::size_t at, Endpoint& endpoint) {
    auto credentials = parse_userinfo(rest.substr(0, at));
    if (!credentials) return tl::make_unexpected(credentials.error());
    endpoint.credentials = std::move(*credentials);
    rest.remove_prefix(at + 1);
    return {};
}

/// What follows the `?` of a URL; a unix socket's may name the db.
Result<void> parse_query(std::string_view query, Endpoint& endpoint) {
    const bool is_socket = endpoint.kind == Endpoint::Kind::unix_socket;
    if (query == "proxy=true") {
        endpoint.proxied = true;
        return {};
    }
    if (is_socket && query.starts_with("db=")) return parse_db(query.substr(3), endpoint);
    return bad_url(is_socket ? "only ?db=N or ?proxy=true may follow a socket's path"
                             : "only ?proxy=true may follow: what answers there is a proxy",
                   std::string(kLoginHint));
}

Result<Endpoint> parse_unix(std::string_view rest) {
    Endpoint endpoint;
    endpoint.kind = Endpoint::Kind::unix_socket;
    if (!rest.starts_with('/')) {
        const std::size_t at = rest.find("@/");
        if (at == std::string_view::npos) return bad_url("a socket's path must be absolute: unix:///run/redis.sock");
        if (auto good = take_userinfo(rest, at, endpoint); !good) return tl::make_unexpected(good.error());
    }
    if (rest.find('#') != std::string_view::npos) {
        return bad_url("it has a fragment, which means nothing here", std::string(kLoginHint));
    }
    const std::size_t question = rest.find('?');
    const std::string_view path = rest.substr(0, question);
    if (path.size() > kLongestSocketPath) {
        return bad_url(fmt::format("a socket's path of {} bytes is too long: the system takes {}", path.size(),
                                   kLongestSocketPath));
    }
    if (path.size() < 2 || path.find('\0') != std::string_view::npos) return bad_url("it names no socket");
    endpoint.path = std::string(path);
    if (question == std::string_view::npos) return endpoint;
    if (auto good = parse_query(rest.substr(question + 1), endpoint); !good) return tl::make_unexpected(good.error());
    return endpoint;
}

Result<Endpoint> parse_tcp(std::string_view rest, Endpoint endpoint) {
    // The last `@`: whatever stands before it may be part of a password that was not escaped, and must not reach a
    // message.
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
        if (auto good = take_userinfo(rest, at, endpoint); !good) return tl::make_unexpected(good.error());
    }
    if (rest.find('#') != std::string_view::npos) {
        return bad_url("it has a fragment, which means nothing here", std::string(kLoginHint));
    }
    if (const std::size_t question = rest.find('?'); question != std::string_view::npos) {
        if (auto good = parse_query(rest.substr(question + 1), endpoint); !good)
            return tl::make_unexpected(good.error());
        rest = rest.substr(0, question);
    }
    const std::size_t slash = rest.find('/');
    const std::string_view path = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (auto good = parse_authority(rest.substr(0, slash), endpoint); !good) return tl::make_unexpected(good.error());
    if (path.empty()) return endpoint;
    if (auto good = parse_db(path, endpoint); !good) return tl::make_unexpected(good.error());
    if (endpoint.proxied && endpoint.db != 0)
        return bad_url("a proxy has no dbs to choose among", "the proxy's own configuration says which db it uses");
    return endpoint;
}

/// Without logins and databases: it has neither.
Result<Endpoint> parse_memcached(std::string_view rest) {
    if (rest.find('@') != std::string_view::npos)
        return bad_url("a memcached has no users: SASL is not supported", "write it like memcached://HOST:PORT");
    Endpoint endpoint;
    endpoint.protocol = Protocol::memcached;
    endpoint.port = kMemcachedPort;
    auto parsed = parse_tcp(rest, std::move(endpoint));
    if (parsed && (parsed->db != 0 || parsed->proxied))
        return bad_url("a memcached has no databases, and no proxy stands before it here",
                       "write it like memcached://HOST:PORT");
    return parsed;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view url, std::uint16_t usual_port) {
    constexpr std::string_view hint = "write it like redis://host:6379/0, rediss://host:6379 or unix:///run/redis.sock";
    const std::size_t end = url.find("://");
    if (end == std::string_view::npos) return bad_url("it has no scheme", std::string(hint));
    const std::string_view scheme = url.substr(0, end);
    const std::string_view rest = url.substr(end + 3);
    Endpoint endpoint;
    endpoint.tls = scheme == "rediss";
    endpoint.port = usual_port;
    if (scheme == "redis" || scheme == "rediss") return parse_tcp(rest, std::move(endpoint));
    if (scheme == "memcached") return parse_memcached(rest);
    if (scheme == "unix") return parse_unix(rest);
    if (scheme.empty() || !only(scheme, kLetters)) return bad_url("it does not begin with a scheme", std::string(hint));
    return bad_url(fmt::format("unknown scheme '{}'", scheme), std::string(hint));
}

std::string Endpoint::address() const {
    if (is_to_be_told()) return "address not known";
    if (kind == Kind::unix_socket) return "unix:" + path;
    if (kind == Kind::file) return path;
    // Each row has one: no format is parsed for it.
    const bool bracketed = host.find(':') != std::string::npos;
    return (bracketed ? "[" + host + "]:" : host + ":") + std::to_string(port);
}

std::string Endpoint::url() const {
    const std::string_view proxy = proxied ? "?proxy=true" : "";
    if (kind == Kind::unix_socket) {
        return db == 0 ? fmt::format("unix://{}{}", path, proxy) : fmt::format("unix://{}?db={}", path, db);
    }
    if (kind == Kind::file) return "file:" + path;
    if (protocol == Protocol::memcached) return "memcached://" + address();
    const std::string base = fmt::format("{}://{}", tls ? "rediss" : "redis", address());
    return db == 0 ? fmt::format("{}{}", base, proxy) : fmt::format("{}/{}", base, db);
}

bool Endpoint::same_server(const Endpoint& other) const {
    if (kind != other.kind || db != other.db) return false;
    if (kind != Kind::tcp) return path == other.path;
    // Asked for every row, nearly always of a name with itself.
    return port == other.port && (host == other.host || support::lower(host) == support::lower(other.host));
}

}  // namespace ratectl::domain
