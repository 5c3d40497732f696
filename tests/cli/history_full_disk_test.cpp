// A journal that cannot grow any more stops a bulk change, and what was changed until then is accounted for and can be
// taken back.
#include <set>

#include "cli/recorded_box.h"
#include "support/built_programs.h"

using namespace ratectl::test;

namespace {

constexpr int kMoreThanFit = 12'000;

/// As ratectl, in a shell that lets no file grow beyond so many KiB.
RunResult run_with_small_files(const RecordedBox& box, int kib, const std::string& arguments) {
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.environment["XDG_STATE_HOME"] = box.file("state");
    const std::string script = "ulimit -f " + std::to_string(kib) + "; exec " + ratectl_binary() + " " + arguments;
    return run_program("/bin/bash", {"-c", script}, options);
}

}  // namespace

TEST_CASE("a journal that fills up stops a bulk reset and every window is accounted for") {
    std::set<std::string> left;
    std::vector<int> limits{230, 60, 150, 320, 2600};
    limits.resize(few_if_sanitized(limits.size()));
    for (const int kib : limits) {
        RecordedBox box;
        box.server().command({"EVAL",
                              "for i = 1, tonumber(ARGV[2]) do redis.call('SET', 'core:' .. i, i, 'EX', 1001) "
                              "redis.call('SET', 'core:' .. i .. ':exp', ARGV[1], 'EX', 1001) end",
                              "0", std::to_string(seconds_from_now(1000)), std::to_string(kMoreThanFit)});
        const auto result = run_with_small_files(box, kib, "reset --match 'core:*' --op-id bulk -o name");
        INFO(kib << " KiB: " << result.err);
        const bool finished = result.code == 0;
        if (!finished) CHECK((result.code == 10 || result.code == 9));  // 9: some of it was done
        if (!finished) CHECK(contains(result.err, "journal"));
        left.insert(box.halves());
        const int removed = kMoreThanFit - std::stoi(box.halves()) / 2;
        int applied = 0;
        if (removed > 0) {
            for (const auto& row : box.rows({"history", "bulk", "--columns", "status"}))
                applied += row.at("status") == "applied";
        }
        CHECK(applied == removed);
        if (removed > 0) CHECK(box.run({"undo", "bulk", "-o", "name"}).code == 0);
        CHECK(box.halves() == std::to_string(2 * kMoreThanFit));
    }
    CHECK(left.size() > limits.size() / 2);  // the limits met it in different places
}
