// Keys of one deployment's windows as another deployment has them: by policies of one name.
#include "commands/reshard/renaming.h"
#include "support/catch.h"

namespace ratectl::commands::reshard {
namespace {

domain::Policy policy(const char* name, const char* key) {
    domain::Policy made;
    made.name = name;
    made.key = support::value_or_throw(domain::KeyTemplate::parse(key));
    return made;
}

config::Settings settings(std::vector<domain::Policy> policies, config::DeploymentKind kind) {
    config::Settings made;
    made.kind = kind;
    made.policies = domain::PolicyBook(std::move(policies));
    return made;
}

constexpr auto kShards = config::DeploymentKind::shards;
constexpr auto kCluster = config::DeploymentKind::cluster;

}  // namespace

TEST_CASE("the holes of an old key fill those of the new one whatever order they stand in") {
    const auto from = settings({policy("core", "core:{client}:{route}"), policy("org", "o:{org|lower}")}, kShards);
    const auto to = settings({policy("org", "{{o:{org|lower}}}"), policy("core", "{{{route}:{client}}}")}, kCluster);
    const Renaming renaming(from, to);
    CHECK_NOTHROW(renaming.check("a", "b"));
    CHECK(renaming.renames());
    CHECK(renaming.name_of("core:alice:GET").key == "{GET:alice}");
    CHECK(renaming.name_of("o:acme").key == "{o:acme}");
    using std::string_literals::operator""s;
    CHECK(renaming.name_of("core:\0}{:x"s).key == "{x:\0}{}"s);
    // And back, as far as braces of clients allow it.
    const Renaming back(to, from);
    CHECK_NOTHROW(back.check("b", "a"));
    CHECK(back.name_of("{GET:alice}").key == "core:alice:GET");
}

TEST_CASE("what is no window in the slots of the new deployment has no name there") {
    const auto from = settings({policy("core", "core:{client}"), policy("gone", "gone:{client}")}, kShards);
    const auto to = settings({policy("first", "{{a{client}}}"), policy("core", "{{{client}}}:core")}, kCluster);
    const Renaming renaming(from, to);
    CHECK_NOTHROW(renaming.check("a", "b"));
    CHECK(renaming.name_of("core:b").key == "{b}:core");
    CHECK(renaming.name_of("{tagged}").key == "{tagged}");
    const auto obstacle = [&](const char* key) {
        const auto name = renaming.name_of(key);
        CHECK(name.key.empty());
        return name.obstacle;
    };
    CHECK(obstacle("gone:b") == "of policy 'gone', which the new deployment does not have");
    CHECK(obstacle("plain") == "of no policy, and both keys of one would be in different slots of the Redis Cluster");
    // A client whose name ends the tag too early: the halves are in one slot all the same.
    CHECK(renaming.name_of("core:x}y").key == "{x}y}:core");
    const auto both = settings({policy("all", "{{{client}}}:{rest}"), policy("core", "{{{client}}}:core")}, kCluster);
    CHECK(Renaming(from, both).name_of("core:b").obstacle == "of policy 'core', whose new keys belong to policy 'all'");
}

TEST_CASE("policies whose keys do not say enough of the new ones are refused") {
    const auto check = [](const char* from, const char* to, bool secret = false) {
        auto old = policy("core", from);
        old.secret = secret;
        const auto a = settings({old}, kShards);
        const auto b = settings({policy("core", to)}, kCluster);
        Renaming(a, b).check("a", "b");
    };
    CHECK_NOTHROW(check("c:{client}", "{{c:{client|md5}}}"));
    CHECK_NOTHROW(check("c:{client|lower}", "{{c:{client|lower|md5}}}"));
    CHECK_NOTHROW(check("c:{client|md5}", "{{c:{client|md5}}}"));
    CHECK_THROWS_AS(check("c:{client}:{more}", "{{c:{client}}}"), support::Failure);
    CHECK_THROWS_AS(check("c:{client|lower}", "{{c:{client|md5}}}"), support::Failure);
    CHECK_THROWS_AS(check("c:{client|md5}", "{{c:{client}}}"), support::Failure);
    CHECK_THROWS_AS(check("c:{client|lower}", "{{c:{client}}}"), support::Failure);
    CHECK_THROWS_AS(check("c:{client}", "{{c:{client}:{more}}}"), support::Failure);
    CHECK_THROWS_AS(check("c:{client}", "c:{client}"), support::Failure);
    CHECK_THROWS_AS(check("c:{client}", "{{c:{client}}}", true), support::Failure);
}

TEST_CASE("between shards every key stays as it is") {
    const auto from = settings({policy("core", "core:{client}")}, kShards);
    const auto to = settings({policy("core", "other:{client}")}, kShards);
    const Renaming renaming(from, to);
    CHECK_FALSE(renaming.renames());
    CHECK_NOTHROW(renaming.check("a", "b"));
    CHECK(renaming.name_of("core:a").key == "core:a");
    CHECK(renaming.name_of("stray").key == "stray");
}

}  // namespace ratectl::commands::reshard
