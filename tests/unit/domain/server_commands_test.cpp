// The list of commands that servers are sent, against the sources that send them.
#include "domain/server_commands.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/catch.h"
#include "support/places.h"

using namespace ratectl::domain;

namespace {

using Names = std::set<std::string>;

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

void add_matches(const std::string& text, const std::regex& pattern, Names& into) {
    for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at) {
        for (std::size_t group = 1; group < at->size(); ++group) {
            if (!(*at)[group].matched) continue;
            std::string name = (*at)[group];
            for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            into.insert(name);
        }
    }
}

/// Every command that the sources give to a request, or that a script calls.
Names sent() {
    static const std::regex in_requests(
        R"re((?:add\(\{|argument\(|\{)"([A-Z_]{3,})"(?:, |\}\)|\))|\? "([A-Z_]+)" : "([A-Z_]+)"[;,]|return "([A-Z]{3,})";)re");
    static const std::regex in_scripts(
        R"re((?:call|plan|push|forbidden)\('([A-Z]+)'|kIsSeven and '([A-Z]+)' or '([A-Z]+)')re");
    const std::filesystem::path root = ratectl::test::source_dir();
    Names names;
    for (const auto* folder : {"src/redis", "src/store", "src/schemes"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            const auto name = entry.path().filename().string();
            // Error words are as long and as loud.
            if (entry.path().extension() != ".cpp" || name == "reply_class.cpp") continue;
            add_matches(text_of(entry.path()), in_requests, names);
        }
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "lua")) {
        if (entry.path().extension() != ".lua") continue;
        add_matches(text_of(entry.path()), in_scripts, names);
    }
    return names;
}

Names names_of(const std::vector<ServerCommand>& commands) {
    Names names;
    for (const auto& command : commands) names.emplace(command.name);
    return names;
}

}  // namespace

TEST_CASE("the list of server commands holds what the sources send and nothing else") {
    Names listed;
    for (const auto& command : server_commands()) {
        INFO(command.name);
        CHECK(listed.emplace(command.name).second);
        CHECK_FALSE(command.needed_for.empty());
    }
    auto found = sent();
    CHECK(found.erase("auth") == 1);  // needs no right
    CHECK(found.erase("ping") == 1);  // asked of proxies, which have no rights
    CHECK(found.erase("client") == 1);
    found.insert("client|setname");
    CHECK(found.erase("cluster") == 1);
    for (const auto* part : {"shards", "slots", "nodes", "info", "getkeysinslot"})
        found.insert(std::string("cluster|") + part);
    CHECK(found.erase("sentinel") == 1);  // asked of sentinels, which have no windows
    CHECK(found == listed);
}

TEST_CASE("an account for looking may run nothing that writes") {
    for (const int generation : {6, 7}) {
        const auto looks = names_of(commands_for(Rights::look, generation, {true, {"hash", "list", "zset"}}));
        for (const auto* writing : {"set", "incrby", "decrby", "del", "pexpireat", "persist", "wait"}) {
            INFO(generation << " " << writing);
            CHECK_FALSE(looks.contains(writing));
            CHECK(
                names_of(commands_for(Rights::change, generation, {true, {"hash", "list", "zset"}})).contains(writing));
        }
        CHECK(looks.contains("mget"));
    }
}

TEST_CASE("scripts for looking are read-only ones from Redis 7 on") {
    const auto on_6 = names_of(commands_for(Rights::look, 6, {false, {"hash", "list", "zset"}}));
    const auto on_7 = names_of(commands_for(Rights::look, 7, {false, {"hash", "list", "zset"}}));
    for (const auto* name : {"eval", "evalsha"}) CHECK((on_6.contains(name) && !on_7.contains(name)));
    for (const auto* name : {"eval_ro", "evalsha_ro", "pexpiretime"})
        CHECK((!on_6.contains(name) && on_7.contains(name)));
    CHECK_FALSE(on_7.contains("select"));
    CHECK(names_of(commands_for(Rights::look, 7, {true, {"hash", "list", "zset"}})).contains("select"));
}

TEST_CASE("servers are of the generation of their version and old ones where they do not tell it") {
    CHECK(acl_generation(ServerVersion{6, 2, 14, false}) == 6);
    CHECK(acl_generation(ServerVersion{7, 0, 0, false}) == 7);
    CHECK(acl_generation(ServerVersion{8, 1, 0, true}) == 7);
    CHECK(acl_generation(std::nullopt) == 6);
}

TEST_CASE("an account that may change nothing lacks only what looks need") {
    using Denied = std::vector<std::string>;
    const Denied all_changes{"evalsha", "eval", "set", "incrby", "decrby", "del", "pexpireat", "persist", "wait"};
    CHECK(lacking(all_changes, 7).empty());
    auto more = all_changes;
    more.insert(more.begin(), "pttl");
    CHECK(lacking(more, 7) == Denied{"pttl"});
    // One of them is allowed: this account is to change windows, and cannot.
    CHECK(lacking({all_changes.begin(), all_changes.end() - 1}, 7).size() == all_changes.size() - 1);
    CHECK(lacking({"evalsha", "eval"}, 7) == Denied{"evalsha", "eval"});
    // On Redis 6 a reader's scripts are the same as a writer's.
    CHECK(lacking(all_changes, 6) == Denied{"evalsha", "eval"});
    CHECK(lacking({}, 7).empty());
}
