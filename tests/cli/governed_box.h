// A deployment with a throttle of LimitLion that is governed, and governors on it.
#pragma once

#include <signal.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "cli/limiter_deployment.h"
#include "support/json.h"

namespace ratectl::test {

class GovernedDeployment : public LimiterDeployment {
public:
    explicit GovernedDeployment(const std::string& limits = "limit = 40\nperiod = \"8s\"\nburst = 80\n")
        : LimiterDeployment(
              "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
              "scheme = \"limitlion\"\n" +
              limits) {}

    void tune(const std::string& rps) {
        server().command({"HSET", "throttle:search:knobs", "rps", rps, "burst", "1", "window", "5"});
    }
    std::string rps() { return server().command({"HGET", "throttle:search:knobs", "rps"}); }
    std::vector<std::string> asked(const std::string& verb, const std::string& load,
                                   std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{"governor", verb, "search", "--load-command", load};
        arguments.insert(arguments.end(), {"--set-point", "2", "--max", "200"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    RunResult step(const std::string& load, std::vector<std::string> more = {"--apply"}) {
        return run(asked("step", load, std::move(more)));
    }
    nlohmann::json step_row(const std::string& load, std::vector<std::string> more = {"--apply"}) {
        return rows(asked("step", load, std::move(more))).at(0);
    }
    nlohmann::json explained() { return rows({"governor", "explain", "search"}).at(0); }
};

/// A run in the background, once it has the lease. `input` is its standard input, then its end.
class RunningGovernor {
public:
    RunningGovernor(GovernedDeployment& box, const std::vector<std::string>& arguments, const std::string& input = "") {
        std::promise<int> started;
        auto pid = started.get_future();
        result_ = std::async(std::launch::async, [&box, arguments, input, &started] {
            RunOptions options;
            options.input = input;
            options.started = [&started](int number) { started.set_value(number); };
            return box.box().run(arguments, options);
        });
        pid_ = pid.get();
        const auto is_ready = [&] { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
        while (!is_ready() && box.explained().at("governed") != "governed")
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    int pid() const { return pid_; }
    /// Sends it a signal, 0: none, and waits for its end.
    RunResult end(int signal) {
        if (signal != 0) ::kill(pid_, signal);
        return result_.get();
    }

private:
    int pid_ = 0;
    std::future<RunResult> result_;
};

}  // namespace ratectl::test
