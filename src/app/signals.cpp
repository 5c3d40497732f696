// Signal handlers; they do nothing but set a flag and write one byte.
#include "app/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

namespace ratectl::app {

struct KeptTerminal {
    termios settings{};
    std::string leaving;
};

namespace {

constexpr int kEnough = 3;

support::StopSignal* the_stop = nullptr;
int wake_writer = -1;
std::atomic<KeptTerminal*> the_terminal = nullptr;
static_assert(std::atomic<KeptTerminal*>::is_always_lock_free);

/// In a handler. A terminal that takes nothing, after Ctrl-S, is not waited for.
void put_terminal_back() {
    const KeptTerminal* kept = the_terminal;
    if (kept == nullptr) return;
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    if (::poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0) {
        [[maybe_unused]] const ssize_t n = ::write(STDOUT_FILENO, kept->leaving.data(), kept->leaving.size());
    }
    ::tcsetattr(STDIN_FILENO, TCSANOW, &kept->settings);
}

extern "C" void on_stop_signal(int number) {
    const int saved = errno;
    the_stop->set(number);
    if (the_stop->count() == kEnough) put_terminal_back();
    if (the_stop->count() >= kEnough) ::_exit(number == SIGINT ? 130 : 143);
    [[maybe_unused]] const ssize_t n = ::write(wake_writer, "s", 1);
    errno = saved;
}

void handle(int number) {
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
    struct sigaction action {};
    action.sa_handler = on_stop_signal;  // no SA_RESTART: a blocked read or write must notice
    ::sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
}

}  // namespace

const support::StopSignal& install_signal_handlers() {
    std::array<int, 2> pipe_ends{-1, -1};
    // Without a pipe (no descriptors left) a signal still interrupts whatever waits; only a race before the wait is
    // lost.
    if (::pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) pipe_ends = {-1, -1};
    static support::StopSignal stop(pipe_ends[0]);
    the_stop = &stop;
    wake_writer = pipe_ends[1];
    // Both are errors of write(), too, and are reported as such.
    for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_IGN);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) handle(number);
    return stop;
}

TerminalKeeper::TerminalKeeper() : kept_(std::make_unique<KeptTerminal>()) {
    if (::tcgetattr(STDIN_FILENO, &kept_->settings) != 0) kept_.reset();
}

TerminalKeeper::~TerminalKeeper() { the_terminal = nullptr; }

void TerminalKeeper::guard(std::string leaving) {
    if (!kept_) return;
    kept_->leaving = std::move(leaving);
    the_terminal = kept_.get();
}

}  // namespace ratectl::app
