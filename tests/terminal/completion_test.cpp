// Completion in a real bash, zsh and fish: what Tab offers, what is typed for the user, and that no name is ever run.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/run_ratectl.h"
#include "support/terminal_session.h"

namespace {

namespace fs = std::filesystem;
using namespace ratectl::test;

/// Names as nasty as a configuration allows them: each would make a file called pwned if a shell evaluated it.
constexpr const char* kConfiguration = R"(default = "main"
[deployments.main]
sharding = "modulo"
[[deployments.main.shards]]
name = "alpha"
primary = "redis://127.0.0.1:1"
[[deployments.main.shards]]
name = "b`touch pwned`"
primary = "redis://127.0.0.1:2"
[[deployments.main.policies]]
name = "it's \"$(touch pwned)\"; touch pwned"
key = "core:{client}"
limit = 60
period = "1h"
classes = { "gold & touch pwned" = 100 }
[deployments."trap $(touch pwned) `touch pwned`"]
password_command = "touch pwned"
[[deployments."trap $(touch pwned) `touch pwned`".shards]]
name = "shard-of-the-trap"
primary = "redis://127.0.0.1:3"
)";

struct Shell {
    std::string program;
    std::vector<std::string> arguments;
    std::vector<std::string> setup;  // lines typed first
};

const Shell kBash{"bash", {"--norc", "--noprofile"}, {"PS1='ready> '", "source <(ratectl completion bash)"}};
const Shell kZsh{
    "zsh", {"-f"}, {"PS1='ready> '", "autoload -Uz compinit && compinit -D -u", "source <(ratectl completion zsh)"}};
const Shell kFish{
    "fish", {"--no-config"}, {"function fish_prompt; echo -n 'ready> '; end", "ratectl completion fish | source"}};

/// A shell that has ratectl's completion, in a folder where nothing may appear.
class CompletingShell {
public:
    CompletingShell(const Shell& shell, const std::string& configuration)
        : folder_(ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()),
          session_(shell.arguments, options(shell, configuration)) {
        for (const std::string& line : shell.setup) enter(line);
        enter("echo all set | tr a-z A-Z");
        session_.wait_for("ALL SET");
    }

    void enter(const std::string& line) {
        session_.type(line);
        session_.press("Enter");
    }
    /// Types on an empty line, presses Tab and waits for that on the screen.
    void expect(const std::string& typed, const std::string& shown) {
        session_.press("C-u");
        const std::string mark = "step " + std::to_string(++step_);
        enter("clear; echo " + mark);
        session_.wait_until(mark, [&](const std::string& screen) { return screen.starts_with(mark); });
        session_.type(typed);
        session_.press("Tab");
        if (shown.empty()) return;
        session_.wait_until("'" + shown + "' after '" + typed + "' and Tab",
                            [&](const std::string& screen) { return screen.find(shown) != std::string::npos; });
    }
    TerminalSession& session() { return session_; }
    bool is_pwned() const { return fs::exists(folder_.path() + "/pwned"); }

private:
    TerminalOptions options(const Shell& shell, const std::string& configuration) const {
        std::ofstream(folder_.path() + "/ratectl.toml") << configuration;
        TerminalOptions result;
        result.program = shell.program;
        result.columns = 120;
        result.folder = folder_.path();
        result.environment["PATH"] = fs::path(ratectl_binary()).parent_path().string() + ":/usr/bin:/bin";
        result.environment["RATECTL_CONFIG"] = folder_.path() + "/ratectl.toml";
        return result;
    }

    ratectl::sandbox::TemporaryFolder folder_;
    TerminalSession session_;
    int step_ = 0;
};

void walk(const Shell& shell) {
    CompletingShell at(shell, kConfiguration);
    at.expect("ratectl sand", "ratectl sandbox");
    at.expect("ratectl scan --resets", "--resets-within");
    at.expect("ratectl scan --state orphan-c", "orphan-counter");
    at.expect("ratectl scan --shard al", "--shard alpha");
    at.expect("ratectl scan --class go", "touch");
    at.expect("ratectl scan --shard ", "");
    at.session().press("Tab");
    at.session().wait_for("pwned");

    // What Tab typed is one word: ratectl gets the name itself.
    at.expect("ratectl -d tr", "pwned");
    at.enter(" config names shards -o csv --no-header");
    at.session().wait_for("shard-of-the-trap,shard");
    at.expect("ratectl -d tr", "pwned");
    at.session().type(" scan --shard ");
    at.session().press("Tab");
    at.session().wait_for("shard-of-the-trap");
    at.expect("ratectl scan --policy it", "pwned");
    at.enter(" --no-input");
    at.session().wait_for("cannot connect");
    CHECK_FALSE(at.is_pwned());
}

void refuse(const Shell& shell) {
    // No name can hold a line break; a file that says so gives no names, and the words of the language are still there.
    std::string configuration = kConfiguration;
    configuration.replace(configuration.find("name = \"alpha\""), 14, R"(name = "alpha\ntouch pwned")");
    CompletingShell at(shell, configuration);
    at.expect("ratectl scan --shard al", "--shard al");
    at.expect("ratectl -c \"$(touch pwned)\" scan --shard al", "--shard al");
    at.expect("ratectl -d '`touch pwned`' scan --policy it", "--policy it");
    at.expect("ratectl sand", "ratectl sandbox");
    CHECK_FALSE(at.is_pwned());
}

}  // namespace

TEST_CASE("bash completes commands flags and names and runs none of them") {
    if (!has_tmux()) return;
    walk(kBash);
    refuse(kBash);
}

TEST_CASE("zsh completes commands flags and names and runs none of them") {
    if (!has_tmux()) return;
    walk(kZsh);
    refuse(kZsh);
}

TEST_CASE("fish completes commands flags and names and runs none of them") {
    if (!has_tmux()) return;
    walk(kFish);
    refuse(kFish);
}
