// memcached under test, on a port of its own: another one where that was taken meanwhile.
#include "support/memcached_server.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/loopback.h"
#include "support/require.h"

namespace ratectl::test {
namespace {

constexpr int kPortsTried = 10;
constexpr std::chrono::seconds kStartPatience{10};

std::string memcached_program() {
    const char* path = std::getenv("PATH");
    const auto found = sandbox::find_program("memcached", path == nullptr ? "/usr/bin:/usr/local/bin" : path);
    if (!found)
        throw std::runtime_error(
            "this test needs memcached on the PATH and there is none (Debian: apt-get install memcached)");
    return *found;
}

int connected(std::uint16_t port) {
    const int link = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(link, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return link;
    ::close(link);
    return -1;
}

/// The last line of an answer.
bool is_last(std::string_view line) {
    for (const std::string_view begin : {"VALUE ", "VA ", "STAT ", "key="}) {
        if (line.starts_with(begin)) return false;
    }
    return true;
}

}  // namespace

MemcachedServer::MemcachedServer(std::vector<std::string> arguments) {
    for (int i = 0; i < kPortsTried && port_ == 0; ++i) start(arguments);
    if (port_ == 0) throw std::runtime_error("memcached does not come up");
}

MemcachedServer::~MemcachedServer() { process_.kill(); }

void MemcachedServer::start(const std::vector<std::string>& arguments) {
    const auto port = endpoint_of(listen_on_loopback()).port;
    sandbox::Spawn spawn;
    spawn.program = memcached_program();
    spawn.arguments = {"-l", "127.0.0.1", "-p", std::to_string(port), "-U", "0", "-t", "2"};
    if (::geteuid() == 0) spawn.arguments.insert(spawn.arguments.end(), {"-u", "root"});
    spawn.arguments.insert(spawn.arguments.end(), arguments.begin(), arguments.end());
    spawn.die_with_parent = true;
    process_ = require(sandbox::ChildProcess::start(spawn));
    for (const auto until = std::chrono::steady_clock::now() + kStartPatience;
         std::chrono::steady_clock::now() < until;) {
        if (process_.try_wait()) return;  // the port was taken
        const int link = connected(port);
        if (link >= 0) {
            link_ = OwnedFd(link);
            port_ = port;
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    throw std::runtime_error("memcached does not listen");
}

std::string MemcachedServer::read_until_end() {
    std::string answer;
    std::size_t line = 0;
    char byte = 0;
    for (;;) {
        if (::read(link_.get(), &byte, 1) != 1) throw std::runtime_error("memcached has hung up");
        answer += byte;
        if (byte != '\n') continue;
        const auto text = std::string_view(answer).substr(line);
        // A value's own lines are none of the protocol's; tests store none that look like it.
        if (is_last(text) && (line == 0 || text.starts_with("END") || answer.starts_with("VA "))) break;
        line = answer.size();
    }
    while (answer.ends_with('\n') || answer.ends_with('\r')) answer.pop_back();
    return answer;
}

std::string MemcachedServer::ask(const std::string& line, const std::string& value) {
    std::string request = line + "\r\n";
    const bool has_data = line.starts_with("set ") || line.starts_with("add ");
    if (has_data) request += value + "\r\n";
    for (std::size_t sent = 0; sent < request.size();) {
        const auto count = ::write(link_.get(), request.data() + sent, request.size() - sent);
        if (count <= 0) throw std::runtime_error("memcached takes nothing");
        sent += static_cast<std::size_t>(count);
    }
    return read_until_end();
}

void MemcachedServer::set(const std::string& key, const std::string& value, std::int64_t exptime) {
    const auto answer = ask("set " + key + " 0 " + std::to_string(exptime) + " " + std::to_string(value.size()), value);
    if (answer != "STORED") throw std::runtime_error("memcached does not store: " + answer);
}

std::string MemcachedServer::get(const std::string& key) {
    const auto answer = ask("get " + key);
    if (answer == "END") return "";
    const auto begin = answer.find("\r\n") + 2;
    return answer.substr(begin, answer.rfind("\r\n") - begin);
}

void MemcachedServer::open(const std::string& key, std::int64_t used, std::int64_t reset_at) {
    set(key, std::to_string(used), reset_at + 1);
    set(key + ":reset_at", std::to_string(reset_at), reset_at + 1);
}

std::int64_t MemcachedServer::count(const std::string& key, std::int64_t now, std::int64_t next_reset) {
    const auto expires = std::to_string(next_reset + 1);
    const auto reset = std::to_string(next_reset);
    auto used = ask("incr " + key + " 1");
    if (used == "NOT_FOUND") {
        used = "1";
        if (ask("add " + key + " 0 " + expires + " 1", "1") != "STORED") used = ask("incr " + key + " 1");
    }
    ask("add " + key + ":reset_at 0 " + expires + " " + std::to_string(reset.size()), reset);
    if (std::stoll("0" + get(key + ":reset_at")) >= now) return std::stoll(used);
    set(key, "1", next_reset + 1);
    set(key + ":reset_at", reset, next_reset + 1);
    return 1;
}

void MemcachedServer::pause() { process_.signal(SIGSTOP); }
void MemcachedServer::resume() { process_.signal(SIGCONT); }

}  // namespace ratectl::test
