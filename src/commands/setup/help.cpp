// Declares the commands help and completion; the parser answers them.
#include "commands/all_commands.h"

namespace ratectl::commands {
namespace {

struct HelpRequest {
    std::vector<std::string> words;
    bool manual = false;
};

void bind_help(Syntax syntax, HelpRequest& request) {
    syntax.add_option("TOPIC", request.words, "a command, a command and its sub-command, or a topic");
    syntax.add_flag("--man", request.manual, "print the manual page in roff instead");
}

struct CompletionRequest {
    std::string shell;
};

void bind_completion(Syntax syntax, CompletionRequest& request) {
    syntax.add_option("SHELL", request.shell, "the shell to complete in").type_name("bash|zsh|fish").required();
}

template <class Request>
ExitCode answered_before(const Request&, Context&) {
    throw support::Failure(ExitCode::bug, "this command is answered while the command line is read");
}

}  // namespace

Command help_command() {
    return {"help", Group::set_up, "help on a command or a topic",
            "# everything about one command\n"
            "ratectl help check\n"
            "# what the exit codes promise\n"
            "ratectl help exit-codes",
            bind_request<HelpRequest, bind_help, answered_before<HelpRequest>>};
}

Command completion_command() {
    return {"completion", Group::set_up, "a completion script for bash, zsh or fish",
            "# in bash, for this session\n"
            "source <(ratectl completion bash)\n"
            "# in fish, for good\n"
            "ratectl completion fish > ~/.config/fish/completions/ratectl.fish",
            bind_request<CompletionRequest, bind_completion, answered_before<CompletionRequest>>};
}

}  // namespace ratectl::commands
