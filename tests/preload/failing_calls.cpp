// A system that fails once, for LD_PRELOAD: the RATECTL_TEST_FAIL_AT-th of the calls below fails with the errno
// RATECTL_TEST_FAIL_WITH; with RATECTL_TEST_FAIL_MEMORY set it is the allocations that are counted.
// RATECTL_TEST_FAIL_COUNT names a file that gets the number of calls at the end.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

struct Plan {
    long at = 0;
    int with = EIO;
    bool memory = false;
};

long number_in(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

const Plan& plan() {
    static const Plan kPlan{number_in("RATECTL_TEST_FAIL_AT", 0),
                            static_cast<int>(number_in("RATECTL_TEST_FAIL_WITH", EIO)),
                            std::getenv("RATECTL_TEST_FAIL_MEMORY") != nullptr};
    return kPlan;
}

std::atomic<long> calls = 0;
// Nothing fails before main(): the loader and static objects come first.
std::atomic<bool> armed = false;

bool fails(bool memory) {
    if (!armed || plan().memory != memory) return false;
    if (++calls != plan().at) return false;
    errno = plan().with;
    return true;
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void arm() {
    (void)plan();
    armed = true;
}

__attribute__((destructor)) void tell() {
    armed = false;
    const char* path = std::getenv("RATECTL_TEST_FAIL_COUNT");
    if (path == nullptr) return;
    char text[24];
    int size = 0;
    for (long left = calls; left > 0 || size == 0; left /= 10) text[size++] = static_cast<char>('0' + left % 10);
    const int fd = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (int i = size; fd >= 0 && i > 0; --i) (void)!::write(fd, &text[i - 1], 1);
    if (fd >= 0) ::close(fd);
}

}  // namespace

#define RATECTL_FAILING(result, name, parameters, arguments)             \
    extern "C" result name parameters {                                  \
        static auto* const kReal = next<result parameters>(#name);       \
        return fails(false) ? static_cast<result>(-1) : kReal arguments; \
    }

RATECTL_FAILING(ssize_t, write, (int fd, const void* from, size_t size), (fd, from, size))
RATECTL_FAILING(ssize_t, pwrite64, (int fd, const void* from, size_t size, off64_t at), (fd, from, size, at))
RATECTL_FAILING(ssize_t, writev, (int fd, const iovec* parts, int count), (fd, parts, count))
RATECTL_FAILING(ssize_t, read, (int fd, void* into, size_t size), (fd, into, size))
RATECTL_FAILING(ssize_t, pread64, (int fd, void* into, size_t size, off64_t at), (fd, into, size, at))
RATECTL_FAILING(ssize_t, send, (int fd, const void* from, size_t size, int flags), (fd, from, size, flags))
RATECTL_FAILING(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags))
RATECTL_FAILING(ssize_t, recv, (int fd, void* into, size_t size, int flags), (fd, into, size, flags))
RATECTL_FAILING(ssize_t, recvmsg, (int fd, msghdr* message, int flags), (fd, message, flags))
RATECTL_FAILING(int, fsync, (int fd), (fd))
RATECTL_FAILING(int, fdatasync, (int fd), (fd))
RATECTL_FAILING(int, ftruncate64, (int fd, off64_t size), (fd, size))
RATECTL_FAILING(int, socket, (int family, int type, int protocol), (family, type, protocol))
RATECTL_FAILING(int, connect, (int fd, const sockaddr* address, socklen_t size), (fd, address, size))
RATECTL_FAILING(int, unlink, (const char* path), (path))

extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* old, size_t size);

extern "C" void* malloc(size_t size) { return fails(true) ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(size_t count, size_t size) { return fails(true) ? nullptr : __libc_calloc(count, size); }
extern "C" void* realloc(void* old, size_t size) { return fails(true) ? nullptr : __libc_realloc(old, size); }
