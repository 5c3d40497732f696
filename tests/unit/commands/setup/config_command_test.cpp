// config init, check and show: files written from flags and answers, rows of what is in force, exit codes.
#include "commands/all_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl;
using support::ExitCode;
using test::contains;

namespace {

/// A home folder of its own, answers that were thought up before, no servers.
class ConfigContext final : public commands::Context {
public:
    ConfigContext() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ratectl-config-command-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        variables["HOME"] = folder_;
    }
    ~ConfigContext() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    ExitCode run(std::vector<std::string> arguments) {
        CLI::App app;
        const commands::Run execute = commands::config_command().bind(app);
        std::reverse(arguments.begin(), arguments.end());
        app.parse(arguments);
        out_.text.clear();
        err_.text.clear();
        try {
            return execute(*this);
        } catch (const support::Failure& failure) {
            messages_.error(failure.error());
            return failure.error().code;
        }
    }
    config::Settings resolve(const std::string& file) {
        config::Overrides overrides;
        overrides.config_file = file;
        return config::resolve(overrides, {[](const std::string&) { return std::nullopt; }, {}, "/nonexistent"});
    }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    std::string own_file() const { return path(".config/ratectl/ratectl.toml"); }
    void write(const std::string& text) {
        given.overrides.config_file = path("given.toml");
        std::ofstream(*given.overrides.config_file) << text;
    }

    const commands::GlobalOptions& options() const override { return given; }
    const config::Settings& settings() override {
        settings_ = config::resolve(given.overrides, world());
        return settings_;
    }
    store::Store& store() override { throw support::Failure(ExitCode::bug, "no servers here"); }
    config::Settings settings_without_servers() override {
        return config::resolve_without_servers(given.overrides, world());
    }
    config::Settings settings_of(const std::string& deployment, bool logs_in) override {
        config::Overrides overrides = given.overrides;
        overrides.deployment = deployment;
        config::World asked = world();
        asked.logs_in = logs_in;
        return config::resolve(overrides, asked);
    }
    config::World world() const {
        return {[this](const std::string& name) { return env(name); }, {}, "/nonexistent"};
    }
    std::unique_ptr<store::Store> store_of(const config::Settings&) override {
        throw support::Failure(ExitCode::bug, "no servers here");
    }
    commands::OpenDeployment open_deployment(const commands::DeploymentName&) override {
        throw std::logic_error("not asked for here");
    }
    output::ByteSink& out() override { return out_; }
    output::Diagnostics& messages() override { return messages_; }
    input::ByteSource& in() override { return in_; }
    output::SinkOptions sink_options(std::string_view schema) override {
        output::SinkOptions sink;
        sink.format = support::value_or_throw(output::parse_format(given.output.value_or("table")));
        sink.schema = schema;
        return sink;
    }
    support::WallTime wall_clock() override { return {}; }
    support::Moment now() override { return {}; }
    std::optional<std::string> env(const std::string& name) const override {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    }
    const support::StopSignal& stop() const override { return stop_; }
    std::optional<std::string> ask(std::string_view question) override {
        if (answers.empty()) return std::nullopt;
        questions.emplace_back(question);
        std::string answer = answers.front();
        answers.pop_front();
        return answer;
    }
    bool stdout_is_terminal() const override { return false; }
    bool stdin_is_terminal() const override { return false; }
    commands::Identity identity() override { return {"tester", "testhost"}; }
    std::string new_operation_id() override { return "01TEST"; }
    journal::Journal& journal() override { throw std::logic_error("no journal here"); }
    void audit(std::string_view) override {}

    commands::GlobalOptions given;
    std::map<std::string, std::string> variables;
    std::deque<std::string> answers;
    std::vector<std::string> questions;
    const std::string& output() const { return out_.text; }
    const std::string& errors() const { return err_.text; }

private:
    std::string folder_;
    config::Settings settings_;
    output::StringSink out_;
    output::StringSink err_;
    output::Diagnostics messages_{err_, {}};
    input::StringSource in_{"", "standard input"};
    support::StopSignal stop_;
};

const char* const kTwoShards =
    "[deployments.main]\nsharding = \"modulo\"\ntimeout = \"3s\"\n"
    "shards = [{ name = \"a\", primary = \"redis://10.0.0.1\" }, { name = \"b\", primary = \"redis://10.0.0.2\" }]\n";

}  // namespace

TEST_CASE("config init writes the user's own file from flags") {
    ConfigContext context;
    context.given.overrides.sharding = "twemproxy-ketama";
    CHECK(context.run({"init", "--name=eu", "--primary=alpha=redis://10.0.0.1", "--primary=beta=redis://10.0.0.2/1",
                       "--replica=alpha=redis://10.0.0.3", "--replica=beta=auto",
                       "--policy=core=core:{client}:60/1h"}) == ExitCode::done);
    CHECK(context.output().empty());
    CHECK(contains(context.errors(), context.own_file() + " written"));
    const auto settings = context.resolve(context.own_file());
    CHECK(settings.deployment == "eu");
    REQUIRE(settings.shards.size() == 2);
    CHECK(settings.shards[0].shard.name == "alpha");
    CHECK(settings.shards[0].shard.replicas.size() == 1);
    CHECK(settings.shards[1].shard.discover_replicas);
    CHECK(settings.sharding->preset == "twemproxy-ketama");
    CHECK(settings.policies.policies().at(0).limit == 60);
}

TEST_CASE("config init never overwrites a file by accident") {
    ConfigContext context;
    REQUIRE(context.run({"init", "--primary=redis://10.0.0.1"}) == ExitCode::done);
    context.answers = {"redis://10.0.0.2"};
    CHECK(context.run({"init"}) == ExitCode::local_io);
    CHECK(contains(context.errors(), "is there already; nothing was written"));
    CHECK(context.questions.empty());
    CHECK(context.resolve(context.own_file()).shards[0].server.host == "10.0.0.1");
    CHECK(context.run({"init", "--force", "--primary=redis://10.0.0.3"}) == ExitCode::done);
    CHECK(context.resolve(context.own_file()).shards[0].server.host == "10.0.0.3");
}

TEST_CASE("config init asks on a terminal and explains what it cannot use") {
    ConfigContext context;
    context.answers = {"nonsense", "redis://:secret@10.0.0.1", "redis://10.0.0.1", "redis://10.0.0.2",        "",
                       "ketama",   "twemproxy-ketama",         "core:{client}",    "core=core:{client}:60/1h"};
    CHECK(context.run({"init", "--file=" + context.path("asked.toml")}) == ExitCode::done);
    CHECK(context.answers.empty());
    CHECK(context.questions.size() == 9);
    CHECK(contains(context.errors(), "a password does not belong"));
    CHECK(contains(context.errors(), "there is no preset 'ketama'"));
    CHECK_FALSE(contains(context.errors(), "secret@"));
    const auto settings = context.resolve(context.path("asked.toml"));
    CHECK(settings.shards.size() == 2);
    CHECK(settings.sharding->preset == "twemproxy-ketama");
    CHECK(settings.policies.policies().size() == 1);
}

TEST_CASE("config init without a terminal and flags writes an example for one local server") {
    ConfigContext context;
    CHECK(context.run({"init", "--file=-"}) == ExitCode::done);
    CHECK(contains(context.output(), "primary = \"redis://127.0.0.1:6379\""));
    CHECK_FALSE(std::filesystem::exists(context.own_file()));
    context.given.dry_run = true;
    CHECK(context.run({"init"}) == ExitCode::done);
    CHECK(contains(context.output(), "[deployments.main]"));
    CHECK_FALSE(std::filesystem::exists(context.own_file()));
}

TEST_CASE("config init warns when several shards have no sharding") {
    ConfigContext context;
    CHECK(context.run({"init", "--primary=redis://a", "--primary=redis://b"}) == ExitCode::done);
    CHECK(contains(context.errors(), "warning: several shards and no sharding"));
    CHECK_FALSE(context.resolve(context.own_file()).sharding);
}

TEST_CASE("config init refuses bad flags and passwords before anything is written") {
    ConfigContext context;
    for (const std::vector<std::string>& flags : {std::vector<std::string>{"--primary=10.0.0.1"},
                                                  {"--primary=redis://:hunter2@10.0.0.1"},
                                                  {"--primary=redis://a", "--replica=beta=redis://b"},
                                                  {"--primary=redis://a", "--primary=redis://b", "--replica=redis://c"},
                                                  {"--primary=redis://a", "--replica=auto", "--replica=redis://c"},
                                                  {"--primary=redis://a", "--policy=core"}}) {
        auto arguments = flags;
        arguments.insert(arguments.begin(), "init");
        CHECK(context.run(arguments) == ExitCode::usage);
        CHECK_FALSE(contains(context.errors(), "hunter2"));
        CHECK_FALSE(std::filesystem::exists(context.own_file()));
    }
    CHECK(context.run({"init", "--primary=redis://a", "--primary=redis://a"}) == ExitCode::configuration);
    context.given.overrides.sharding = "nonsense";
    CHECK(context.run({"init", "--primary=redis://a"}) == ExitCode::usage);
    CHECK_FALSE(std::filesystem::exists(context.own_file()));
}

TEST_CASE("config show prints every value with its origin") {
    ConfigContext context;
    context.write(kTwoShards);
    context.variables["RATECTL_EXPIRY_SUFFIX"] = ":until";
    context.given.overrides.deadline = "1m";
    context.given.output = "tsv";
    CHECK(context.run({"show"}) == ExitCode::done);
    const std::string file = context.path("given.toml");
    CHECK(contains(context.output(), "timeout\t3s\t"));
    CHECK(contains(context.output(), file + ":3"));
    CHECK(contains(context.output(), "environment RATECTL_EXPIRY_SUFFIX"));
    CHECK(contains(context.output(), "flag --deadline"));
    CHECK(contains(context.output(), "max_keys\t500\t"));
    CHECK(contains(context.output(), "shards.b.primary\tredis://10.0.0.2:6379\t"));
    context.given.output = "json";
    CHECK(context.run({"show"}) == ExitCode::done);
    CHECK(contains(context.output(), "\"schema\":\"ratectl.config.v1\""));
}

TEST_CASE("config show hides passwords in every format") {
    ConfigContext context;
    context.variables["SECRET"] = "hunter2";
    context.write("[deployments.main]\npassword_env = \"SECRET\"\nshards = [{ primary = \"redis://10.0.0.1\" }]\n");
    for (const char* format : {"table", "wide", "json", "ndjson", "csv", "tsv"}) {
        context.given.output = format;
        CHECK(context.run({"show"}) == ExitCode::done);
        CHECK_FALSE(contains(context.output() + context.errors(), "hunter2"));
        CHECK(contains(context.output(), "(set)"));
    }
}

TEST_CASE("config check says what it proved and ends with 1 for warnings and 3 for errors") {
    ConfigContext context;
    context.given.output = "tsv";
    context.write(kTwoShards);
    CHECK(context.run({"check"}) == ExitCode::done);
    CHECK(contains(context.output(), "servers\tok\t2 shards, 0 replicas, none listed twice"));
    CHECK(contains(context.output(), "sharding\tok\tmodulo"));
    const std::string policies =
        "[[deployments.main.policies]]\nname = \"all\"\nkey = \"{any}\"\nlimit = 1\n"
        "[[deployments.main.policies]]\nname = \"core\"\nkey = \"core:{client}\"\nlimit = 1\n";
    context.write(kTwoShards + policies);
    CHECK(context.run({"check"}) == ExitCode::attention);
    CHECK(contains(context.output(), "policies\twarning\tpolicy 'core' never applies"));
    context.write("[deployments.main]\ntimeout = 3\n");
    CHECK(context.run({"check"}) == ExitCode::configuration);
    CHECK(contains(context.errors(), "given.toml:2:11: deployments.main.timeout"));
    CHECK(contains(context.output(), "deployment\tfailed\t"));
}

TEST_CASE("config check names every error of a file and not only the first") {
    ConfigContext context;
    context.given.output = "tsv";
    context.write(
        "[deployments.main]\ntimeout = 3\nwrties = \"deny\"\n"
        "shards = [{ name = \"a\" }, { name = \"b\", primary = \"redis://b.example\", weight = 0 }]\n"
        "policies = [{ name = \"core\" }, { name = \"search\", key = \"s:{client}\", period = \"1\\n\" }]\n");
    CHECK(context.run({"check"}) == ExitCode::configuration);
    for (const std::string what : {"main.timeout: must be a duration", "unknown key 'deployments.main.wrties'",
                                   "shards[0].primary: is missing", "shards[1].weight: must be between",
                                   "policies[0].key: is missing", "policies[1].period: '1\\n' is not a duration"}) {
        CAPTURE(what);
        CHECK(contains(context.errors(), what));
        CHECK(std::count(context.errors().begin(), context.errors().end(), '\n') >= 6);
    }
    CHECK(contains(context.output(), "deployment\tfailed\t"));
}

TEST_CASE("config check without connect asks for no password") {
    ConfigContext context;
    context.given.output = "tsv";
    context.write("[deployments.main]\npassword_env = \"NOT_SET\"\nshards = [{ primary = \"redis://a.example\" }]\n");
    CHECK(context.run({"check"}) == ExitCode::done);
    CHECK(contains(context.output(), "password\tnote\tfrom password_env NOT_SET, which only --connect asks"));
    CHECK(context.run({"check", "--connect"}) == ExitCode::configuration);
    CHECK(contains(context.errors(), "NOT_SET"));
}

TEST_CASE("config check without a choice checks every deployment and one that is wrong does not hide the others") {
    ConfigContext context;
    context.given.output = "tsv";
    const auto deployment = [](const std::string& name, const std::string& more) {
        return "[deployments." + name + "]\n" + more + "shards = [{ primary = \"redis://" + name + ".example\" }]\n";
    };
    context.write(
        deployment("east", "") +
        deployment("west", "policies = [{ name = \"a\", key = \"a:{client}\", class_file = \"gone.csv\" }]\n") +
        deployment("south", "timeout = \"3s\"\n"));
    CHECK(context.run({"check"}) == ExitCode::configuration);
    CHECK(contains(context.output(), "deployment\tok\teast\t"));
    CHECK(contains(context.output(), "deployment\tok\tsouth\t"));
    CHECK(contains(context.output(), "deployment\tfailed\t"));
    CHECK(contains(context.output(), "gone.csv"));
    CHECK(contains(context.errors(), "gone.csv"));
    CHECK(contains(context.output(), "servers\tok\t1 shard, 0 replicas, none listed twice\t\t\t\tsouth\n"));
    CHECK_FALSE(contains(context.output(), "flag --deployment"));
    context.given.overrides.deployment = "south";
    CHECK(context.run({"check"}) == ExitCode::done);
    CHECK_FALSE(contains(context.output(), "east"));
    context.given.overrides.deployment.reset();
    context.write("default = \"east\"\n" + deployment("east", "") + deployment("west", ""));
    CHECK(context.run({"check"}) == ExitCode::done);
    CHECK_FALSE(contains(context.output(), "west"));
}

TEST_CASE("config names lists what flags can name, and one kind alone") {
    ConfigContext context;
    context.write(
        std::string("default = \"main\"\n") + kTwoShards +
        "policies = [{ name = \"core\", key = \"core:{client}\", limit = 60, period = \"1h\", classes = { gold = 1 } "
        "},\n"
        "            { name = \"search\", key = \"s:{client}\", limit = 6, period = \"1m\", classes = { gold = 2 } }]\n"
        "[deployments.spare]\nshards = [{ name = \"c\", primary = \"redis://10.0.0.3\" }]\n");
    context.given.output = "csv";
    context.given.overrides.deployment = "main";
    CHECK(context.run({"names"}) == ExitCode::done);
    CHECK(context.output() ==
          "name,kind\nmain,deployment\nspare,deployment\ncore,policy\nsearch,policy\na,shard\nb,shard\n"
          "gold,class\n");
    context.given.output = "name";
    const std::pair<const char*, const char*> kinds[] = {
        {"deployments", "main\nspare\n"}, {"policies", "core\nsearch\n"}, {"shards", "a\nb\n"}, {"classes", "gold\n"}};
    for (const auto& [kind, names] : kinds) {
        CHECK(context.run({"names", kind}) == ExitCode::done);
        CHECK(context.output() == names);
    }
    context.given.overrides.deployment = "spare";
    CHECK(context.run({"names", "shards"}) == ExitCode::done);
    CHECK(context.output() == "c\n");
    CHECK(context.errors().empty());
}
