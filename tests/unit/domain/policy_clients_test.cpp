// Whose window a key is: organisations, exempt clients, and clients that are not shown.
#include <string>

#include "domain/policy.h"
#include "support/catch.h"
#include "support/digest.h"
#include "unit/domain/named_policy.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {

Policy secret(std::string name, std::string_view key) {
    Policy p = policy(std::move(name), key, 10);
    p.secret = p.masked = true;
    return p;
}

const std::string kToken = "tok_42";

}  // namespace

TEST_CASE("a fingerprint is the beginning of a SHA-256") {
    CHECK(support::fingerprint("alice") == "sha256:2bd806c97f0e00af");
    CHECK(support::is_fingerprint(support::fingerprint("")));
    for (const std::string text :
         {"alice", "sha256:2bd806c97f0e00a", "sha256:2bd806c97f0e00AF", "md5:2bd806c97f0e00af0000"})
        CHECK_FALSE(support::is_fingerprint(text));
}

TEST_CASE("an exempt client has no limit whatever its class says") {
    Policy core = policy("core", "core:{client}", 5000);
    core.classes = {{"big", 9000}};
    core.members = {{"hubot", {"big", {}}}};
    core.exempt = {"hubot"};
    const PolicyBook book({core});
    const auto hubot = book.match("core:hubot");
    REQUIRE(hubot);
    CHECK(hubot->exempt);
    CHECK_FALSE(hubot->limit);
    CHECK(hubot->limit_source == "exempt");
    CHECK(hubot->client_class == "big");
    CHECK_FALSE(book.match("core:ann")->exempt);
    CHECK(book.match("core:ann")->limit == 5000);
}

TEST_CASE("a key is built from a client and the values of its other holes") {
    const Policy search = policy("search", "{org}:{client}:{route}", 10);
    CHECK(PolicyBook::key_of(search, "ann", {{"org", "acme"}, {"route", "code"}}) == "acme:ann:code");
    const auto missing = PolicyBook::key_of(search, "ann", {{"org", "acme"}});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == support::ExitCode::usage);
    CHECK(missing.error().message.find("{route}") != std::string::npos);
    CHECK(missing.error().message.find("{org},") == std::string::npos);
    CHECK(missing.error().hint.find("--set") != std::string::npos);
    CHECK(PolicyBook::client_hole(search) == "client");
    Policy shared = policy("search/org", "{region}:{org}", 10);
    shared.shared_by = "search";
    CHECK(PolicyBook::client_hole(shared) == "org");
    const PolicyBook book({search, shared});
    CHECK(book.shared_with(book.policies()[0]) == &book.policies()[1]);
    CHECK(book.shared_with(book.policies()[1]) == nullptr);
    CHECK(book.match("eu:acme")->client == "acme");
}

TEST_CASE("a secret policy's keys are shown with a fingerprint and stay so") {
    const PolicyBook book({policy("open", "open:{client}", 1), secret("key", "key:{client}:{route}")});
    CHECK(book.hides());
    const std::string shown = "key:" + support::fingerprint(kToken) + ":search";
    CHECK(book.visible("key:" + kToken + ":search") == shown);
    CHECK(book.visible(shown) == shown);
    CHECK(book.recorded("key:" + kToken + ":search") == shown);
    CHECK(book.visible("open:ann") == "open:ann");
    CHECK(book.visible("other") == "other");
    CHECK(book.masked_by(shown) == book.find("key"));
    CHECK(book.masked_by("key:" + kToken + ":search") == nullptr);
    CHECK(book.unmasked(shown, kToken) == "key:" + kToken + ":search");
    CHECK_FALSE(book.unmasked(shown, "another"));
    CHECK_FALSE(book.unmasked("open:ann", "ann"));
}

TEST_CASE("what is revealed is recorded without its client all the same") {
    Policy revealed = secret("key", "key:{client}");
    revealed.masked = false;
    const PolicyBook book({revealed});
    CHECK_FALSE(book.hides());
    CHECK(book.visible("key:" + kToken) == "key:" + kToken);
    CHECK(book.recorded("key:" + kToken) == "key:" + support::fingerprint(kToken));
}

TEST_CASE("a digest in a secret key is hidden as well and its client found again") {
    const PolicyBook book({secret("key", "key:{client|sha256:16}")});
    const std::string key = PolicyBook::key_of(book.policies()[0], kToken).value();
    const std::string shown = book.visible(key);
    CHECK(shown == "key:" + support::fingerprint(key.substr(4)));
    CHECK(book.visible(shown) == shown);
    CHECK(book.masked_by(shown) != nullptr);
    CHECK(book.unmasked(shown, kToken) == key);
}

TEST_CASE("a secret key that was written without its filter is found again") {
    const PolicyBook book({secret("key", "key:{client|lower}")});
    CHECK(book.unmasked(book.visible("key:TOKEN"), "TOKEN") == "key:TOKEN");
    CHECK(book.unmasked(book.visible("key:token"), "TOKEN") == "key:token");
}

TEST_CASE("of several secret policies the one that hides most of a key hides it") {
    for (const char* other : {"k{client}:{x}", "key:tok{client}"}) {
        const PolicyBook book({secret("--key", other), secret("key", "key:{client}")});
        CHECK(book.visible("key:token") == "key:" + support::fingerprint("token"));
        CHECK(book.recorded("key:token") == "key:" + support::fingerprint("token"));
    }
}

TEST_CASE("a secret policy without a client refuses no key") {
    const PolicyBook book({secret("global", "global")});
    CHECK(book.masked_by("global") == nullptr);
    CHECK(book.visible("global") == "global");
}

TEST_CASE("a limit of a hidden client's own does not name the client") {
    Policy key = secret("key", "key:{client}");
    key.members = {{kToken, {"vip", 77}}};
    const PolicyBook book({key});
    CHECK(book.match("key:" + kToken)->limit_source == "class-file:" + support::fingerprint(kToken));
}
