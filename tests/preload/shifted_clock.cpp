// A wall clock that is wrong, for LD_PRELOAD: RATECTL_TEST_CLOCK_SHIFT_MS milliseconds ahead (or behind). Steady clocks
// stay as they are.
#include <dlfcn.h>
#include <sys/time.h>

#include <cstdlib>
#include <ctime>

namespace {

constexpr long kNanosAMilli = 1'000'000;
constexpr long kNanosASecond = 1'000'000'000;

long shift_ms() {
    static const long kShift = [] {
        const char* text = std::getenv("RATECTL_TEST_CLOCK_SHIFT_MS");
        return text == nullptr ? 0L : std::strtol(text, nullptr, 10);
    }();
    return kShift;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    using Real = int (*)(clockid_t, timespec*);
    static const auto kReal = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "clock_gettime"));
    const int result = kReal(clock, time);
    if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
    const long nanos = time->tv_nsec + shift_ms() % 1000 * kNanosAMilli;
    time->tv_sec += shift_ms() / 1000 + (nanos >= kNanosASecond ? 1 : nanos < 0 ? -1 : 0);
    time->tv_nsec = (nanos + kNanosASecond) % kNanosASecond;
    return 0;
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

extern "C" time_t time(time_t* into) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (into != nullptr) *into = now.tv_sec;
    return now.tv_sec;
}
