// A record reaches the log's socket whole, or the caller hears that it did not.
#include "app/host.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/error.h"

using namespace ratectl;

namespace {

/// A log daemon that reads when it is asked to.
class LogDaemon {
public:
    LogDaemon() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
        REQUIRE(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    ~LogDaemon() { ::close(fd_); }
    LogDaemon(const LogDaemon&) = delete;
    LogDaemon& operator=(const LogDaemon&) = delete;

    std::string path() const { return folder_.path() + "/log"; }
    std::string read() {
        std::string record(100'000, '\0');
        const auto size = ::recv(fd_, record.data(), record.size(), MSG_DONTWAIT);
        record.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return record;
    }

private:
    sandbox::TemporaryFolder folder_ = support::value_or_throw(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"));
    int fd_;
};

support::Error refusal(const std::string& path, const std::string& line) {
    try {
        app::write_to_log(path, line);
    } catch (const support::Failure& failure) {
        return failure.error();
    }
    return {support::ExitCode::done, "", ""};
}

}  // namespace

TEST_CASE("a record reaches the log whole with its priority and program") {
    LogDaemon daemon;
    const std::string line = "{\"key\":\"" + std::string(60'000, 'k') + "\"}";
    app::write_to_log(daemon.path(), line);
    const auto record = daemon.read();
    CHECK(record == "<85>ratectl[" + std::to_string(::getpid()) + "]: " + line);
}

TEST_CASE("a log that is not there or takes no record so long is a failure that names it") {
    LogDaemon daemon;
    const auto missing = refusal(daemon.path() + "/none", "x");
    CHECK(missing.code == support::ExitCode::local_io);
    CHECK(missing.message.find(daemon.path()) != std::string::npos);
    CHECK(refusal(daemon.path(), std::string(50'000'000, 'x')).code == support::ExitCode::local_io);
    CHECK(refusal("/" + std::string(200, 'x'), "x").code == support::ExitCode::local_io);
    CHECK(daemon.read().empty());
}

TEST_CASE("a log daemon that does not read holds nobody up for ever") {
    LogDaemon daemon;
    support::Error error;
    for (int i = 0; i < 10'000 && error.message.empty(); ++i) error = refusal(daemon.path(), "x");
    CHECK(error.code == support::ExitCode::local_io);
    CHECK(error.message.find("does not read") != std::string::npos);
}
