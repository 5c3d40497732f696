// Starting nutcracker, and talking to Redis through it.
#include "live/nutcracker.h"

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/catch.h"

namespace ratectl::test {
namespace {

constexpr const char* kWindow =
    "redis.call('SET', KEYS[1], '7', 'EX', 3601) return redis.call('SET', KEYS[1] .. ':exp', ARGV[1], 'EX', 3601)";

/// A port that was free a moment ago, for the statistics that nutcracker insists on.
std::uint16_t free_port() {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(descriptor);
    if (!bound) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// Every line indented.
std::string indented(const std::string& text) {
    std::string result;
    for (const auto& line : lines_of(text)) result += "  " + line + "\n";
    return result;
}

}  // namespace

bool nutcracker_is_absent() { return is_absent("nutcracker", "nutcracker", "nutcracker", {"--version"}); }

std::vector<std::string> server_lines(const RealServers& servers, const std::vector<unsigned>& weights,
                                      const std::vector<std::string>& names) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const auto endpoint = servers.endpoint(i);
        lines.push_back((endpoint.path.empty() ? endpoint.address() : endpoint.path) + ":" +
                        std::to_string(i < weights.size() ? weights[i] : 1));
        if (i < names.size()) lines.back() += " " + names[i];
    }
    return lines;
}

Nutcracker::Nutcracker(const std::vector<Pool>& pools)
    : folder_(support::value_or_throw(sandbox::TemporaryFolder::make("/tmp", "ratectl-nc"))),
      file_(folder_.path() + "/nutcracker.yml"),
      pools_(pools) {
    std::ofstream file(file_);
    for (const auto& pool : pools_) {
        file << pool.name << ":\n  listen: " << folder_.path() << "/" << pool.name << "\n  redis: true\n"
             << indented(pool.settings) << "  servers:\n";
        for (const auto& server : pool.servers) file << "   - " << server << "\n";
    }
    file.close();
    for (int attempt = 0; attempt < 5; ++attempt) {
        if (start()) return;
    }
    throw std::runtime_error("nutcracker does not come up: " + text_of(folder_.path() + "/log"));
}

bool Nutcracker::start() {
    sandbox::Spawn spawn;
    spawn.program = system_program("nutcracker");
    spawn.arguments = {"-c", file_,
                       "-o", folder_.path() + "/log",
                       "-a", "127.0.0.1",
                       "-s", std::to_string(free_port()),
                       "-p", folder_.path() + "/pid"};
    spawn.die_with_parent = true;
    process_ = support::value_or_throw(sandbox::ChildProcess::start(spawn));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline && !process_.try_wait()) {
        // The last pool's socket is the last to be made.
        if (client(pools_.back().name).command({"SET", "up", "1"})) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

test::PlainClient Nutcracker::client(const std::string& pool) const {
    domain::Endpoint endpoint;
    endpoint.kind = domain::Endpoint::Kind::unix_socket;
    endpoint.path = folder_.path() + "/" + pool;
    return test::PlainClient(endpoint);
}

void Nutcracker::set(const std::string& pool, const std::vector<std::string>& keys) {
    auto proxy = client(pool);
    for (const auto& key : keys) {
        const auto reply = proxy.command({"SET", key, "1"});
        if (!reply || reply->text != "OK") FAIL("SET through " << pool << ": " << (reply ? reply->text : "no reply"));
    }
}

void Nutcracker::write_windows(const std::string& pool, const std::vector<std::string>& keys) {
    const auto end = std::chrono::system_clock::now().time_since_epoch() + std::chrono::hours(1);
    const auto reset = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(end).count());
    auto proxy = client(pool);
    for (const auto& key : keys) {
        const auto reply = proxy.command({"EVAL", kWindow, "1", key, reset});
        if (!reply || reply->is_error()) FAIL("EVAL through " << pool << ": " << (reply ? reply->text : "no reply"));
    }
}

}  // namespace ratectl::test
