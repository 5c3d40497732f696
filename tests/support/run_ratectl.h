// Runs the built ratectl as a user would: arguments, a clean environment, standard input, pipes or a terminal; and says
// how it ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/built_programs.h"

namespace ratectl::test {

struct RunOptions {
    std::map<std::string, std::string>
        environment;          // on top of PATH, HOME (an empty folder) and LC_ALL=C.UTF-8; nothing else is inherited
    std::string input;        // standard input, then its end
    bool close_input = true;  // false: standard input stays open and silent after `input`
    bool terminal = false;    // all three streams are one pseudo-terminal; `input` is typed there
    bool terminal_only_for_questions =
        false;          // pipes for the streams, and a controlling terminal where `typed` is typed
    std::string typed;  // answers on that terminal, typed when a question stands there
    std::function<void()> before_typing = {};  // what happens while the question stands there
    unsigned columns = 100;
    unsigned rows = 40;
    std::chrono::milliseconds timeout{120000};  // only a hang lasts so long: then SIGKILL, and timed_out
    int signal_number = 0;                      // sent once, `signal_after` the start
    std::chrono::milliseconds signal_after{0};
    bool signal_once_caught = false;  // `signal_after` counts from when the program has said what that signal is to do
    std::string folder;               // working folder
    std::string program;              // run_ratectl: another build of it
    std::function<void(int pid)> started = {};  // told as soon as it runs
};

struct RunResult {
    int code = -1;  // exit code; -1 when a signal ended it
    int signal = 0;
    std::string out;
    std::string err;
    std::string terminal;  // what the terminal showed, raw
    bool timed_out = false;
    std::chrono::milliseconds wall_time{0};
    std::int64_t peak_rss_kib = 0;
};

/// Throws std::runtime_error when it cannot be started. Signals are sent once they are caught: a start can be slow.
RunResult run_ratectl(const std::vector<std::string>& arguments, const RunOptions& options = {});
/// Any program, under the same rules.
RunResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                      const RunOptions& options = {});

}  // namespace ratectl::test
