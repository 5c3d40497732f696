// Progress while a sweep goes on, and Ctrl-C in the middle of a sweep and of a bulk write.
#include <regex>
#include <string>

#include "support/catch.h"
#include "terminal/terminal_box.h"

using namespace ratectl::test;

namespace {

constexpr int kMany = 40000;

struct FullBox : TerminalBox {
    FullBox() : TerminalBox("writes = \"confirm\"") {
        server().command(
            {"EVAL",
             "for i = 1, tonumber(ARGV[1]) do local k = 'core:' .. i "
             "redis.call('SET', k, i % 100) redis.call('EXPIREAT', k, ARGV[2] + 1) "
             "redis.call('SET', k .. ':exp', ARGV[2]) redis.call('EXPIREAT', k .. ':exp', ARGV[2] + 1) end",
             "0", std::to_string(kMany), std::to_string(kNoon + 1800)});
    }
};

/// The number before that word on the screen; -1 when it is not there.
long long number_before(const std::string& screen, const std::string& word) {
    std::smatch found;
    return std::regex_search(screen, found, std::regex("(\\d+) " + word)) ? std::stoll(found[1]) : -1;
}

}  // namespace

TEST_CASE("a slow scan shows one line of progress and leaves none of it behind") {
    if (!has_tmux()) return;
    FullBox box;
    TerminalSession session({"scan", "--top", "3", "--ops", "150"}, box.options());
    session.wait_for("of 1 shards done");
    const std::string screen = session.screen();
    INFO(screen);
    CHECK(std::regex_match(screen, std::regex(R"(\[[# ]{10}\] <?\d+%.*, \d+ windows, \d+/s, 0 of 1 shards done\n)")));
    CHECK(session.wait_for_end().code == 0);
    check_screen("scan-after-progress", session.screen());
}

TEST_CASE("Ctrl-C in a scan ends it with what is known and leaves no progress behind") {
    if (!has_tmux()) return;
    FullBox box;
    TerminalSession session({"scan", "--top", "3", "--ops", "5"}, box.options());
    session.wait_for("of 1 shards done");
    session.press("C-c");
    CHECK(session.wait_for_end().code == 130);
    const std::string screen = session.screen();
    INFO(screen);
    CHECK(screen.find("shards done") == std::string::npos);
    CHECK(screen.find("shard 'alpha' is incomplete") != std::string::npos);
}

TEST_CASE("Ctrl-C in a bulk write finishes what is in flight and the counts add up") {
    if (!has_tmux()) return;
    FullBox box;
    TerminalSession session({"reset", "--match", "core:*", "--confirm", "box"}, box.options());
    session.wait_for("applied");
    session.press("C-c");
    CHECK(session.wait_for_end().code == 130);
    const std::string screen = session.screen();
    INFO(screen);
    const auto applied = number_before(screen, "applied");
    CHECK(applied > 0);
    CHECK(applied < kMany);
    CHECK(box.halves() == std::to_string(2 * (kMany - applied)));
    // What was not attempted is a number: rows of it would have pushed everything else out of sight.
    CHECK(number_before(screen, "not-attempted") == kMany - applied);
    CHECK_FALSE(std::regex_search(session.scrollback(), std::regex("core:[0-9]+ .*not-attempted")));
}
