// Commands that a signal meets at a chosen moment of their work: how they end, and what their rows and summary say.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>

#include "fault/linked_deployment.h"

namespace ratectl::test {
namespace {

using nlohmann::json;
using Moment = std::function<bool(const LinkRequest&)>;

/// The signal comes when the server has answered the first request of that kind, and the client does not know it yet.
RunResult run_stopped(LinkedDeployment& box, const std::vector<std::string>& arguments, Moment moment,
                      const std::string& input = {}) {
    const auto pid = std::make_shared<std::atomic<int>>(0);
    RunOptions options;
    options.input = input;
    options.started = [pid](int started) { *pid = started; };
    box.proxy.choose([pid, moment = std::move(moment), met = false](const LinkRequest& request) mutable {
        LinkFault fault;
        if (met || !moment(request)) return fault;
        met = true;
        fault.at_reply = [pid] { ::kill(*pid, SIGTERM); };
        return fault;
    });
    auto result = box.run(arguments, options);
    box.proxy.choose({});
    return result;
}

std::string keys(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "core:" + std::to_string(i) + "\n";
    return text;
}

bool is_write(const LinkRequest& request) { return request.write; }

// They ended with 143 and `stopped before the end`, though the document was complete.
TEST_CASE("a change that a signal comes too late for ends as if none had come") {
    LinkedDeployment box;
    box.set_window("core:3", "50");
    const std::vector<std::vector<std::string>> changes{{"increment", "-", "--op-id", "late", "--json"},
                                                        {"undo", "late", "--json"},
                                                        {"refund", "core:3", "--amount", "1", "--json"},
                                                        {"reset", "core:3", "--json"}};
    for (const auto& change : changes) {
        const auto result = run_stopped(box, change, is_write, keys(90));
        INFO(change.front() << result.err);
        CHECK(result.code == 0);
        CHECK_FALSE(contains(result.err, "stopped"));
        const auto document = json::parse(result.out);
        CHECK(document.at("complete") == true);
        CHECK(document.at("not_attempted") == 0);
        for (const auto& row : document.at("rows")) CHECK(row.at("status") == "applied");
    }
}

// What a sweep would have found is not known when it is stopped, whatever came of what it has found.
TEST_CASE("a change whose sweep is stopped is not done however little it has found") {
    LinkedDeployment box;
    box.set_window("core:3", "50");
    const auto result = run_stopped(box, {"reset", "--match", "core:*", "--json"},
                                    [](const LinkRequest& request) { return request.word == "SCAN"; });
    INFO(result.err);
    CHECK(result.code == 143);
    CHECK(contains(result.err, "stopped before the end"));
    CHECK(json::parse(result.out).at("complete") == false);
    CHECK(box.stored("core:3") == "50");
}

}  // namespace
}  // namespace ratectl::test
