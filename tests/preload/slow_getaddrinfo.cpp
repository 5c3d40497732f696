// A resolver that hangs, for LD_PRELOAD: getaddrinfo sleeps RATECTL_TEST_DNS_DELAY_MS milliseconds before the real one
// is asked.
#include <dlfcn.h>
#include <netdb.h>

#include <cstdlib>
#include <ctime>

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
    if (const char* delay = std::getenv("RATECTL_TEST_DNS_DELAY_MS")) {
        const long ms = std::strtol(delay, nullptr, 10);
        timespec left{ms / 1000, (ms % 1000) * 1000000};
        while (nanosleep(&left, &left) != 0) {
        }
    }
    using Real = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto kReal = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "getaddrinfo"));
    return kReal(node, service, hints, found);
}
