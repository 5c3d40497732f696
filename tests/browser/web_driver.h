// A headless Chromium, driven through chromedriver (W3C WebDriver): opens a file, clicks, types, runs scripts, tells
// what was logged.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sandbox/folder.h"
#include "sandbox/process.h"
#include "support/json.h"

namespace ratectl::test {

/// Says that the test is left out, and why; fails it where CI is set. True when a browser is there.
bool browser_is_there();

/// Every failure throws std::runtime_error that says what the driver said. The destructor ends the browser and its
/// driver.
class WebDriver {
public:
    WebDriver();
    ~WebDriver();
    WebDriver(const WebDriver&) = delete;
    WebDriver& operator=(const WebDriver&) = delete;

    void open(const std::string& url);
    /// The body of a function; what it returns.
    nlohmann::json run(const std::string& script);
    /// Until the script returns true; throws after a generous while.
    void wait_until(const std::string& script);
    void click(const std::string& selector);
    void type(const std::string& selector, const std::string& text);
    void clear(const std::string& selector);
    /// What the console said since the last call: warnings and errors, those of the page's policy among them.
    std::vector<std::string> complaints();
    /// Addresses that were asked for since the last call, of whatever scheme but the browser's own (chrome://).
    std::vector<std::string> requested();

private:
    nlohmann::json ask(const std::string& method, const std::string& path, const nlohmann::json& body);
    nlohmann::json of_session(const std::string& path, const nlohmann::json& body);
    std::string element(const std::string& selector);
    nlohmann::json log(const std::string& type);

    sandbox::TemporaryFolder folder_;
    sandbox::ChildProcess driver_;
    std::uint16_t port_ = 0;
    std::string session_;
};

}  // namespace ratectl::test
