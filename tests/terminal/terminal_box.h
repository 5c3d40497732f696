// One shard with windows that do not change, and ratectl on it in a terminal: what the golden screens show.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/golden.h"
#include "support/terminal_session.h"

namespace ratectl::test {

/// The application's clock of the golden screens, 2030-01-01T12:00:00Z: in the future, so that nothing expires
/// meanwhile.
inline constexpr std::int64_t kNoon = 1893499200;

class TerminalBox : public WrittenDeployment {
public:
    explicit TerminalBox(const std::string& settings = "writes = \"confirm\"", std::size_t shards = 1)
        : WrittenDeployment(settings, shards) {}

    /// One window of every kind that people meet, in this order of names.
    void set_windows() {
        set_window("core:alice", "12", kNoon + 751);
        set_window("core:bob", "100", kNoon + 3599);
        set_window("core:carol", "81", kNoon + 90);
        set_window("core:dave", "7", kNoon - 60);
        set_window("core:erin-of-a-company-with-a-long-name.example.org", "2", kNoon + 7200);
        set_window("core:\u65e5\u672c", "50", kNoon + 1800);
        server().command({"SET", "core:frank", "12x"});
        server().command({"SET", "core:frank:exp", std::to_string(kNoon + 100)});
        server().command({"SET", "core:grace", "3"});
    }
    static std::vector<std::string> names() {
        return {"core:alice",
                "core:bob",
                "core:carol",
                "core:dave",
                "core:erin-of-a-company-with-a-long-name.example.org",
                "core:\u65e5\u672c",
                "core:frank",
                "core:grace",
                "core:nobody"};
    }

    TerminalOptions options(unsigned columns = 80) const {
        TerminalOptions options;
        options.columns = columns;
        options.rows = 40;
        options.environment = {{"RATECTL_CONFIG", config_file()},
                               {"XDG_STATE_HOME", file("state")},
                               {"RATECTL_NOW", std::to_string(kNoon)}};
        return options;
    }
    /// What is on the screen when it has ended with that code.
    std::string screen_of(const std::vector<std::string>& arguments, const TerminalOptions& options,
                          int code = 0) const {
        TerminalSession session(arguments, options);
        const int ended = session.wait_for_end().code;
        std::string screen = session.screen();
        if (ended != code) screen += "(ended with " + std::to_string(ended) + ")\n";
        return screen;
    }
    std::string colored_screen_of(const std::vector<std::string>& arguments, const TerminalOptions& options) const {
        TerminalSession session(arguments, options);
        session.wait_for_end();
        return session.screen_with_attributes();
    }
};

/// `check` and its keys, and what else is said.
inline std::vector<std::string> check_all(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"check"};
    for (const std::string& name : TerminalBox::names()) words.push_back(name);
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

inline void check_screen(const std::string& name, const std::string& screen) {
    check_golden("terminal/golden/" + name + ".txt", without_what_changes(screen));
}

}  // namespace ratectl::test
