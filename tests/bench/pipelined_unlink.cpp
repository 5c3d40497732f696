// UNLINK of both halves of every window named on standard input, DEPTH windows in flight: the plain way to reset many.
//   pipelined_unlink PORT DEPTH <keys      prints how many keys were removed
#include <cstdio>
#include <exception>
#include <iostream>

#include "bench/plain_connection.h"

namespace {

using ratectl::bench::append_argument;
using ratectl::bench::number_of;
using ratectl::bench::PlainConnection;

std::int64_t unlink_all(std::uint16_t port, std::size_t depth) {
    PlainConnection server(port);
    std::int64_t removed = 0;
    std::string request;
    std::string key;
    for (bool more = true; more;) {
        request.clear();
        std::size_t asked = 0;
        while (asked < depth && (more = static_cast<bool>(std::getline(std::cin, key)))) {
            request += "*3\r\n$6\r\nUNLINK\r\n";
            append_argument(request, key);
            append_argument(request, key + ":exp");
            ++asked;
        }
        server.send(request);
        for (; asked > 0; --asked) removed += server.header(':');
    }
    return removed;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) throw std::invalid_argument("usage: pipelined_unlink PORT DEPTH");
    std::ios::sync_with_stdio(false);
    std::printf("%lld\n",
                static_cast<long long>(unlink_all(static_cast<std::uint16_t>(number_of(argv[1])), number_of(argv[2]))));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "pipelined_unlink: %s\n", error.what());
    return 1;
}
