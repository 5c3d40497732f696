// The house's rules as tests: who includes whom, third-party rooms, sizes, and what only app/ may touch.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "house/source_tree.h"
#include "support/catch.h"
#include "support/places.h"

namespace {

using ratectl::test::functions_of;
using ratectl::test::source_files;
using ratectl::test::SourceFile;

using Names = std::set<std::string>;

/// ARCHITECTURE.md's table; every layer may include itself.
const std::map<std::string, Names> kMayInclude{
    {"support", {}},
    {"domain", {"support"}},
    {"sharding", {"support"}},
    {"output", {"support"}},
    {"input", {"domain", "support"}},
    {"config", {"domain", "sharding", "support"}},
    {"redis", {"domain", "support"}},
    {"memcached", {"redis", "domain", "support"}},
    {"http", {"redis", "domain", "support"}},
    {"journal", {"domain", "support"}},
    {"schemes", {"domain", "redis", "support"}},
    {"store", {"schemes", "memcached", "redis", "domain", "sharding", "support"}},
    {"sandbox", {"domain", "redis", "support"}},
    {"commands", {"store", "journal", "sandbox", "http", "input", "output", "config", "domain", "sharding", "support"}},
    {"cli", {"commands", "support"}},
    {"app",
     {"cli", "commands", "store", "journal", "sandbox", "input", "output", "config", "redis", "schemes", "domain",
      "sharding", "support"}},
};

/// Third-party header (a prefix of what stands between the angle brackets) -> the rooms that may see it.
const std::map<std::string, Names> kRooms{
    {"asio", {"src/redis/", "src/memcached/", "src/http/", "src/store/", "src/schemes/"}},
    {"openssl/", {"src/redis/"}},
    {"hiredis/", {"src/redis/"}},
    {"http_parser.h", {"src/http/"}},
    {"xxhash", {"src/sharding/"}},
    {"md5.h", {"src/support/"}},
    {"sha", {"src/support/"}},
    {"zlib.h", {"src/sharding/", "src/input/"}},
    {"CLI/", {"src/cli/", "src/commands/request/syntax.cpp"}},
    {"toml++/", {"src/config/"}},
    {"yaml-cpp/", {"src/config/"}},
    {"sqlite3.h", {"src/journal/"}},
    {"utf8proc.h", {"src/output/"}},
    {"ncurses", {"src/output/ncurses_screen.cpp"}},
    {"nlohmann/", {"src/output/", "src/input/"}},
};

std::string layer_of(const std::string& path) {
    const auto begin = path.find('/') + 1;
    return path.substr(begin, path.find('/', begin) - begin);
}

/// Each `#include` of a file: {the name, true when in angle brackets}.
std::vector<std::pair<std::string, bool>> includes_of(const SourceFile& file) {
    static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<std::pair<std::string, bool>> found;
    for (const auto& line : file.lines) {
        std::smatch match;
        if (std::regex_search(line, match, include)) found.emplace_back(match[2], match[1] == "<");
    }
    return found;
}

/// Most lines have none of these, and a regular expression takes its time to find that out.
bool mentions(const std::string& line, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return line.find(word) != std::string::npos; });
}

/// `src/commands/look/check.cpp` -> `look`; a file at the layer's root: empty.
std::string room_of(const std::string& path) {
    const auto begin = path.find('/', path.find('/') + 1) + 1;
    const auto end = path.find('/', begin);
    return end == std::string::npos ? "" : path.substr(begin, end - begin);
}

/// Calls with (file, its room, the room that it includes from) for each include between two rooms of a layer.
template <typename Visit>
std::size_t each_include_between_rooms(const std::string& layer, const Visit& visit) {
    std::size_t seen = 0;
    for (const auto& file : source_files("src/" + layer)) {
        for (const auto& [name, angled] : includes_of(file)) {
            if (angled || name.rfind(layer + "/", 0) != 0) continue;
            const std::string from = room_of(file.path);
            const std::string target = room_of("src/" + name);
            if (from == target || target.empty()) continue;
            ++seen;
            INFO(file.path << " includes " << name);
            visit(file, from, target);
        }
    }
    return seen;
}

/// Rooms of commands that belong to commands; the others hold what commands share.
const Names kCommandRooms{"limit", "governor", "throttle", "rollout", "change", "doctor", "explain", "identify", "look",
                          "nodes", "replay",   "reshard",  "setup",   "stats",  "top",    "undo",    "watch"};
/// What only looks must have no way to a write.
const Names kLookingRooms{"dumps",   "explain", "identify", "look", "looks", "report",
                          "request", "stats",   "sweep",    "top",  "watch"};

}  // namespace

TEST_CASE("Commands share what they share and know nothing of one another") {
    const Names lists{"src/commands/all_commands.cpp", "src/commands/completion_values.cpp"};
    const auto seen =
        each_include_between_rooms("commands", [&](const SourceFile& file, const std::string&, const std::string& to) {
            CHECK((kCommandRooms.count(to) == 0 || lists.count(file.path) == 1));
        });
    CHECK(seen > 100);
}

TEST_CASE("What only looks has no way to a write and reports know neither looks nor writes") {
    each_include_between_rooms("commands", [](const SourceFile&, const std::string& from, const std::string& to) {
        CHECK((kLookingRooms.count(from) == 0 || (to != "write" && to != "undo")));
        CHECK((from != "report" || to == "request"));
    });
}

TEST_CASE("Looks and sweeps of the store have no way to its writes") {
    const auto seen =
        each_include_between_rooms("store", [](const SourceFile& file, const std::string& from, const std::string& to) {
            if (from.empty()) return;
            // The other protocol's answers to all three; its looks and its listing keep to the rule.
            const bool writes = file.path.find("write") != std::string::npos || file.path.ends_with("window_work.cpp");
            if (from == "memcached") {
                CHECK((writes || to != "writes"));
                return;
            }
            // What a sweep of a Redis Cluster may have missed is looked at key by key.
            CHECK((to == "nodes" || to == "cluster" || (from == "sweep" && to == "looks")));
        });
    CHECK(seen > 10);
}

TEST_CASE("No folder is crowded") {
    std::map<std::string, int> files;
    for (const auto& file : source_files("src")) ++files[file.path.substr(0, file.path.rfind('/'))];
    for (const auto& [folder, count] : files) {
        INFO(folder);
        CHECK(count <= (folder == "src/commands" ? 10 : 40));
    }
}

TEST_CASE("Every include keeps to the layers") {
    std::size_t seen = 0;
    for (const auto& file : source_files("src")) {
        if (file.path == "src/main.cpp") continue;
        const std::string layer = layer_of(file.path);
        INFO(file.path);
        REQUIRE(kMayInclude.count(layer) == 1);
        for (const auto& [name, angled] : includes_of(file)) {
            if (angled) continue;
            ++seen;
            const std::string target = name.substr(0, name.find('/'));
            INFO("includes " << name);
            CHECK((target == layer || kMayInclude.at(layer).count(target) == 1));
        }
    }
    CHECK(seen > 100);
}

TEST_CASE("Third-party headers stay in their rooms") {
    for (const auto& file : source_files("src")) {
        for (const auto& [name, angled] : includes_of(file)) {
            if (!angled) continue;
            for (const auto& [prefix, rooms] : kRooms) {
                if (name.rfind(prefix, 0) != 0) continue;
                INFO(file.path << " includes <" << name << ">");
                bool allowed = false;
                for (const auto& room : rooms) allowed = allowed || file.path.rfind(room, 0) == 0;
                CHECK(allowed);
            }
        }
    }
}

// A coroutine that was started with a bare `this` outlived its object, and a signal in a bulk write ended in a crash.
TEST_CASE("Coroutines that go on by themselves are started by the loop alone") {
    static const std::regex starts(R"(\bco_spawn\s*\(|\bdetached\b)");
    std::size_t places = 0;
    for (const auto& folder : {"src", "tests"}) {
        for (const auto& file : source_files(folder)) {
            for (std::size_t n = 0; n < file.lines.size(); ++n) {
                if (!mentions(file.lines[n], {"co_sp", "detach"})) continue;
                const std::string code = file.lines[n].substr(0, file.lines[n].find("//"));
                if (!std::regex_search(code, starts)) continue;
                ++places;
                INFO(file.path << ":" << n + 1 << ": " << file.lines[n]);
                CHECK(file.path == "src/redis/event_loop.cpp");
            }
        }
    }
    CHECK(places == 1);
}

// Twenty-one commands weighed partial, failed and interrupted endings by themselves, and did not all agree.
TEST_CASE("Commands leave it to their outcome which ending is graver") {
    static const std::regex weighs(R"(\bgraver\s*\()");
    std::size_t places = 0;
    for (const auto& file : source_files("src/commands")) {
        for (std::size_t n = 0; n < file.lines.size(); ++n) {
            const std::string code = file.lines[n].substr(0, file.lines[n].find("//"));
            if (!std::regex_search(code, weighs)) continue;
            ++places;
            INFO(file.path << ":" << n + 1 << ": " << file.lines[n]);
            CHECK(file.path == "src/commands/outcome.cpp");
        }
    }
    CHECK(places > 0);
}

// The configured shards were read in 46 files, each of which would have had to learn what a cluster is.
TEST_CASE("Only the configuration and the store read the configured shards") {
    static const std::regex reads(R"(\bsettings_?(\(\))?\.shards\b|\bShardSettings\b|\b(shards|servers)_of\(settings)");
    for (const auto& file : source_files("src")) {
        if (file.path.starts_with("src/config/") || file.path.starts_with("src/store/")) continue;
        if (file.path == "src/commands/context.h") continue;  // directory_of(), which makes a directory of them
        for (std::size_t n = 0; n < file.lines.size(); ++n) {
            if (!mentions(file.lines[n], {"settings", "ShardSettings"})) continue;
            INFO(file.path << ":" << n + 1 << ": " << file.lines[n]);
            CHECK_FALSE(std::regex_search(file.lines[n], reads));
        }
    }
}

// The other schemes show that it is so; this keeps it so. What people read may speak of the halves.
TEST_CASE("Only the window scheme knows the two keys of its windows") {
    static const std::regex text_or_comment(R"re("([^"\\]|\\.)*"|//.*)re");
    static const std::regex knows(
        R"re(\b([Hh]alf|[Hh]alves|counter_of|expiry_of|expiry_key|is_expiry)\b|epoch_seconds\([^()]*\) \+ 1\b|\+ 1\) \* 1000)re");
    for (const auto& file : source_files("src")) {
        if (file.path.starts_with("src/schemes/window/")) continue;
        if (file.path.starts_with("src/schemes/memcached/")) continue;  // its predecessor's
        for (std::size_t n = 0; n < file.lines.size(); ++n) {
            INFO(file.path << ":" << n + 1 << ": " << file.lines[n]);
            const bool may_know = mentions(file.lines[n], {"alf", "alves", "counter_of", "expiry_of", "expiry_key",
                                                           "is_expiry", "epoch_seconds", "* 1000"});
            if (may_know)
                CHECK_FALSE(std::regex_search(std::regex_replace(file.lines[n], text_or_comment, "\"\""), knows));
            const bool is_default = file.path == "src/domain/limiter.h";
            if (!is_default) CHECK(file.lines[n].find("\":exp\"") == std::string::npos);
        }
    }
    for (const auto& file : source_files("lua")) {
        static const std::set<std::string> shared{"lua/operation.lua", "lua/packing.lua", "lua/validation.lua"};
        if (!shared.contains(file.path)) continue;
        for (const auto& line : file.lines) {
            INFO(file.path << ": " << line);
            CHECK(line.find(":exp") == std::string::npos);
        }
    }
}

TEST_CASE("The headers of the store show domain types only") {
    for (const auto& file : source_files("src/store")) {
        static const std::set<std::string> shown{"src/store/store.h", "src/store/directory.h", "src/store/scan_mark.h"};
        if (!shown.contains(file.path)) continue;
        for (const auto& [name, angled] : includes_of(file)) {
            INFO(name);
            if (!angled && !shown.contains("src/" + name) && name != "sharding/shard_map.h")
                CHECK((name.rfind("domain/", 0) == 0 || name.rfind("support/", 0) == 0));
            CHECK(name.rfind("asio", 0) != 0);
        }
    }
}

TEST_CASE("No source file is over 400 lines and no test over 600") {
    for (const auto& file : source_files("src")) {
        INFO(file.path << ": " << file.lines.size() << " lines");
        CHECK(file.lines.size() <= 400);
    }
    for (const auto& file : source_files("tests")) {
        INFO(file.path << ": " << file.lines.size() << " lines");
        CHECK(file.lines.size() <= 600);
    }
}

TEST_CASE("No function is over 60 lines") {
    std::size_t counted = 0;
    for (const auto& file : source_files("src")) {
        for (const auto& function : functions_of(file)) {
            ++counted;
            INFO(file.path << ":" << function.first_line << ": " << function.head << " has " << function.lines
                           << " lines");
            CHECK(function.lines <= 60);
        }
    }
    CHECK(counted > 200);
}

TEST_CASE("The function counter finds what it should") {
    const SourceFile file{
        "x.cpp",
        {"namespace a {", "struct S {", "    int f() const { return 1; }", "};", "int g(int x) {", "    if (x) {",
         "        return '}';", "    }", "    return 0;  // }", "}", "const char* s = \"{\";", "}"}};
    const auto functions = functions_of(file);
    REQUIRE(functions.size() == 2);
    CHECK(functions[0].lines == 1);
    CHECK(functions[1].first_line == 5);
    CHECK(functions[1].lines == 6);
}

TEST_CASE("Every source file begins with what it is for") {
    for (const auto& folder : {"src", "tests"}) {
        for (const auto& file : source_files(folder)) {
            INFO(file.path);
            REQUIRE(!file.lines.empty());
            CHECK((file.lines[0].starts_with("// ") || file.lines[0].starts_with("-- ")));
        }
    }
}

TEST_CASE("File names say something") {
    static const std::regex vague(
        R"((^|[_/])(util|utils|common|helper|helpers|manager|misc|data|info)(_test)?\.(h|cpp)$)");
    for (const auto& file : source_files("src")) {
        INFO(file.path);
        CHECK(!std::regex_search(file.path, vague));
    }
}

TEST_CASE("Only app touches the environment the clock the streams and the exit") {
    static const std::regex forbidden(
        R"((\bstd::getenv\b|\bsecure_getenv\b|\bgetenv\(|\bstd::cout\b|\bstd::cerr\b|\bstd::exit\b|[^_a-z:.>]exit\(|\bstd::abort\b|system_clock::now|\bstd::random_device\b|[^_a-z.>]printf\(|\bfmt::print\())");
    for (const auto& file : source_files("src")) {
        if (layer_of(file.path) == "app" || file.path == "src/main.cpp") continue;
        for (std::size_t n = 0; n < file.lines.size(); ++n) {
            if (!mentions(file.lines[n], {"getenv", "std::cout", "std::cerr", "exit(", "std::exit", "std::abort",
                                          "system_clock", "random_device", "printf(", "fmt::print("}))
                continue;
            const std::string code = file.lines[n].substr(0, file.lines[n].find("//"));
            INFO(file.path << ":" << n + 1 << ": " << file.lines[n]);
            CHECK(!std::regex_search(code, forbidden));
        }
    }
}

TEST_CASE("The main file is an adapter and ARCHITECTURE stays short") {
    const std::filesystem::path root = ratectl::test::source_dir();
    const auto lines_of = [&](const char* name) {
        std::ifstream in(root / name);
        REQUIRE(in);
        std::size_t n = 0;
        for (std::string line; std::getline(in, line);) ++n;
        return n;
    };
    CHECK(lines_of("src/main.cpp") < 25);
    CHECK(lines_of("ARCHITECTURE.md") < 60);
}
