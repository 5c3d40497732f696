// Class files: client, class and limit, line by line.
#include <string>

#include "config/class_file.h"
#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

const ClassLimits kClasses{{"enterprise", 15000}, {"app", 10000}};

std::string as_given(std::string_view client) { return std::string(client); }

std::string class_error(const std::string& text) {
    try {
        parse_class_file(text, "classes.csv", kClasses, as_given);
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::configuration);
        return failure.error().message + " / " + failure.error().hint;
    }
    return "";
}

TEST_CASE("lines name a client its class and sometimes a limit") {
    const auto members = parse_class_file(
        "\xef\xbb\xbf"
        "client,class,limit\r\n# a comment\r\n\r\nacme, "
        "enterprise\r\n\"a,b\"\"c\",app,\r\nspecial,partner,77\r\nlast,app",
        "c", kClasses, as_given);
    REQUIRE(members.size() == 4);
    CHECK(members.at("acme").client_class == "enterprise");
    CHECK_FALSE(members.at("acme").limit);
    CHECK(members.at("a,b\"c").client_class == "app");
    CHECK(members.at("special").client_class == "partner");
    CHECK(members.at("special").limit == 77);
    CHECK(members.count("last") == 1);
}

TEST_CASE("only the first line can be a header") {
    CHECK(parse_class_file("client,class\na,app\n", "c", kClasses, as_given).size() == 1);
    CHECK(contains(class_error("a,app\nclient,class\n"), "classes.csv:2: the class of this line is not among"));
    CHECK(parse_class_file("client,app\n", "c", kClasses, as_given).count("client") == 1);
    CHECK(parse_class_file("", "c", kClasses, as_given).empty());
}

TEST_CASE("a bad line is named") {
    CHECK(contains(class_error("a,app\nb\n"), "classes.csv:2: a line is client,class"));
    CHECK(contains(class_error("a,app,1,2\n"), "classes.csv:1: a line is client,class"));
    CHECK(contains(class_error(",app\n"), "classes.csv:1: the client is empty"));
    CHECK(contains(class_error("a,app\n\na,enterprise\n"),
                   "classes.csv:3: the client of this line is named a second time"));
    CHECK(contains(class_error("a,ap\n"), "did you mean 'app'?"));
    for (const char* swapped : {"app,SECRET\n", "a,app,SECRET\n"})
        CHECK_FALSE(contains(class_error(swapped), "SECRET"));
    CHECK(contains(class_error("\"a,app\n"), "double quotes"));
    CHECK(contains(class_error("\"a\"x,app\n"), "double quotes"));
    for (const char* limit : {"010", "-5", "1e3", "5 000", "9007199254740992", "x"}) {
        INFO(limit);
        CHECK(contains(class_error(std::string("a,app,") + limit + "\n"), "is not a limit"));
    }
}

TEST_CASE("a class file is found beside the configuration and reaches the policy") {
    ConfigWorld world;
    world.write("classes.csv", "acme,enterprise\n");
    const std::string policy =
        "[[deployments.main.policies]]\nname = \"core\"\nkey = \"core:{client}\"\nclasses = { enterprise = 15000 "
        "}\nclass_file = \"classes.csv\"\n";
    const auto settings = world.resolve_text(one_shard() + policy);
    const auto match = settings.policies.match("core:acme");
    REQUIRE(match);
    CHECK(match->client_class == "enterprise");
    CHECK(match->limit == 15000);
    CHECK(shown(settings, "policies.core.class_file") == world.path("classes.csv") + " (1 client)");
    world.write("classes.csv", "acme,enterprize\n");
    CHECK(contains(world.error_of_text(one_shard() + policy).message,
                   world.path("classes.csv") + ":1: the class of this line"));
    std::filesystem::remove(world.path("classes.csv"));
    CHECK(contains(world.error_of_text(one_shard() + policy).message, "classes.csv does not exist"));
}

}  // namespace
}  // namespace ratectl::config
