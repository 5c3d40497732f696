// Runs a program in the terminal of a test and stays when that has ended: tmux takes what the terminal's first process
// said last for all there is when that process has ended, and may lose the rest. How the program fares is told in the
// terminal's title, behind everything that it has said: `runs PID`, `exit CODE`, `signal NUMBER`.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

namespace {

constexpr std::array kOfTheProgram{SIGINT, SIGQUIT, SIGTSTP, SIGTTOU, SIGTTIN};

void say(const char* what, int number) {
    std::array<char, 64> title{};
    // CAN ends a sequence that a program has left unfinished.
    const int size = std::snprintf(title.data(), title.size(), "\x18\x1b]2;%s %d\x1b\\", what, number);
    for (int sent = 0; sent < size;) {
        const auto n = ::write(STDOUT_FILENO, title.data() + sent, static_cast<std::size_t>(size - sent));
        if (n < 0 && errno != EINTR) return;
        if (n > 0) sent += static_cast<int>(n);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    for (const int signal : kOfTheProgram) ::signal(signal, SIG_IGN);
    std::array<int, 2> told{};
    if (::pipe(told.data()) != 0) return 1;
    const pid_t pid = ::fork();
    if (pid < 0) return 1;
    if (pid == 0) {
        // A sanitizer that looks for leaks when the terminal goes may lose its helper to the hang-up, and waits
        // forever.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (const int signal : kOfTheProgram) ::signal(signal, SIG_DFL);
        char byte = 0;
        ::close(told[1]);
        while (::read(told[0], &byte, 1) < 0 && errno == EINTR) {
        }
        ::close(told[0]);
        ::execvp(argv[1], argv + 1);
        ::_exit(127);
    }
    ::close(told[0]);
    say("runs", pid);
    ::close(told[1]);  // now it begins
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        say("signal", WTERMSIG(status));
    } else {
        say("exit", WEXITSTATUS(status));
    }
    for (;;) ::pause();
}
