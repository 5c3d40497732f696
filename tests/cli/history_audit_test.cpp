// --audit syslog: a change that the system's log does not take is not made.
#include <filesystem>

#include "cli/recorded_box.h"

using namespace ratectl::test;

TEST_CASE("a change is sent only if the system log takes its record") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto result = box.run({"reset", "core:1", "--audit", "syslog"});
    if (std::filesystem::exists("/dev/log")) {
        CHECK(result.code == 0);
        CHECK(box.halves() == "0");
    } else {
        CHECK(result.code == 10);
        CHECK(contains(result.err, "/dev/log"));
        CHECK(contains(result.err, "nothing was sent"));
        CHECK(box.used("core:1") == "7");
    }
    CHECK(box.run({"reset", "core:1", "--audit", "paper"}).code == 2);
    CHECK(box.run({"reset", "core:1", "--audit", "syslog", "-n"}).code <= 1);
}
