// WebDriver's few requests, each on a connection of its own.
#include "browser/web_driver.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "support/catch.h"
#include "support/loopback.h"

namespace ratectl::test {
namespace {

using nlohmann::json;

std::optional<std::string> program(const std::string& name) {
    return sandbox::find_program(name, "/usr/local/bin:/usr/bin:/bin");
}

/// The driver does not always close the connection behind a reply; it says how long each is.
bool is_whole(const std::string& reply) {
    const std::size_t head = reply.find("\r\n\r\n");
    const std::string name = "content-length:";
    const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); };
    const auto length = std::search(reply.begin(), reply.end(), name.begin(), name.end(),
                                    [&](char read, char wanted) { return same(wanted, read); });
    if (head == std::string::npos || length == reply.end()) return false;
    const auto digits = static_cast<std::size_t>(length - reply.begin()) + name.size();
    return reply.size() >= head + 4 + std::stoul(reply.substr(digits));
}

std::string talk(std::uint16_t port, const std::string& request) {
    const OwnedFd socket(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    checked(connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
    for (std::size_t sent = 0; sent < request.size();) {
        sent += static_cast<std::size_t>(checked(
            static_cast<int>(send(socket.get(), request.data() + sent, request.size() - sent, MSG_NOSIGNAL)), "send"));
    }
    std::string reply;
    char buffer[65536];
    while (!is_whole(reply)) {
        const int n = checked(static_cast<int>(read(socket.get(), buffer, sizeof buffer)), "read");
        if (n == 0) break;
        reply.append(buffer, static_cast<std::size_t>(n));
    }
    return reply;
}

/// chromedriver names the port that it has chosen in its first lines.
std::uint16_t port_from(int out) {
    std::string text;
    char byte = 0;
    while (read(out, &byte, 1) == 1) {
        text += byte;
        const std::size_t mark = text.find("successfully on port ");
        if (mark != std::string::npos && byte == '\n')
            return static_cast<std::uint16_t>(std::stoi(text.substr(mark + 21)));
    }
    throw std::runtime_error("chromedriver did not start: " + text);
}

}  // namespace

bool browser_is_there() {
    if (program("chromium") && program("chromedriver")) return true;
    const std::string message =
        "left out: chromium or chromedriver is not installed (packages chromium, chromium-driver)";
    if (std::getenv("CI") != nullptr) FAIL(message);
    WARN(message);
    return false;
}

WebDriver::WebDriver() : folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-browser").value()) {
    int pipe_ends[2];
    checked(pipe2(pipe_ends, O_CLOEXEC), "pipe");
    const OwnedFd from(pipe_ends[0]);
    OwnedFd to(pipe_ends[1]);
    sandbox::Spawn spawn;
    spawn.program = program("chromedriver").value();
    spawn.arguments = {"--port=0"};
    spawn.environment = {
        "HOME=" + folder_.path(), "TMPDIR=" + folder_.path(),          "PATH=/usr/local/bin:/usr/bin:/bin",
        "LC_ALL=C.UTF-8",         "XDG_CONFIG_HOME=" + folder_.path(), "XDG_CACHE_HOME=" + folder_.path()};
    spawn.out = to.get();
    spawn.own_session = true;
    driver_ = sandbox::ChildProcess::start(spawn).value();
    to.close();
    port_ = port_from(from.get());
    const json options = {{"args",
                           {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--no-first-run", "--disable-background-networking", "--disable-component-update",
                            "--window-size=1200,900", "--user-data-dir=" + folder_.path() + "/profile"}},
                          {"perfLoggingPrefs", {{"enableNetwork", true}, {"enablePage", false}}}};
    const json wanted = {{"browserName", "chrome"},
                         {"goog:chromeOptions", options},
                         {"goog:loggingPrefs", {{"browser", "ALL"}, {"performance", "ALL"}}}};
    session_ = ask("POST", "/session", {{"capabilities", {{"alwaysMatch", wanted}}}}).at("sessionId");
}

WebDriver::~WebDriver() {
    try {
        ask("DELETE", "/session/" + session_, {});
    } catch (const std::exception&) {  // the group is ended below
    }
    if (driver_) ::kill(-driver_.pid(), SIGKILL);
}

json WebDriver::ask(const std::string& method, const std::string& path, const json& body) {
    const std::string text = body.is_null() ? "{}" : body.dump();
    const std::string reply =
        talk(port_, method + " " + path +
                        " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n" +
                        "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    const std::size_t head = reply.find("\r\n\r\n");
    if (head == std::string::npos) throw std::runtime_error(path + ": no reply");
    const json answer = parse_json(reply.substr(head + 4));
    if (!reply.starts_with("HTTP/1.1 200")) throw std::runtime_error(path + ": " + answer.dump());
    return answer.at("value");
}

json WebDriver::of_session(const std::string& path, const json& body) {
    return ask("POST", "/session/" + session_ + path, body);
}

void WebDriver::open(const std::string& url) { of_session("/url", {{"url", url}}); }

json WebDriver::run(const std::string& script) {
    return of_session("/execute/sync", {{"script", script}, {"args", json::array()}});
}

void WebDriver::wait_until(const std::string& script) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (run(script) != true) {
        if (std::chrono::steady_clock::now() > end) throw std::runtime_error("never came true: " + script);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

std::string WebDriver::element(const std::string& selector) {
    const json found = of_session("/element", {{"using", "css selector"}, {"value", selector}});
    return found.begin().value();
}

void WebDriver::click(const std::string& selector) {
    of_session("/element/" + element(selector) + "/click", json::object());
}

void WebDriver::type(const std::string& selector, const std::string& text) {
    of_session("/element/" + element(selector) + "/value", {{"text", text}});
}

void WebDriver::clear(const std::string& selector) {
    of_session("/element/" + element(selector) + "/clear", json::object());
}

json WebDriver::log(const std::string& type) { return of_session("/se/log", {{"type", type}}); }

std::vector<std::string> WebDriver::complaints() {
    std::vector<std::string> found;
    for (const json& entry : log("browser")) {
        if (entry.at("level") == "SEVERE" || entry.at("level") == "WARNING") found.push_back(entry.at("message"));
    }
    return found;
}

std::vector<std::string> WebDriver::requested() {
    std::vector<std::string> found;
    for (const json& entry : log("performance")) {
        const json message = parse_json(entry.at("message").get<std::string>()).at("message");
        if (message.at("method") != "Network.requestWillBeSent") continue;
        const std::string url = message.at("params").at("request").at("url");
        if (!url.starts_with("chrome")) found.push_back(url);
    }
    return found;
}

}  // namespace ratectl::test
