// What a policy's table says of clients: organisations, exempt clients, secrets, digests.
#include <algorithm>
#include <string>

#include "config_world.h"
#include "support/catch.h"
#include "support/digest.h"

namespace ratectl::config {
namespace {

constexpr std::string_view kShard =
    "[[deployments.main.shards]]\nname = \"alpha\"\nprimary = \"redis://127.0.0.1:6379\"\n";

/// One policy `core` with these lines.
std::string deployment_with(const std::string& lines) {
    return std::string(kShard) + "[[deployments.main.policies]]\nname = \"core\"\n" + lines;
}

std::string policy_error(const std::string& lines) {
    ConfigWorld world;
    Overrides overrides;
    overrides.config_file = world.write("ratectl.toml", deployment_with(lines));
    const auto error = world.error(overrides);
    CHECK(error.code == support::ExitCode::configuration);
    return error.message + " / " + error.hint;
}

TEST_CASE("exempt clients come from the table and from a file beside it") {
    ConfigWorld world;
    world.write("exempt.txt", "\xef\xbb\xbf# robots\r\n\r\n  hubot \ngithub-actions\n");
    const auto settings = world.resolve_text(
        deployment_with("key = \"core:{client}\"\nlimit = 10\nexempt = [\"ann\"]\nexempt_file = \"exempt.txt\"\n"));
    for (const char* client : {"ann", "hubot", "github-actions"}) {
        INFO(client);
        CHECK(settings.policies.match(std::string("core:") + client)->exempt);
    }
    CHECK(settings.policies.match("core:bob")->limit == 10);
    for (const auto& [name, value] : settings.shown())
        if (name == "policies.core.exempt") CHECK(value == "3 clients");
    CHECK(contains(policy_error("key = \"core:{client}\"\nexempt_file = \"none.txt\"\n"), "exempt_file"));
}

TEST_CASE("a policy that is for some clients has no keys of others") {
    ConfigWorld world;
    const auto settings = world.resolve_text(deployment_with("key = \"ip:{client|lower}\"\nclients = \"*.x\"\n"));
    const auto& book = settings.policies;
    CHECK(book.match("ip:1.x"));
    CHECK_FALSE(book.match("ip:alice"));
    CHECK(domain::PolicyBook::is_for(book.policies().front(), "1.X"));
    CHECK_FALSE(domain::PolicyBook::is_for(book.policies().front(), "alice"));
    CHECK(contains(policy_error("key = \"ip:{client}\"\nclients = \"\"\n"), "clients"));
    CHECK(contains(policy_error("key = \"ip:{client}\"\nclients = \"" + std::string(600, 'x') + "\"\n"), "clients"));
    CHECK(contains(policy_error("key = \"everybody\"\nclients = \"a*\"\n"), "has no hole for a client"));
}

TEST_CASE("clients of files are found under keys that hold their digests") {
    ConfigWorld world;
    world.write("classes.csv", "alice,vip,77\n");
    world.write("exempt.txt", "Bob\n");
    const auto settings = world.resolve_text(deployment_with(
        "key = \"core:{client|lower|sha256:16}\"\nclass_file = \"classes.csv\"\nexempt_file = \"exempt.txt\"\n"));
    const auto& core = settings.policies.policies().at(0);
    const auto match = [&](const char* client) {
        return settings.policies.match(domain::PolicyBook::key_of(core, client).value());
    };
    CHECK(match("alice")->limit == 77);
    CHECK(match("bob")->exempt);
    CHECK_FALSE(match("carol")->exempt);
}

TEST_CASE("two lines of a class file that are one client in keys are refused") {
    ConfigWorld world;
    world.write("classes.csv", "alice,vip,77\nALICE,vip,78\n");
    Overrides overrides;
    overrides.config_file =
        world.write("ratectl.toml", deployment_with("key = \"core:{client|lower}\"\nclass_file = \"classes.csv\"\n"));
    CHECK(contains(world.error(overrides).message, "classes.csv:2: the client of this line is named a second time"));
}

TEST_CASE("an organisation's windows are a policy that its clients' policy shares") {
    ConfigWorld world;
    const auto settings = world.resolve_text(
        deployment_with("key = \"core:{client}\"\nlimit = 5000\nperiod = \"1h\"\nsecret = true\norg_key "
                        "= \"org:{org}:core\"\norg_factor = 3\n"));
    REQUIRE(settings.policies.policies().size() == 2);
    const auto& shared = settings.policies.policies()[1];
    CHECK(shared.name == "core/org");
    CHECK(shared.shared_by == "core");
    CHECK(shared.limit == 15000);
    CHECK(shared.period == support::Seconds{3600});
    CHECK(shared.secret);
    CHECK(settings.policies.match("org:acme:core")->client == "acme");
    const auto fixed =
        world.resolve_text(deployment_with("key = \"core:{client}\"\norg_key = \"org:{org}\"\norg_limit = 7\n"));
    CHECK(fixed.policies.match("org:acme")->limit == 7);
}

TEST_CASE("what a file says or implies of its policies comes from there and not from a default") {
    ConfigWorld world;
    world.write("exempt.txt", "ann\n");
    const auto settings = world.resolve_text(
        "[deployments.main]\nwrites = \"allow\"\n" +
        deployment_with("key = \"core:{client}\"\nlimit = 5000\nperiod = \"1h\"\nsecret = true\n"
                        "exempt_file = \"exempt.txt\"\norg_key = \"org:{org}:core\"\norg_factor = 3\n"));
    const auto line = [&](const std::string& name) {
        const auto found = settings.origins.find(name);
        return found == settings.origins.end() ? std::string("default") : found->second.text;
    };
    for (const auto& [name, value] : settings.shown()) {
        INFO(name << " = " << value);
        if (name.starts_with("policies.")) CHECK(contains(line(name), "ratectl.toml:"));
    }
    CHECK(contains(line("policies.core/org.limit"), "ratectl.toml:14"));
    CHECK(contains(line("policies.core/org.period"), "ratectl.toml:10"));
    CHECK(contains(line("policies.core.exempt"), "ratectl.toml:12"));
    CHECK(contains(line("max_keys"), "ratectl.toml:2"));
}

TEST_CASE("an organisation that cannot be meant is refused at its line") {
    const std::string key = "key = \"core:{client}\"\n";
    CHECK(contains(policy_error(key + "org_limit = 3\n"), "org_limit: says nothing without org_key"));
    CHECK(contains(policy_error(key + "org_key = \"org:{o}\"\n"), "must have a hole {org}"));
    CHECK(contains(policy_error(key + "org_key = \"org:{org}:{client}\"\n"), "none for the client"));
    CHECK(contains(policy_error(key + "org_key = \"org:{org}\"\norg_factor = 3\n"), "there is no limit to multiply"));
    CHECK(contains(policy_error(key + "limit = 2\norg_key = \"org:{org}\"\norg_factor = 3\norg_limit = 5\n"),
                   "org_limit says it already"));
    CHECK(contains(policy_error(key + "limit = 9007199254740991\norg_key = \"org:{org}\"\norg_factor = 2\n"), "above"));
    CHECK(contains(policy_error(key + "org_key = \"org:{org}\"\norg_factor = 0\n"), "org_factor"));
    CHECK(contains(policy_error(key + "limit = 1\norg_key = \"org:{org}\"\n\n[[deployments.main.policies]]\nname = "
                                      "\"core/org\"\nkey = \"x:{client}\"\n"),
                   "another policy is named 'core/org'"));
}

TEST_CASE("secret clients are masked unless one command reveals them") {
    ConfigWorld world;
    const std::string text = deployment_with("key = \"core:{client}\"\nsecret = true\n");
    const std::string hidden = "core:" + support::fingerprint("alice");
    CHECK(world.resolve_text(text).policies.visible("core:alice") == hidden);
    Overrides revealing;
    revealing.reveal = true;
    const auto revealed = world.resolve_text(text, revealing);
    CHECK(revealed.policies.visible("core:alice") == "core:alice");
    CHECK(revealed.policies.recorded("core:alice") == hidden);
    world.env["RATECTL_REVEAL"] = "1";
    CHECK(world.resolve_text(text).policies.hides());
}

TEST_CASE("a key template of the command line does not show what a secret policy hides") {
    ConfigWorld world;
    Overrides overrides;
    overrides.key = "core:{who}";
    const auto settings = world.resolve_text(deployment_with("key = \"core:{client}\"\nsecret = true\n"), overrides);
    CHECK(settings.policies.visible("core:alice") == "core:" + support::fingerprint("alice"));
    const auto shown = settings.shown();
    CHECK(std::ranges::count(shown, std::pair<std::string, std::string>("policies.core.key", "core:{client}")) == 1);
    CHECK(std::ranges::count(shown, std::pair<std::string, std::string>("policies.--key.key", "(hidden)")) == 1);
}

}  // namespace
}  // namespace ratectl::config
