// Fills a server with windows, the same ones every time: core:user:000000000042 and its :exp half, one after the other.
//   load_windows PORT FIRST COUNT RESET_AT
// Counters are 0 to 4999 for 99 % of the windows, from 5000 for 1 %, from 9000 for 0.01 %.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "bench/plain_connection.h"

namespace {

using ratectl::bench::append_argument;
using ratectl::bench::number_of;
using ratectl::bench::PlainConnection;

/// The same number for the same id, spread evenly (splitmix64).
std::uint64_t spread(std::uint64_t id) {
    std::uint64_t x = id * 0x9e3779b97f4a7c15 + 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

std::uint64_t used_of(std::uint64_t id) {
    const std::uint64_t draw = spread(id) % 10'000;
    const std::uint64_t rest = spread(id + (std::uint64_t{1} << 40)) % 5000;
    if (draw == 0) return 9000 + rest % 1000;
    return draw < 100 ? 5000 + rest % 1000 : rest;
}

void append_set(std::string& request, std::string_view key, std::string_view value, std::string_view expires_at) {
    request += "*5\r\n$3\r\nSET\r\n";
    append_argument(request, key);
    append_argument(request, value);
    request += "$4\r\nEXAT\r\n";
    append_argument(request, expires_at);
}

void load(std::uint16_t port, std::uint64_t first, std::uint64_t count, std::uint64_t reset_at) {
    constexpr std::uint64_t kAtOnce = 500;
    PlainConnection server(port);
    const std::string reset = std::to_string(reset_at);
    const std::string expires_at = std::to_string(reset_at + 1);
    for (std::uint64_t begin = first; begin < first + count; begin += kAtOnce) {
        const std::uint64_t end = std::min(begin + kAtOnce, first + count);
        std::string request;
        for (std::uint64_t id = begin; id < end; ++id) {
            std::string key = std::to_string(id);
            key.insert(0, "core:user:" + std::string(12 - std::min<std::size_t>(12, key.size()), '0'));
            append_set(request, key, std::to_string(used_of(id)), expires_at);
            append_set(request, key + ":exp", reset, expires_at);
        }
        server.send(request);
        for (std::uint64_t i = 0; i < 2 * (end - begin); ++i) {
            const std::string_view answer = server.line();
            if (answer != "+OK") throw std::runtime_error(std::string(answer));
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 5) throw std::invalid_argument("usage: load_windows PORT FIRST COUNT RESET_AT");
    load(static_cast<std::uint16_t>(number_of(argv[1])), number_of(argv[2]), number_of(argv[3]), number_of(argv[4]));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "load_windows: %s\n", error.what());
    return 1;
}
