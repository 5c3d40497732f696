// The flags that lead a pasted command to the same servers.
#include "commands/report/pasted_flags.h"

#include "support/catch.h"

using namespace ratectl;
using commands::flags_of_deployment;
using config::Origin;

TEST_CASE("A pasted command names the file and the deployment that were named") {
    commands::GlobalOptions given;
    config::Settings settings;
    settings.deployment = "box";
    settings.file = "/etc/ratectl/ratectl.toml";
    settings.origins["deployment"] = {};
    CHECK(flags_of_deployment(given, settings, false).empty());
    settings.origins["deployment"].kind = Origin::Kind::environment;
    CHECK(flags_of_deployment(given, settings, false) == " -d box");
    given.overrides.config_file = "my box.toml";
    CHECK(flags_of_deployment(given, settings, false) == " -c 'my box.toml' -d box");
    CHECK(flags_of_deployment(given, settings, true) == " -c FILE -d box");
    given.overrides.config_file = "a\nb";
    CHECK(flags_of_deployment(given, settings, false) == " -c FILE -d box");
}

TEST_CASE("A pasted command names every URL and what says where keys live") {
    commands::GlobalOptions given;
    config::Settings settings;
    settings.deployment = "h:1";
    settings.origins["deployment"] = {Origin::Kind::flag, "flag --url"};
    given.overrides.urls = {"redis://10.0.0.1", "env:SECOND"};
    CHECK(flags_of_deployment(given, settings, false) == " -u redis://10.0.0.1 -u env:SECOND");
    given.overrides.sharding = "modulo,tag=a b";
    given.overrides.key = "core:{client}";
    given.overrides.expiry_suffix = ":end";
    CHECK(flags_of_deployment(given, settings, false) ==
          " -u redis://10.0.0.1 -u env:SECOND --sharding 'modulo,tag=a b' --key 'core:{client}' --expiry-suffix :end");
    CHECK(flags_of_deployment(given, settings, true) ==
          " -u URL -u URL --sharding PRESET --key TEMPLATE --expiry-suffix SUFFIX");
    given.overrides = {};
    given.overrides.urls = {"redis://ops@10.0.0.1", "redis://10.0.0.2"};
    CHECK(flags_of_deployment(given, settings, false) == " -u URL -u redis://10.0.0.2");
    given.overrides.urls = {"redis://10.0.0.1"};
    given.overrides.all_shards = true;
    CHECK(flags_of_deployment(given, settings, false) == " -u redis://10.0.0.1 --all-shards");
}
