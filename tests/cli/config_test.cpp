// config through the real binary: questions on a terminal, real servers, exit codes and what reaches which stream.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>

#include "support/catch.h"
#include "support/contains.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::contains;
using ratectl::test::run_ratectl;
using ratectl::test::RunOptions;

/// A folder that goes away, and an environment that points to it.
class Home {
public:
    Home() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ratectl-config-cli-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        options.environment["XDG_CONFIG_HOME"] = folder_;
    }
    ~Home() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

    std::string file() const { return folder_ + "/ratectl/ratectl.toml"; }
    void write(const std::string& text, mode_t mode = 0600) const {
        std::filesystem::create_directories(folder_ + "/ratectl");
        std::ofstream(file()) << text;
        ::chmod(file().c_str(), mode);
    }

    RunOptions options;

private:
    std::string folder_;
};

std::string two_shards(const std::string& first, const std::string& second, const std::string& more = "") {
    return "[deployments.main]\nsharding = \"modulo\"\n" + more + "shards = [{ primary = \"" + first +
           "\" }, { primary = \"" + second + "\" }]\n";
}

}  // namespace

TEST_CASE("config init asks on the terminal and its file passes config check") {
    Home home;
    home.options.terminal_only_for_questions = true;
    home.options.typed = "redis://127.0.0.1:6390\n\ncore=core:{client}:60/1h\n\n";
    const auto init = run_ratectl({"config", "init"}, home.options);
    INFO(init.err << init.terminal);
    CHECK(init.code == 0);
    CHECK(init.out.empty());
    CHECK(contains(init.terminal, "First shard's primary [redis://127.0.0.1:6379]: "));
    home.options.typed.clear();
    home.options.terminal_only_for_questions = false;
    const auto check = run_ratectl({"config", "check"}, home.options);
    CHECK(check.code == 0);
    const auto show = run_ratectl({"config", "show", "-o", "tsv"}, home.options);
    CHECK(contains(show.out, "shards.127.0.0.1:6390.primary\tredis://127.0.0.1:6390\t"));
    CHECK(contains(show.out, "policies.core.limit\t60\t"));
    CHECK(run_ratectl({"config", "init"}, home.options).code == 10);
    CHECK(run_ratectl({"config", "init", "--file="}, home.options).code == 2);
}

TEST_CASE("config init takes names of shards and as many policies as there are") {
    Home home;
    home.options.terminal_only_for_questions = true;
    home.options.typed =
        "alpha=redis://127.0.0.1:6390\nbeta=redis://127.0.0.1:6391\n\ntwemproxy-ketama\n"
        "core=core:{client}:60/1h\nsearch=search:{client}:30/1m\n\n";
    const auto init = run_ratectl({"config", "init"}, home.options);
    INFO(init.err << init.terminal);
    CHECK(init.code == 0);
    home.options.typed.clear();
    home.options.terminal_only_for_questions = false;
    const auto show = run_ratectl({"config", "show", "-o", "tsv"}, home.options);
    CHECK(contains(show.out, "shards.alpha.primary\tredis://127.0.0.1:6390\t"));
    CHECK(contains(show.out, "shards.beta.primary\tredis://127.0.0.1:6391\t"));
    CHECK(contains(show.out, "policies.core.limit\t60\t"));
    CHECK(contains(show.out, "policies.search.limit\t30\t"));
}

TEST_CASE("a first run without any configuration tells the three ways to begin") {
    const Home home;
    const auto first = run_ratectl({"check", "core:1"}, home.options);
    CHECK(first.code == 3);
    CHECK(first.out.empty());
    for (const char* way : {"ratectl config init", "-u redis://", "ratectl sandbox up"})
        CHECK(contains(first.err, way));
}

TEST_CASE("config check with connect reports each server and one that is dead is partial") {
    const ratectl::test::RedisServer one;
    const ratectl::test::RedisServer two;
    Home home;
    home.write(two_shards(one.endpoint().url(), two.endpoint().url()));
    const auto good = run_ratectl({"config", "check", "--connect", "-o", "ndjson"}, home.options);
    INFO(good.out << good.err);
    CHECK(good.code == 0);
    CHECK(contains(good.out, "primary " + one.endpoint().address()));
    home.write(two_shards(one.endpoint().url(), "redis://127.0.0.1:1"));
    const auto partial = run_ratectl({"config", "check", "--connect", "-o", "json"}, home.options);
    INFO(partial.out << partial.err);
    CHECK(partial.code == 9);
    CHECK(contains(partial.out, "\"complete\":false"));
    CHECK(contains(partial.out, "\"result\":\"failed\""));
    CHECK(contains(partial.err, "127.0.0.1:1"));
    home.write(two_shards("redis://127.0.0.1:1", "redis://127.0.0.1:2"));
    CHECK(run_ratectl({"config", "check", "--connect"}, home.options).code == 4);
}

TEST_CASE("a readable file with a password stops every command with exit code 3 and shows nothing of it") {
    Home home;
    home.write(two_shards("redis://127.0.0.1:1", "redis://127.0.0.1:2", "password = \"hunter2\"\n"), 0644);
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"config", "show"},
                                                      {"config", "check"},
                                                      {"check", "core:42"},
                                                      {"--messages", "json", "scan"}}) {
        const auto result = run_ratectl(arguments, home.options);
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(contains(result.err, "chmod 600"));
        CHECK_FALSE(contains(result.err, "hunter2"));
    }
    ::chmod(home.file().c_str(), 0600);
    const auto shown = run_ratectl({"config", "show"}, home.options);
    CHECK(shown.code == 0);
    CHECK(contains(shown.out, "(set)"));
    CHECK_FALSE(contains(shown.out, "hunter2"));
}

TEST_CASE("control characters in a configuration never reach the terminal raw") {
    Home home;
    home.options.terminal = true;
    home.write("[deployments.\"\\u001b[31mred\"]\nshards = [{ primary = \"redis://h\" }]\n");
    const auto result = run_ratectl({"config", "show"}, home.options);
    CHECK(result.code == 3);
    CHECK_FALSE(contains(result.terminal, "\x1b[31mred"));
    home.write("[deployments.main]\nexpiry_suffix = \"\\u001b[31m\"\nshards = [{ primary = \"redis://h\" }]\n");
    const auto shown = run_ratectl({"config", "show", "--color", "never"}, home.options);
    CHECK(shown.code == 0);
    CHECK_FALSE(contains(shown.terminal, "\x1b[31m"));
    CHECK(contains(shown.terminal, "\\x1b[31m"));
}

TEST_CASE("config check with connect asks the servers of every deployment when none is chosen") {
    const ratectl::test::RedisServer one;
    Home home;
    const auto deployment = [](const std::string& name, const std::string& url) {
        return "[deployments." + name + "]\nshards = [{ primary = \"" + url + "\" }]\n";
    };
    home.write(deployment("east", one.endpoint().url()) + deployment("west", "redis://127.0.0.1:1"));
    const auto all = run_ratectl({"config", "check", "--connect", "-o", "ndjson"}, home.options);
    INFO(all.out << all.err);
    CHECK(all.code == 4);
    CHECK(contains(all.out, "primary " + one.endpoint().address()));
    CHECK(contains(all.out, "\"result\":\"failed\""));
    CHECK(contains(all.out, "\"deployment\":\"west\""));
    CHECK(run_ratectl({"config", "check", "--connect", "-d", "east"}, home.options).code == 0);
}

TEST_CASE("config import writes a file that config check accepts and never over another") {
    Home home;
    const std::string yaml = home.file() + ".yml";
    home.write("");
    std::ofstream(yaml) << "web:\n  redis: true\n  redis_auth: hunter2\n  hash_tag: \"{}\"\n  servers:\n"
                           "   - 10.0.0.1:6379:1 a\n   - 10.0.0.2:6379:1 b\n";
    const auto refused = run_ratectl({"config", "import", "twemproxy", yaml, "--file", home.file()}, home.options);
    CHECK(refused.code == 10);
    std::filesystem::remove(home.file());
    const auto written = run_ratectl({"config", "import", "twemproxy", yaml, "--file", home.file()}, home.options);
    INFO(written.out << written.err);
    CHECK(written.code == 0);
    CHECK(written.out.empty());
    CHECK(contains(written.err, "redis_auth is not copied"));
    CHECK_FALSE(contains(written.err, "hunter2"));
    const auto check = run_ratectl({"config", "check", "-o", "tsv"}, home.options);
    CHECK(check.code == 0);
    CHECK(contains(check.out, "sharding\tok\ttwemproxy-ketama"));
    home.options.input = "redis://10.0.0.1\n# a remark\nredis://10.0.0.2, redis://:hunter2@10.0.0.3\n";
    const auto urls = run_ratectl({"config", "import", "urls", "-", "--sharding", "redis-rb-5"}, home.options);
    CHECK(urls.code == 0);
    CHECK(contains(urls.out, "primary = \"redis://10.0.0.3:6379\""));
    CHECK_FALSE(contains(urls.out + urls.err, "hunter2"));
    const auto secret = run_ratectl({"config", "import", "urls", "redis://:hunter2@10.0.0.3"}, home.options);
    CHECK(secret.code == 2);
    CHECK_FALSE(contains(secret.out + secret.err, "hunter2"));
    CHECK(run_ratectl({"config", "import", "nutcracker", yaml}, home.options).code == 2);
    CHECK(run_ratectl({"config", "import", "twemproxy"}, home.options).code == 2);
    CHECK(run_ratectl({"config", "import", "twemproxy", yaml + ".no"}, home.options).code == 3);
}

TEST_CASE("a configuration says where its journal is and the command line wins over it") {
    Home home;
    home.options.environment["XDG_STATE_HOME"] = std::filesystem::path(home.file()).parent_path().string() + "/state";
    const ratectl::test::RedisServer server;
    const auto folder = std::filesystem::path(home.file()).parent_path();
    const std::string deployment =
        "[deployments.main]\nwrites = \"allow\"\nshards = [{ primary = \"" + server.endpoint().url() + "\" }]\n";
    home.write("journal = \"own.db\"\n" + deployment);
    const auto run = [&](const std::vector<std::string>& words) { return run_ratectl(words, home.options); };
    CHECK(run({"increment", "a", "--limit", "5", "--period", "1h", "--op-id", "one"}).code == 0);
    CHECK(std::filesystem::exists(folder / "own.db"));
    CHECK_FALSE(std::filesystem::exists(folder / "state"));
    CHECK(contains(run({"history"}).out, "one"));
    const auto shown = run({"config", "show", "-o", "csv", "--no-header"}).out;
    CHECK(contains(shown, "\njournal," + (folder / "own.db").string() + ",," + home.file() + ":1,\n"));
    CHECK(run({"config", "check"}).code == 0);
    const auto other = (folder / "other.db").string();
    CHECK_FALSE(contains(run({"history", "--journal", other}).out, "one"));
    CHECK(contains(run({"config", "show", "--journal", other}).out, "flag --journal"));
    // Its neighbours cannot have this user's files written where they like.
    home.write("journal = \"own.db\"\n" + deployment, 0666);
    for (const char* command : {"history", "scan"}) {
        const auto refused = run({command});
        CHECK(refused.code == 3);
        CHECK(contains(refused.err, ":1: journal is not obeyed, because other users can change the file"));
    }
    home.write("journal = 5\n" + deployment);
    CHECK(run({"config", "check"}).code == 3);
}
