// Commands that messages name: pasted into a shell as they stand, they act on what the message is about.
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

/// What stands behind `lead` to the end of the line, or of the backquotes.
std::string command_behind(const std::string& lead, const RunResult& result) {
    std::smatch found;
    REQUIRE(std::regex_search(result.err, found, std::regex(lead + "`?ratectl ([^\n`]*)")));
    return found[1];
}

RunResult paste(const std::string& command, const RunOptions& options) {
    return run_program("/bin/bash", {"-c", "exec '" + ratectl_binary() + "' " + command}, options);
}

}  // namespace

// It lacked the flags of the change, so that undo asked for a configuration, or refused another deployment or scheme.
TEST_CASE("the command that takes a change back is the one to paste") {
    WrittenDeployment box(std::string(kFree) + "\nscheme = \"counter\"");
    const auto url = box.server().endpoint().url();
    const auto consent = " --confirm " + url.substr(8);
    RunOptions options;
    options.environment["XDG_STATE_HOME"] = box.file("state");
    const std::vector<std::vector<std::string>> ways{
        {"-u", url, "--scheme", "express", "-y", "--confirm", url.substr(8)},
        {"-c", box.config_file(), "-d", "box"},
        {"-c", box.config_file(), "--scheme", "express", "--journal", box.file("another journal.db")}};
    for (const auto& way : ways) {
        std::vector<std::string> change{"increment", "core:1", "--amount", "5", "--period", "1h"};
        change.insert(change.end(), way.begin(), way.end());
        const auto done = run_ratectl(change, options);
        INFO(done.err);
        REQUIRE(done.code == 0);
        const auto undo = command_behind("to take it back: ", done);
        CHECK_FALSE(contains(undo, "--confirm"));
        const auto undone = paste(undo + (way.front() == "-u" ? consent : "") + " -y", options);
        INFO(undone.err);
        CHECK(undone.code == 0);
        CHECK(box.server().command({"EXISTS", "core:1"}) == "0");
    }
}

TEST_CASE("the command that applies a plan is the one to paste") {
    WrittenDeployment box(kFree);
    RunOptions options;
    options.environment["XDG_STATE_HOME"] = box.file("state");
    const auto planned =
        run_ratectl({"increment", "core:1", "--plan", box.file("a plan"), "-c", box.config_file()}, options);
    INFO(planned.err);
    CHECK(paste(command_behind("planned: ", planned), options).code == 0);
    CHECK(box.stored("core:1") == "1");
}

TEST_CASE("a pasted command names no user and no password of a server") {
    WrittenDeployment box(kFree);
    auto& server = box.server();
    server.command({"ACL", "SETUSER", "ops", "on", "nopass", "~*", "+@all"});
    const auto url = "redis://ops@" + server.endpoint().url().substr(8);
    const auto done = run_ratectl(
        {"increment", "core:1", "--period", "1h", "-u", url, "-y", "--confirm", server.endpoint().url().substr(8)});
    INFO(done.err);
    CHECK(done.code == 0);
    CHECK(contains(done.err, "to take it back: ratectl -u URL undo "));
}
