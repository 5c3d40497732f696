// Starts the pager behind a pipe that takes the place of standard output; the pager itself has the terminal.
#include "app/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "support/descriptor.h"

namespace ratectl::app {
namespace {

bool is_installed(const std::string& program, const std::optional<std::string>& path) {
    std::string_view folders = path ? std::string_view(*path) : std::string_view();
    while (!folders.empty()) {
        const auto folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
        if (folder.starts_with('/') && ::access((std::string(folder) + '/' + program).c_str(), X_OK) == 0) return true;
    }
    return false;
}

/// As ours, without what only we may know. less ends by itself where one page is enough, and starts no other program.
std::vector<std::string> environment_of_pager() {
    std::vector<std::string> variables{"LESSSECURE=1"};
    bool says_how = false;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (text.starts_with("REDISCLI_AUTH=") || text.starts_with("LESSSECURE=")) continue;
        says_how = says_how || text.starts_with("LESS=");
        variables.emplace_back(text);
    }
    if (!says_how) variables.emplace_back("LESS=FRX");
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Errno, 0 when it runs. Signals as in a fresh process; in our group, since the terminal is for both.
int spawn_reader(const std::string& command, int input, pid_t& pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::vector<std::string> words{"sh", "-c", command};
    auto variables = environment_of_pager();
    const int error =
        ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, pointers_to(words).data(), pointers_to(variables).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    return error;
}

}  // namespace

std::optional<std::string> pager_of(const TerminalFacts& facts, const Env& env) {
    if (!facts.in || !facts.out || env("TERM").value_or("dumb") == "dumb") return std::nullopt;
    auto wanted = env("RATECTL_PAGER");
    if (!wanted) wanted = env("PAGER");
    if (!wanted && is_installed("less", env("PATH"))) wanted = "less";
    if (!wanted || wanted->empty() || *wanted == "cat") return std::nullopt;
    return wanted;
}

std::unique_ptr<Pager> Pager::start(const std::string& command) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return nullptr;
    const support::Descriptor input(ends[0]);
    const support::Descriptor output(ends[1]);
    pid_t pid = 0;
    const bool runs = spawn_reader(command, input.get(), pid) == 0;
    if (runs) ::dup2(output.get(), STDOUT_FILENO);
    return runs ? std::unique_ptr<Pager>(new Pager(pid)) : nullptr;
}

Pager::~Pager() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
}

}  // namespace ratectl::app
