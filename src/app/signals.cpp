// The handlers do nothing but set a flag and write one byte.
#include "app/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace ratectl::app {
namespace {

constexpr int kEnough = 3;

support::StopSignal* the_stop = nullptr;
int wake_writer = -1;

extern "C" void on_stop_signal(int number) {
    const int saved = errno;
    the_stop->set(number);
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
    // Without a pipe (no descriptors left) a signal still interrupts whatever waits; only a race before the wait is lost.
    if (::pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) pipe_ends = {-1, -1};
    static support::StopSignal stop(pipe_ends[0]);
    the_stop = &stop;
    wake_writer = pipe_ends[1];
    // Both are errors of write(), too, and are reported as such.
    for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_IGN);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) handle(number);
    return stop;
}

}  // namespace ratectl::app
