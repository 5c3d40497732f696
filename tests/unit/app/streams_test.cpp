// Standard streams at the edge: closed readers, full disks, signals while waiting.
#include "app/streams.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
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
    OutputStream out(pipe.writer(), stop);
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
    OutputStream out(pipe.writer(), stop);
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
    OutputStream out(pipe.writer(), stop);
    out.write("lost");
    CHECK(failure_of([&] { out.flush(); }).code == ExitCode::output_closed);
    out.write("ignored");
    CHECK_NOTHROW(out.flush());
}

TEST_CASE("a reader that has gone is noticed without a write") {
    Pipe pipe;
    StopSignal stop;
    OutputStream out(pipe.writer(), stop);
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
    OutputStream out(fd, stop);
    out.write("lost");
    const auto error = failure_of([&] { out.close(); });
    CHECK(error.code == ExitCode::local_io);
    CHECK(error.message == "cannot write standard output: No space left on device");
    ::close(fd);
}

TEST_CASE("a signal ends a write that waits for its reader") {
    Pipe pipe;
    StopSignal stop;
    OutputStream out(pipe.writer(), stop);
    const SignalLater later(stop);
    const std::string more_than_a_pipe_holds(1 << 20, 'z');
    CHECK(failure_of([&] { out.write(more_than_a_pipe_holds); }).code == ExitCode::interrupted);
}

TEST_CASE("a signal ends the wait for input") {
    Pipe pipe;
    StopSignal stop;
    InputStream in(pipe.reader(), stop);
    const SignalLater later(stop);
    std::array<char, 10> buffer{};
    CHECK(failure_of([&] { in.read(buffer); }).code == ExitCode::interrupted);
}

TEST_CASE("a deadline ends the wait for input but not what is there already") {
    Pipe pipe;
    const StopSignal stop;
    InputStream in(pipe.reader(), stop);
    in.wait_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    std::array<char, 10> buffer{};
    CHECK(failure_of([&] { in.read(buffer); }).code == ExitCode::unavailable);
    REQUIRE(::write(pipe.writer(), "abc", 3) == 3);
    CHECK(in.read(buffer) == 3);
}

TEST_CASE("input says whether it would wait") {
    Pipe pipe;
    const StopSignal stop;
    InputStream in(pipe.reader(), stop);
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
    InputStream in(fd, stop);
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
    ErrorStream err(pipe.writer());
    CHECK_NOTHROW(err.write("nobody hears this"));
}

TEST_CASE("the two ways of being told to stop have two exit codes") {
    StopSignal by_keyboard;
    by_keyboard.set(SIGINT);
    StopSignal by_system;
    by_system.set(SIGHUP);
    CHECK(failure_of([&] { ratectl::app::throw_stopped(by_keyboard); }).code == ExitCode::interrupted);
    CHECK(failure_of([&] { ratectl::app::throw_stopped(by_system); }).code == ExitCode::terminated);
}
