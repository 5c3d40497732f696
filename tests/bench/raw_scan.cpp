// SCAN COUNT 1000 over a whole server, keys only and thrown away: what a sweep costs before any value is looked at.
//   raw_scan PORT        prints how many keys came
#include <cstdio>
#include <exception>

#include "bench/plain_connection.h"

namespace {

using ratectl::bench::append_argument;
using ratectl::bench::number_of;
using ratectl::bench::PlainConnection;

std::string page_from(std::string_view cursor) {
    std::string request = "*4\r\n$4\r\nSCAN\r\n";
    append_argument(request, cursor);
    return request + "$5\r\nCOUNT\r\n$4\r\n1000\r\n";
}

std::uint64_t scan(std::uint16_t port) {
    PlainConnection server(port);
    server.send(page_from("0"));
    for (std::uint64_t keys = 0;;) {
        server.header('*');
        const std::string cursor(server.bulk());
        // The next page is asked for while this one is read.
        if (cursor != "0") server.send(page_from(cursor));
        const std::int64_t count = server.header('*');
        for (std::int64_t i = 0; i < count; ++i) server.bulk();
        keys += static_cast<std::uint64_t>(count);
        if (cursor == "0") return keys;
    }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) throw std::invalid_argument("usage: raw_scan PORT");
    std::printf("%llu\n", static_cast<unsigned long long>(scan(static_cast<std::uint16_t>(number_of(argv[1])))));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "raw_scan: %s\n", error.what());
    return 1;
}
