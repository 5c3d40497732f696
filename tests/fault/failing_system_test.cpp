// A write while the system fails under it, once, at each of its calls: it ends cleanly, and nothing is written without
// a record. The sanitizers bring an allocator of their own, and die of a failing call before the tool could answer it.

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fault/linked_deployment.h"
#include "support/built_programs.h"

namespace ratectl::test {
namespace {

using nlohmann::json;

class FailingSystem {
public:
    FailingSystem() { box_.set_window("core:1", "50"); }

    /// How many calls, or allocations, an increment makes when none of them fails.
    long calls(bool memory) {
        RunOptions options = failing(0, 0, memory);
        options.environment["RATECTL_TEST_FAIL_COUNT"] = box_.file("count");
        const auto result = box_.run(kWords, options);
        INFO(result.err);
        REQUIRE(result.code == 0);
        ++value_;
        long count = 0;
        std::ifstream(box_.file("count")) >> count;
        return count;
    }
    /// One increment whose at-th call fails.
    void fail(long at, int with, bool memory) {
        const auto result = box_.run(kWords, failing(at, with, memory));
        INFO((memory ? "allocation " : "call ") << at << " fails with " << std::strerror(with) << ": exit code "
                                                << result.code << ", signal " << result.signal << "\n"
                                                << result.err);
        const auto now = std::stol(box_.stored("core:1"));
        const bool written = now == value_ + 1;
        CHECK((written || now == value_));
        value_ = now;
        CHECK_FALSE(result.timed_out);
        // Only what fails before main() has anything to catch it with may abort, and by then nothing has been done.
        CHECK((result.signal == 0 || (memory && result.signal == SIGABRT && result.out.empty() && !written)));
        if (result.code == 0) CHECK(written);
        if (result.code >= 2 && result.code <= 7) CHECK_FALSE(written);
        if (result.code == 11) CHECK_FALSE(written);
        if (written) check_record(at);
    }

private:
    static RunOptions failing(long at, int with, bool memory) {
        RunOptions options;
        options.environment["LD_PRELOAD"] = failing_calls();
        options.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0";
        options.environment["RATECTL_TEST_FAIL_AT"] = std::to_string(at);
        options.environment["RATECTL_TEST_FAIL_WITH"] = std::to_string(with);
        if (memory) options.environment["RATECTL_TEST_FAIL_MEMORY"] = "1";
        options.timeout = milliseconds(20000);
        return options;
    }
    /// The newest record is of this write, and known to be applied.
    void check_record(long at) {
        const auto newest = box_.run({"history", "core:1", "--last", "1", "-o", "ndjson"});
        INFO("after call " << at << ": " << newest.out << newest.err);
        REQUIRE(newest.code == 0);
        // Of an operation whose outcome is not recorded the server is asked.
        const auto history = box_.run({"history", parse_json(newest.out).at("op"), "-o", "ndjson"});
        REQUIRE(history.code == 0);
        const auto row = parse_json(history.out);
        CHECK(row.at("status") == "applied");
        CHECK(row.at("after_used") == value_);
    }

    const std::vector<std::string> kWords{"increment", "core:1", "--timeout", "300ms", "--json"};
    LinkedDeployment box_;
    long value_ = 50;
};

/// About so many of all places, spread over them.
void fail_at(bool memory, const std::vector<int>& errors, long places) {
    if (is_binary_sanitized()) return;
    FailingSystem system;
    const long calls = system.calls(memory);
    REQUIRE(calls > 40);
    for (const int error : errors) {
        const long step = std::max(1L, calls / places);
        // Each error at other places.
        for (long at = 1 + error % step; at <= calls; at += step) system.fail(at, error, memory);
    }
}

TEST_CASE("a write ends cleanly wherever a call of the system fails") { fail_at(false, {EIO, ENOSPC, EINTR}, 30); }

TEST_CASE("a write ends cleanly wherever memory runs out") { fail_at(true, {ENOMEM}, 60); }

}  // namespace
}  // namespace ratectl::test
