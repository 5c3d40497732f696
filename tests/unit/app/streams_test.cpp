// Standard streams at the edge: closed readers, full disks, signals while waiting.
#include "app/streams.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <csignal>
#include <thread>

#include "support/catch.h"
#include "support/error.h"
#include "support/failure_of.h"

namespace {

using ratectl::app::ErrorStream;
using ratectl::app::InputStream;
using ratectl::app::OutputStream;
using ratectl::support::ExitCode;
using ratectl::support::Patience;
using ratectl::support::StopSignal;
using ratectl::test::failure_of;

struct Pipe {
    Pipe() { REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_reader();
        close_writer();
    }
    int reader() const { return ends[0]; }
    int writer() const { return ends[1]; }
    void close_reader() { close_end(0); }
    void close_writer() { close_end(1); }
    std::string read_all() {
        close_writer();
        std::string all;
        std::array<char, 4096> buffer{};
        ssize_t n = 0;
        while ((n = ::read(ends[0], buffer.data(), buffer.size())) > 0)
            all.append(buffer.data(), static_cast<std::size_t>(n));
        return all;
    }

private:
    void close_end(std::size_t i) {
        if (ends[i] >= 0) ::close(ends[i]);
        ends[i] = -1;
    }
    std::array<int, 2> ends{-1, -1};
};

std::chrono::steady_clock::time_point in_a_moment() {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
}

StopSignal* current_stop = nullptr;

/// Sends this thread SIGUSR1 after a while; its handler sets the stop, as the real one does for SIGINT.
class SignalLater {
public:
    explicit SignalLater(StopSignal& stop) {
        current_stop = &stop;
        struct sigaction action {};
        action.sa_handler = [](int) { current_stop->set(SIGINT); };
        ::sigaction(SIGUSR1, &action, nullptr);
        thread_ = std::thread([target = ::pthread_self()] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            ::pthread_kill(target, SIGUSR1);
        });
    }
    ~SignalLater() { thread_.join(); }

private:
    std::thread thread_;
};

}  // namespace

TEST_CASE("output is kept until it is flushed and comes out in order") {
    Pipe pipe;
    const StopSignal stop;
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    out.write("one ");
    out.write("two ");
    out.flush();
    const std::string big(50000, 'x');
    out.write(big);
    out.write("end");
    out.flush();
    CHECK((pipe.read_all() == "one two " + big + "end"));
}

TEST_CASE("a piece larger than the buffer is written whole and in its place") {
    Pipe pipe;
    const StopSignal stop;
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    const std::string huge(300000, 'y');
    std::string seen;
    std::thread reader([&] {
        std::array<char, 4096> buffer{};
        ssize_t n = 0;
        while ((n = ::read(pipe.reader(), buffer.data(), buffer.size())) > 0)
            seen.append(buffer.data(), static_cast<std::size_t>(n));
    });
    out.write("a");
    out.write(huge);
    out.write("b");
    out.flush();
    pipe.close_writer();
    reader.join();
    CHECK((seen == "a" + huge + "b"));
}

TEST_CASE("a closed reader is its own ending and is said once") {
    ::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    pipe.close_reader();
    const StopSignal stop;
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    out.write("lost");
    CHECK(failure_of([&] { out.flush(); }).code == ExitCode::output_closed);
    out.write("ignored");
    CHECK_NOTHROW(out.flush());
}

TEST_CASE("a reader that has gone is noticed without a write") {
    Pipe pipe;
    StopSignal stop;
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    out.write("kept until it is flushed");
    CHECK_NOTHROW(out.check_reader());
    pipe.close_reader();
    CHECK(failure_of([&] { out.check_reader(); }).code == ExitCode::output_closed);
    CHECK_NOTHROW(out.flush());  // nothing more is written
}

TEST_CASE("a full disk is named") {
    const int fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    const StopSignal stop;
    const Patience patience(stop);
    OutputStream out(fd, patience);
    out.write("lost");
    const auto error = failure_of([&] { out.close(); });
    CHECK(error.code == ExitCode::local_io);
    CHECK(error.message == "cannot write standard output: No space left on device");
    ::close(fd);
}

// Rows of windows that had been changed went missing when the signal came while the pipe was full.
TEST_CASE("what was written before a signal reaches a reader that is slow") {
    Pipe pipe;
    StopSignal stop;
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    const SignalLater later(stop);
    const std::string more_than_a_pipe_holds(1 << 20, 'z');
    std::string seen;
    std::thread reader([&] {
        std::array<char, 16384> buffer{};
        while (stop.count() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        for (ssize_t n = 0; (n = ::read(pipe.reader(), buffer.data(), buffer.size())) > 0;)
            seen.append(buffer.data(), static_cast<std::size_t>(n));
    });
    out.write(more_than_a_pipe_holds);
    out.write("the end");
    out.flush();
    pipe.close_writer();
    reader.join();
    CHECK((seen == more_than_a_pipe_holds + "the end"));
}

TEST_CASE("a second signal hands on what the reader takes at once and waits for nothing") {
    Pipe pipe;
    StopSignal stop;
    stop.set(SIGINT);
    stop.set(SIGINT);
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    CHECK(failure_of([&] { out.write(std::string(1 << 20, 'z')); }).code == ExitCode::interrupted);
    CHECK(pipe.read_all().size() >= PIPE_BUF);
}

// A row of a format with a row a line was cut in two.
TEST_CASE("what a second signal leaves unread ends with a whole line") {
    Pipe pipe;
    StopSignal stop;
    stop.set(SIGINT);
    stop.set(SIGINT);
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    std::string line(99, 'z');
    line += '\n';
    const auto write_all = [&] {
        for (int i = 0; i < 10'000; ++i) out.write(line);
        out.flush();
    };
    CHECK(failure_of(write_all).code == ExitCode::interrupted);
    const auto seen = pipe.read_all();
    CHECK(seen.size() >= PIPE_BUF / line.size() * line.size());
    CHECK(seen.size() % line.size() == 0);
}

TEST_CASE("a signal ends a write that waits for its reader") {
    Pipe pipe;
    StopSignal stop;
    const Patience patience(stop);
    OutputStream out(pipe.writer(), patience);
    const SignalLater later(stop);
    const std::string more_than_a_pipe_holds(1 << 20, 'z');
    CHECK(failure_of([&] { out.write(more_than_a_pipe_holds); }).code == ExitCode::interrupted);
}

TEST_CASE("a signal ends the wait for input") {
    Pipe pipe;
    StopSignal stop;
    const Patience patience(stop);
    InputStream in(pipe.reader(), patience);
    const SignalLater later(stop);
    std::array<char, 10> buffer{};
    CHECK(failure_of([&] { in.read(buffer); }).code == ExitCode::interrupted);
}

TEST_CASE("a deadline ends the wait for input and the reading of what never ends") {
    Pipe pipe;
    const StopSignal stop;
    const Patience patience(stop, in_a_moment());
    InputStream in(pipe.reader(), patience);
    std::array<char, 10> buffer{};
    const auto error = failure_of([&] { in.read(buffer); });
    CHECK(error.code == ExitCode::unavailable);
    CHECK(error.message == "the deadline passed while reading standard input");
    REQUIRE(::write(pipe.writer(), "abc", 3) == 3);
    CHECK(failure_of([&] { in.read(buffer); }).code == ExitCode::unavailable);
}

TEST_CASE("a deadline ends a write that waits for its reader and what was written before it still comes out") {
    Pipe pipe;
    const StopSignal stop;
    const Patience patience(stop, in_a_moment());
    OutputStream out(pipe.writer(), patience);
    const std::string more_than_a_pipe_holds(1 << 20, 'z');
    CHECK(failure_of([&] { out.write(more_than_a_pipe_holds); }).code == ExitCode::unavailable);
    Pipe other;
    OutputStream late(other.writer(), patience);
    late.write("what was done");
    CHECK_NOTHROW(late.flush());
    CHECK(other.read_all() == "what was done");
}

TEST_CASE("messages that nobody reads do not outlast the deadline") {
    Pipe pipe;
    const StopSignal stop;
    const Patience patience(stop, in_a_moment());
    ErrorStream err(pipe.writer(), patience);
    err.write(std::string(1 << 20, 'z'));
    CHECK(patience.is_over());
}

TEST_CASE("input says whether it would wait") {
    Pipe pipe;
    const StopSignal stop;
    const Patience patience(stop);
    InputStream in(pipe.reader(), patience);
    CHECK_FALSE(in.ready());
    REQUIRE(::write(pipe.writer(), "abc", 3) == 3);
    CHECK(in.ready());
    std::array<char, 10> buffer{};
    CHECK(in.read(buffer) == 3);
    pipe.close_writer();
    CHECK(in.ready());
    CHECK(in.read(buffer) == 0);
    CHECK(in.name() == "standard input");
}

TEST_CASE("input that cannot be read is a local failure") {
    const int fd = ::open("/", O_RDONLY | O_CLOEXEC);
    const StopSignal stop;
    const Patience patience(stop);
    InputStream in(fd, patience);
    std::array<char, 10> buffer{};
    const auto error = failure_of([&] { in.read(buffer); });
    CHECK(error.code == ExitCode::local_io);
    CHECK(error.message == "cannot read standard input: Is a directory");
    ::close(fd);
}

TEST_CASE("standard error never fails") {
    ::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    pipe.close_reader();
    const Patience patience;
    ErrorStream err(pipe.writer(), patience);
    CHECK_NOTHROW(err.write("nobody hears this"));
}

TEST_CASE("the two ways of being told to stop have two exit codes") {
    StopSignal by_keyboard;
    by_keyboard.set(SIGINT);
    StopSignal by_system;
    by_system.set(SIGHUP);
    const auto said = [](const StopSignal& stop) { return failure_of([&] { Patience(stop).require("waiting"); }); };
    CHECK(said(by_keyboard).code == ExitCode::interrupted);
    CHECK(said(by_keyboard).message == "interrupted while waiting");
    CHECK(said(by_system).code == ExitCode::terminated);
}
