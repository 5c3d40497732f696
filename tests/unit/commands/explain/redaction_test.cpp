// Names that hide clients and hosts, and stay the same.
#include "commands/explain/redaction.h"

#include <string>

#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using namespace ratectl::test;
using commands::explain::digest_of;
using commands::explain::Redaction;

namespace {

domain::Node node(domain::Role role, const std::string& host) {
    domain::Node made;
    made.shard = "alpha";
    made.role = role;
    made.endpoint.host = host;
    return made;
}

const std::vector<domain::Node> kNodes{node(domain::Role::primary, "10.0.0.1"), node(domain::Role::replica, "10.0.1.1"),
                                       node(domain::Role::replica, "10.0.2.1")};

}  // namespace

TEST_CASE("A digest names what it stands for and is the same every time") {
    CHECK(digest_of("client", "alice") == digest_of("client", "alice"));
    CHECK(digest_of("client", "alice") != digest_of("client", "alicf"));
    CHECK(digest_of("client", "alice").size() == std::string("client-").size() + 8);
    CHECK(digest_of("client", "alice").starts_with("client-"));
    // The same client is recognised whatever the hole of its policy is called.
    CHECK(digest_of("user", "alice").substr(5) == digest_of("client", "alice").substr(7));
}

TEST_CASE("A hidden key keeps its policy's literal parts and nothing of its holes") {
    FakeContext context(2);
    const Redaction hidden(true, context.configured, context.directory());
    const auto& book = context.configured.policies;
    CHECK(hidden.key("core:alice", book.match("core:alice")) == "core:" + digest_of("client", "alice"));
    const auto repo = hidden.key("repo:acme/rocket", book.match("repo:acme/rocket"));
    CHECK(repo == "repo:" + digest_of("owner", "acme") + "/" + digest_of("name", "rocket"));
    CHECK(hidden.key("other:alice", book.match("other:alice")) == digest_of("key", "other:alice"));
    CHECK(hidden.client(*book.match("core:alice")) == digest_of("client", "alice"));
    CHECK(hidden.limit_source("class-file:alice") == "class-file");
    CHECK(hidden.limit_source("policy:core") == "policy:core");
}

TEST_CASE("Without redaction every name is what it is") {
    FakeContext context(2);
    const Redaction open(false, context.configured, context.directory());
    CHECK(open.key("core:alice", context.configured.policies.match("core:alice")) == "core:alice");
    CHECK(open.node(kNodes[2], kNodes) == "replica 10.0.2.1:6379");
    CHECK(open.limit_source("class-file:alice") == "class-file:alice");
    CHECK(open.shard(0) == "alpha");
    const support::Error error{support::ExitCode::unavailable, "shard 'alpha' (10.0.0.1:6379): gone", "try"};
    CHECK(open.error(error) == error);
}

TEST_CASE("Hidden servers are numbered within their shard") {
    FakeContext context(2);
    const Redaction hidden(true, context.configured, context.directory());
    CHECK(hidden.node(kNodes[0], kNodes) == "primary");
    CHECK(hidden.node(kNodes[1], kNodes) == "replica 1");
    CHECK(hidden.node(kNodes[2], kNodes) == "replica 2");
}

TEST_CASE("A shard that is called by its address is hidden and one with a name is not") {
    FakeContext context(2);
    context.configured.shards[1].shard.name = "10.0.0.2:6379";
    const Redaction hidden(true, context.configured, context.directory());
    CHECK(hidden.shard(0) == "alpha");
    CHECK(hidden.shard(1) == "shard 2");
    CHECK(hidden.shard("10.0.0.2:6379") == "shard 2");
    CHECK(hidden.shard("who knows") == "a shard");
}

TEST_CASE("A shard that is called by a part of a host or in other letters is hidden") {
    const auto shown = [](const std::string& name, const std::string& host) {
        FakeContext context(2);
        context.configured.shards[1].shard.name = name;
        context.configured.shards[0].shard.primary.host = host;
        return Redaction(true, context.configured, context.directory()).shard(1);
    };
    CHECK(shown("Cache-Berlin", "cache-berlin.example.net") == "shard 2");
    CHECK(shown("cache-berlin", "CACHE-BERLIN.example.net") == "shard 2");
    CHECK(shown("berlin", "cache-berlin.example.net") == "shard 2");
    CHECK(shown("cache-berlin-a", "cache-berlin.example.net") == "shard 2");
    CHECK(shown("former.example.net", "cache-berlin.example.net") == "shard 2");
    CHECK(shown("former:6379", "cache-berlin.example.net") == "shard 2");
    CHECK(shown("beta", "cache-berlin.example.net") == "beta");
}

TEST_CASE("A shard that is called as its socket is hidden") {
    FakeContext context(2);
    context.configured.shards[1].shard.name = "limits-west-2";
    auto& primary = context.configured.shards[1].shard.primary;
    primary.kind = domain::Endpoint::Kind::unix_socket;
    primary.path = "/run/redis/limits-west.sock";
    CHECK(Redaction(true, context.configured, context.directory()).shard(1) == "shard 2");
}

TEST_CASE("Errors keep their kind and lose every word of others") {
    FakeContext context(2);
    const Redaction hidden(true, context.configured, context.directory());
    for (const auto code : {support::ExitCode::unavailable, support::ExitCode::access, support::ExitCode::protocol,
                            support::ExitCode::usage, support::ExitCode::configuration, support::ExitCode::local_io,
                            support::ExitCode::bug}) {
        const support::Error error{code, "MOVED 7 10.9.8.7:6379 for alice", "ask 10.9.8.7"};
        const auto said = hidden.error(error);
        CHECK(said.code == code);
        CHECK_FALSE(said.message.empty());
        for (const std::string& text : {said.message, said.hint}) {
            CHECK_FALSE(contains(text, "10.9.8.7"));
            CHECK_FALSE(contains(text, "alice"));
        }
        const auto ended = commands::explain::without_names(support::Failure(error)).error();
        CHECK(ended.code == code);
        CHECK_FALSE(contains(ended.message, "alice"));
    }
}
