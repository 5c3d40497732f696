// One of the server's other clients: a GET, 0.2 ms of rest, the next. Says how long its answers took.
//   neighbour PORT WINDOWS        until standard input ends; prints one JSON object, times in microseconds
// A client that waits for its answer asks nothing while it waits, so a long wait counts once: `p99` understates them.
// `p99_filled_in` adds the questions that would have been asked meanwhile, each with what was left of the wait.
#include <poll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <random>
#include <thread>

#include "bench/plain_connection.h"

namespace {

using ratectl::bench::append_argument;
using ratectl::bench::number_of;
using ratectl::bench::PlainConnection;
using Clock = std::chrono::steady_clock;
using Times = std::vector<std::int64_t>;

constexpr std::chrono::microseconds kRest{200};

bool input_has_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, 0) > 0;
}

Times ask_until_told(std::uint16_t port, std::uint64_t windows) {
    ::prctl(PR_SET_TIMERSLACK, 1);
    PlainConnection server(port);
    std::mt19937_64 random(7);
    Times times;
    while (!input_has_ended()) {
        std::string key = std::to_string(random() % windows);
        key.insert(0, "core:user:" + std::string(12 - std::min<std::size_t>(12, key.size()), '0'));
        std::string request = "*2\r\n$3\r\nGET\r\n";
        append_argument(request, key);
        const auto asked = Clock::now();
        server.send(request);
        server.bulk();
        times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - asked).count());
        std::this_thread::sleep_for(kRest);
    }
    return times;
}

std::int64_t share(const Times& sorted, double part) {
    if (sorted.empty()) return 0;
    const auto place = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
    return sorted[std::min(place, sorted.size() - 1)];
}

Times filled_in(const Times& times) {
    Times all = times;
    for (const std::int64_t time : times) {
        for (std::int64_t rest = time - kRest.count(); rest > kRest.count(); rest -= kRest.count()) all.push_back(rest);
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) throw std::invalid_argument("usage: neighbour PORT WINDOWS");
    Times times = ask_until_told(static_cast<std::uint16_t>(number_of(argv[1])), number_of(argv[2]));
    Times filled = filled_in(times);
    std::ranges::sort(times);
    std::ranges::sort(filled);
    const auto say = [](const char* name, std::int64_t value, const char* end) {
        std::printf("\"%s\":%lld%s", name, static_cast<long long>(value), end);
    };
    std::printf("{");
    say("answers", static_cast<std::int64_t>(times.size()), ",");
    say("p50", share(times, 0.5), ",");
    say("p99", share(times, 0.99), ",");
    say("p99_filled_in", share(filled, 0.99), ",");
    say("p999", share(times, 0.999), ",");
    say("max", share(times, 1), "}\n");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "neighbour: %s\n", error.what());
    return 1;
}
