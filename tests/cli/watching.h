// ratectl watch on its way: its rows are read while it runs and another client changes the windows.
#pragma once

#include <csignal>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

inline const std::string kAlice = "core:alice";  // limit 100, an hour

class Watching {
public:
    /// `ratectl watch ARGUMENTS -o ndjson`, with its standard output in a file.
    Watching(const WrittenDeployment& box, std::vector<std::string> arguments) : file_(box.file("watch.ndjson")) {
        std::filesystem::remove(file_);  // of an earlier one
        std::vector<std::string> words{"-c",    "exec \"$0\" \"$@\" > '" + file_ + "'", ratectl_binary(), "watch", "-o",
                                       "ndjson"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = box.config_file();
        options.timeout = std::chrono::seconds(100);
        options.started = [this](int pid) { pid_ = pid; };
        thread_ = std::thread([this, words = std::move(words), options = std::move(options)] {
            result_ = run_program("/bin/bash", words, options);
            ended_ = true;
        });
    }
    ~Watching() {
        if (!thread_.joinable()) return;
        if (pid_ > 0 && !ended_) ::kill(pid_, SIGKILL);
        thread_.join();
    }
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

    std::string text() const {
        std::ifstream file(file_);
        std::stringstream all;
        all << file.rdbuf();
        return all.str();
    }
    /// The whole lines so far.
    std::vector<nlohmann::json> rows() const {
        std::vector<nlohmann::json> rows;
        std::istringstream lines(text());
        for (std::string line; std::getline(lines, line);) {
            if (!lines.eof()) rows.push_back(parse_json(line));
        }
        return rows;
    }
    std::string events() const {
        std::string words;
        for (const auto& row : rows()) words += (words.empty() ? "" : " ") + row.at("event").get<std::string>();
        return words;
    }
    /// The first row with that event from row `from` on; waits for it.
    nlohmann::json wait_for(const std::string& event, std::size_t from = 0) const {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        for (;;) {
            const auto now = rows();
            for (std::size_t i = from; i < now.size(); ++i) {
                if (now[i].at("event") == event) return now[i];
            }
            if (ended_ || std::chrono::steady_clock::now() > deadline)
                throw std::runtime_error("no '" + event + "' in: " + text() + result_.err);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    void send(int signal) const { ::kill(pid_, signal); }
    bool has_ended() const { return ended_; }
    /// Waits until it has ended by itself.
    const RunResult& end() {
        thread_.join();
        return result_;
    }
    const RunResult& interrupt() {
        send(SIGINT);
        return end();
    }

private:
    std::string file_;
    std::atomic<int> pid_ = 0;
    std::atomic<bool> ended_ = false;
    RunResult result_;
    std::thread thread_;
};

/// Both halves at once: no reader sees one of them alone.
inline void put_window(RedisServer& server, const std::string& key, std::int64_t used, std::int64_t reset_at) {
    server.command({"MSET", key, std::to_string(used), key + ":exp", std::to_string(reset_at)});
}
inline void remove_window(RedisServer& server, const std::string& key) { server.command({"DEL", key, key + ":exp"}); }

}  // namespace ratectl::test
