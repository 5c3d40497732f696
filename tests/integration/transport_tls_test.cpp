// TLS: who is believed, who is not, and what a person is told.
#include <fstream>
#include <memory>

#include "redis/tls.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/fake_server.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"
#include "support/test_certificates.h"
#include "support/test_client.h"

namespace ratectl {
namespace {

using namespace std::chrono_literals;
using support::ExitCode;
using test::contains;
using test::run_on;
using test::test_certificates;
using test::TestClient;
using test::WithinDeadline;

std::string file(const std::string& name) { return test_certificates().file(name); }

// A redis-server that speaks TLS on a port of its own, with this certificate.
class TlsServer {
public:
    explicit TlsServer(const std::string& certificate, const std::string& client_authentication = "no")
        : port_(test::closed_port()),
          server_({"--tls-port", std::to_string(port_), "--tls-cert-file", file(certificate + ".pem"), "--tls-key-file",
                   file(certificate + ".key"), "--tls-ca-cert-file", file("ca.pem"), "--tls-auth-clients",
                   client_authentication}) {}

    domain::Endpoint at(const std::string& host) const {
        domain::Endpoint endpoint;
        endpoint.host = host;
        endpoint.port = port_;
        endpoint.tls = true;
        return endpoint;
    }

private:
    std::uint16_t port_;
    test::RedisServer server_;
};

domain::Endpoint tls_at(std::uint16_t port, const std::string& host = "localhost") {
    domain::Endpoint endpoint;
    endpoint.host = host;
    endpoint.port = port;
    endpoint.tls = true;
    return endpoint;
}

redis::ConnectionOptions trusting(const std::string& authority = "ca.pem") {
    redis::ConnectionOptions options;
    options.tls.ca_file = authority.empty() ? "" : file(authority);
    options.lookup = [](const std::string&) { return std::vector<std::string>{"127.0.0.1"}; };
    return options;
}

redis::ConnectionOptions with_identity(const std::string& certificate, const std::string& key) {
    redis::ConnectionOptions options = trusting();
    options.tls.cert_file = file(certificate);
    options.tls.key_file = file(key);
    return options;
}

redis::Fault refused(redis::ConnectionOptions options, const domain::Endpoint& endpoint,
                     std::chrono::milliseconds timeout = 5s) {
    TestClient client(std::move(options));
    const WithinDeadline limit(timeout);
    const auto channel = client.open(endpoint, timeout);
    REQUIRE_FALSE(channel.has_value());
    INFO(channel.error().error.message);
    CHECK_FALSE(channel.error().maybe_executed);
    return channel.error();
}

TEST_CASE("TLS proves the name and the address of a server and carries large replies") {
    if (!redis::tls_built_in()) return;
    const TlsServer server("server");
    for (const char* host : {"localhost", "127.0.0.1"}) {
        TestClient client(trusting());
        const auto channel = client.open(server.at(host));
        REQUIRE(channel.has_value());
        const std::string big(2'000'000, 'x');
        const auto replies = client.ask(**channel, {{"SET", "k", big}, {"GET", "k"}, {"DEL", "k"}});
        REQUIRE(replies.has_value());
        CHECK(((*replies)[1].text == big));
        CHECK(client.ask(**channel, {{"PING"}}).has_value());
        CHECK((*channel)->facts().at_least(6));
    }
}

TEST_CASE("a certificate of an unknown authority is refused with subject and issuer") {
    if (!redis::tls_built_in()) return;
    const TlsServer stranger("stranger");
    const redis::Fault unknown = refused(trusting(), stranger.at("localhost"));
    CHECK(unknown.error.code == ExitCode::access);
    CHECK(contains(unknown.error.message, "certificate verify failed"));
    CHECK(contains(unknown.error.message, "Other Authority"));
    CHECK(contains(unknown.error.message, "CN=localhost"));
    CHECK(contains(unknown.error.hint, "ca_file"));
    CHECK_FALSE(unknown.transient);
    const redis::Fault system_bundle = refused(trusting(""), stranger.at("localhost"));
    CHECK(system_bundle.error.code == ExitCode::access);
}

TEST_CASE("a certificate for another name or address is refused") {
    if (!redis::tls_built_in()) return;
    const TlsServer elsewhere("elsewhere");
    const redis::Fault name = refused(trusting(), elsewhere.at("localhost"));
    CHECK(name.error.code == ExitCode::access);
    CHECK(contains(name.error.message, "not valid for 'localhost'"));
    const redis::Fault address = refused(trusting(), elsewhere.at("127.0.0.1"));
    CHECK(contains(address.error.message, "not valid for '127.0.0.1'"));
    redis::ConnectionOptions named = trusting();
    named.tls.server_name = "elsewhere.internal";
    TestClient client(named);
    CHECK(client.open(elsewhere.at("127.0.0.1")).has_value());
}

TEST_CASE("a certificate that is expired or not yet valid is refused with its date") {
    if (!redis::tls_built_in()) return;
    const TlsServer expired("expired");
    const redis::Fault late = refused(trusting(), expired.at("localhost"));
    CHECK(late.error.code == ExitCode::access);
    CHECK(contains(late.error.message, "expired on Feb  1 00:00:00 2020 GMT"));
    const TlsServer early("early");
    const redis::Fault soon = refused(trusting(), early.at("localhost"));
    CHECK(soon.error.code == ExitCode::access);
    CHECK(contains(soon.error.message, "before Jan  1 00:00:00 2100 GMT"));
}

TEST_CASE("insecure works with a warning and no authority") {
    if (!redis::tls_built_in()) return;
    const TlsServer stranger("stranger");
    redis::ConnectionOptions options = trusting("");
    options.tls.insecure = true;
    std::vector<support::Error> notices;
    options.notice = [&](const support::Error& notice) { notices.push_back(notice); };
    TestClient client(options);
    CHECK(notices.empty());
    CHECK(client.open(stranger.at("localhost")).has_value());
    CHECK(client.open(stranger.at("127.0.0.1")).has_value());
    REQUIRE(notices.size() == 1);
    CHECK(contains(notices[0].message, "not verified"));
}

TEST_CASE("TLS files that cannot be used are a configuration error that names them") {
    if (!redis::tls_built_in()) return;
    const auto fault_of = [](redis::ConnectionOptions options) {
        return refused(std::move(options), tls_at(test::closed_port()));
    };
    for (const char* name : {"missing.pem", "empty-ca.pem", "garbage.pem"}) {
        const redis::Fault fault = fault_of(trusting(name));
        CHECK(fault.error.code == ExitCode::configuration);
        CHECK(contains(fault.error.message, name));
        CHECK(contains(fault.error.message, "tls.ca_file"));
    }
    const std::vector<std::pair<std::string, std::string>> bad_pairs{
        {"missing.pem", "client.key"}, {"client.pem", "missing.key"}, {"garbage.pem", "client.key"},
        {"client.pem", "garbage.pem"}, {"client.pem", "server.key"},  {"locked.pem", "locked.key"}};
    for (const auto& [certificate, key] : bad_pairs) {
        INFO(certificate << " " << key);
        const redis::Fault fault = fault_of(with_identity(certificate, key));
        CHECK(fault.error.code == ExitCode::configuration);
        CHECK((contains(fault.error.message, certificate) || contains(fault.error.message, key)));
    }
    redis::ConnectionOptions half = trusting();
    half.tls.cert_file = file("client.pem");
    CHECK(fault_of(half).error.code == ExitCode::configuration);
}

TEST_CASE("a build without TLS refuses rediss in words") {
    if (redis::tls_built_in()) return;
    const redis::Fault fault = refused(trusting(""), tls_at(test::closed_port()));
    CHECK(fault.error.code == ExitCode::configuration);
    CHECK(contains(fault.error.message, "built without TLS"));
}

TEST_CASE("TLS files are not looked at for a plain server") {
    if (!redis::tls_built_in()) return;
    test::FakeServer server({{test::greets()}});
    redis::ConnectionOptions options;
    options.tls.ca_file = "/nowhere/ca.pem";
    TestClient client(options);
    CHECK(client.open(server.node()).has_value());
}

TEST_CASE("a server that wants a client certificate gets one or says so") {
    if (!redis::tls_built_in()) return;
    const TlsServer server("server", "yes");
    TestClient client(with_identity("client.pem", "client.key"));
    CHECK(client.open(server.at("localhost")).has_value());
    const redis::Fault none = refused(trusting(), server.at("localhost"));
    INFO(none.error.message);
    CHECK(none.error.code == ExitCode::access);
    CHECK(contains(none.error.message, "the server wants a client certificate"));
    CHECK(contains(none.error.hint, "cert_file"));
    const redis::Fault foreign =
        refused(with_identity("foreign-client.pem", "foreign-client.key"), server.at("localhost"));
    CHECK(foreign.error.code == ExitCode::access);
    CHECK(contains(foreign.error.message, "does not accept our client certificate"));
}

TEST_CASE("TLS to a plain port ends with the deadline and a hint") {
    if (!redis::tls_built_in()) return;
    test::RedisServer plain;
    domain::Endpoint endpoint = plain.endpoint();
    endpoint.tls = true;
    const redis::Fault fault = refused(trusting(), endpoint, 300ms);
    CHECK(fault.error.code == ExitCode::protocol);
    CHECK(contains(fault.error.message, "no TLS answer within "));
    CHECK(contains(fault.error.hint, "plain port?"));
    test::FakeServer talker({{{"", "-ERR what is this\r\n", test::ServerStep::Then::silence}}});
    const redis::Fault answered = refused(trusting(), tls_at(talker.port()));
    CHECK(answered.error.code == ExitCode::protocol);
    CHECK(contains(answered.error.hint, "plain port?"));
}

TEST_CASE("a TLS port that closes at once is unavailable") {
    if (!redis::tls_built_in()) return;
    test::FakeServer server({{{"", "", test::ServerStep::Then::close}}});
    const redis::Fault fault = refused(trusting(), tls_at(server.port()));
    CHECK(fault.error.code == ExitCode::unavailable);
    CHECK(contains(fault.error.message, "TLS handshake"));
}

TEST_CASE("a plain connection to a TLS port brings a hint") {
    if (!redis::tls_built_in()) return;
    const TlsServer server("server");
    domain::Endpoint endpoint = server.at("127.0.0.1");
    endpoint.tls = false;
    const redis::Fault fault = refused(trusting(), endpoint);
    CHECK(fault.error.code == ExitCode::protocol);
    CHECK(contains(fault.error.hint, "TLS"));
    CHECK(contains(fault.error.hint, "rediss://"));
}

TEST_CASE("a common name alone does not prove a server") {
    if (!redis::tls_built_in()) return;
    const TlsServer server("nameless");
    const auto fault = refused(trusting(), server.at("localhost"));
    CHECK(fault.error.code == ExitCode::access);
    CHECK(contains(fault.error.message, "it has no subjectAltName, and a common name alone does not count"));
}

TEST_CASE("no cipher suite in common is not called a missing client certificate") {
    if (!redis::tls_built_in()) return;
    const test::OpensslServer server(
        {"-cert", file("server.pem"), "-key", file("server.key"), "-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"},
        "");  // the key is an elliptic curve's
    const auto fault = refused(trusting(), tls_at(server.port()));
    CHECK(fault.error.code == ExitCode::access);
    CHECK(contains(fault.error.message, "no cipher suite in common with the server"));
    CHECK(!contains(fault.error.message + fault.error.hint, "client certificate"));
}

TEST_CASE("a configuration of OpenSSL that allows everything does not make a connection without encryption") {
    if (!redis::tls_built_in()) return;
    const std::string weak = file("weak.cnf");
    std::ofstream(weak) << "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = weak\n"
                           "[weak]\nCipherString = ALL:eNULL:aNULL:@SECLEVEL=0\n";
    const test::OpensslServer server(
        {"-cert", file("server.pem"), "-key", file("server.key"), "-tls1_2", "-cipher", "eNULL:@SECLEVEL=0"}, "");
    test::RunOptions options;
    options.environment["OPENSSL_CONF"] = weak;
    options.environment["RATECTL_CONFIG"] = file("weak.toml");
    std::ofstream(file("weak.toml")) << "[deployments.d]\ntls = { ca_file = \"" << file("ca.pem")
                                     << "\" }\n[[deployments.d.shards]]\nprimary = \"rediss://127.0.0.1:"
                                     << server.port() << "\"\n";
    const auto result = test::run_ratectl({"check", "core:1", "--limit", "5", "--timeout", "3s"}, options);
    INFO(result.err);
    CHECK(result.code == 5);
    CHECK(contains(result.err, "no cipher suite in common with the server"));
}

TEST_CASE("a server that knows only old TLS is refused") {
    if (!redis::tls_built_in()) return;
    const test::OpensslServer server(
        {"-cert", file("server.pem"), "-key", file("server.key"), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"}, "");
    const redis::Fault fault = refused(trusting(), tls_at(server.port()));
    CHECK(fault.error.code == ExitCode::access);
    CHECK(contains(fault.error.message, "no common TLS protocol version"));
}

TEST_CASE("the server learns which name is meant") {
    if (!redis::tls_built_in()) return;
    const test::OpensslServer server(
        {"-cert", file("server.pem"), "-key", file("server.key"), "-servername", "elsewhere.internal", "-cert2",
         file("elsewhere.pem"), "-key2", file("elsewhere.key")},
        test::greets().reply);
    redis::ConnectionOptions options = trusting();
    options.tls.server_name = "elsewhere.internal";
    TestClient client(options);
    const auto channel = client.open(tls_at(server.port()));
    if (!channel) FAIL(channel.error().error.message);
    CHECK((*channel)->facts().version == domain::ServerVersion{7, 0, 15, false});
}

TEST_CASE("a TLS stream that is cut off after the request may have executed it") {
    if (!redis::tls_built_in()) return;
    const std::uint16_t port = test::closed_port();
    test::RedisServer server({"--tls-port", std::to_string(port), "--tls-cert-file", file("server.pem"),
                              "--tls-key-file", file("server.key"), "--tls-ca-cert-file", file("ca.pem"),
                              "--tls-auth-clients", "no"});
    TestClient client(trusting());
    const auto channel = client.open(tls_at(port));
    REQUIRE(channel.has_value());
    server.pause();
    redis::Request request;
    request.add({"INCR", "k"});
    REQUIRE(run_on(client.loop(), (*channel)->send(request, TestClient::from_now(1s))).has_value());
    server.kill();
    const auto reply = run_on(client.loop(), (*channel)->receive(TestClient::from_now(1s)));
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().maybe_executed);
    CHECK(reply.error().error.code == ExitCode::unavailable);
    CHECK(contains(reply.error().error.message, "before the reply"));
}

TEST_CASE("an address is never sent as the name that is meant") {
    if (!redis::tls_built_in()) return;
    // It hangs up on every name but this one, and takes it well when there is none.
    const test::OpensslServer server(
        {"-cert", file("server.pem"), "-key", file("server.key"), "-servername", "elsewhere.internal",
         "-servername_fatal", "-cert2", file("elsewhere.pem"), "-key2", file("elsewhere.key")},
        test::greets().reply);
    TestClient client(trusting());
    const auto channel = client.open(tls_at(server.port(), "127.0.0.1"));
    if (!channel) FAIL(channel.error().error.message);
    CHECK((*channel)->facts().version == domain::ServerVersion{7, 0, 15, false});
    CHECK_FALSE(client.open(tls_at(server.port(), "localhost")).has_value());
}

TEST_CASE("a TLS stream that is cut off within its replies gives those that are whole and then an error") {
    if (!redis::tls_built_in()) return;
    constexpr int kReplies = 48;  // of a megabyte each: more than sockets hold
    const std::uint16_t port = test::closed_port();
    test::RedisServer server({"--tls-port", std::to_string(port), "--tls-cert-file", file("server.pem"),
                              "--tls-key-file", file("server.key"), "--tls-ca-cert-file", file("ca.pem"),
                              "--tls-auth-clients", "no"});
    server.command({"SETRANGE", "k", "1048575", "x"});
    TestClient client(trusting());
    const auto channel = client.open(tls_at(port));
    REQUIRE(channel.has_value());
    redis::Request request;
    for (int i = 0; i < kReplies; ++i) request.add({"GET", "k"});
    REQUIRE(run_on(client.loop(), (*channel)->send(request, TestClient::from_now(5s))).has_value());
    auto reply = run_on(client.loop(), (*channel)->receive(TestClient::from_now(20s)));
    server.kill();
    int whole = 0;
    for (; reply.has_value() && whole < kReplies; ++whole) {
        CHECK(reply->text.size() == 1048576);
        reply = run_on(client.loop(), (*channel)->receive(TestClient::from_now(20s)));
    }
    CHECK(whole < kReplies);
    REQUIRE_FALSE(reply.has_value());
    INFO(reply.error().error.message);
    CHECK(reply.error().maybe_executed);
    CHECK(reply.error().error.code == ExitCode::unavailable);
}

TEST_CASE("shards have certificates of their own") {
    if (!redis::tls_built_in()) return;
    const std::uint16_t port = test::closed_port();
    test::RedisServer other({"--tls-port", std::to_string(port), "--tls-cert-file", file("stranger.pem"),
                             "--tls-key-file", file("stranger.key"), "--tls-ca-cert-file", file("other-ca.pem")});
    const TlsServer server("server", "yes");
    redis::ConnectionOptions options = with_identity("client.pem", "client.key");
    options.shard_tls["beta"] = {file("other-ca.pem"), file("foreign-client.pem"), file("foreign-client.key"), "",
                                 false};
    TestClient client(options);
    const auto opened = [&](const std::string& shard, const domain::Endpoint& endpoint) {
        domain::Node node;
        node.shard = shard;
        node.endpoint = endpoint;
        return run_on(client.loop(), client.connector().open(node, TestClient::from_now(5s))).has_value();
    };
    CHECK(opened("alpha", server.at("localhost")));
    CHECK(opened("beta", tls_at(port)));
    CHECK_FALSE(opened("alpha", tls_at(port)));
    CHECK_FALSE(opened("beta", server.at("localhost")));
}

}  // namespace
}  // namespace ratectl
