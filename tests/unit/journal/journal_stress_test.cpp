// Several processes at once, disks that are full or not ours, and a process that is killed.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "support/catch.h"
#include "unit/journal/sample_entries.h"

using namespace ratectl;
using namespace ratectl::test;

namespace {

/// Runs `work` in a process of its own; what it returns is the process's exit code, 99 an exception.
pid_t in_child(const std::function<int()>& work) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child > 0) return child;
    int code = 99;
    try {
        code = work();
    } catch (...) {
    }
    ::_exit(code);
}

int ended(pid_t child) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Until the file cannot take any more; 0 when that was said properly and what had been recorded before is still there.
int fill_until_refused(const std::string& file) {
    Journal journal(file);
    std::size_t recorded = 0;
    for (int i = 1; i < 5000; ++i) {
        const std::string id = "OP" + std::to_string(i);
        try {
            journal.begin(reset_head(id, i));
            journal.intend(id, std::vector{intent(1, std::string(500, 'k'))});
            ++recorded;
        } catch (const support::Failure& failure) {
            if (failure.error().code != support::ExitCode::local_io) return 1;
            if (failure.error().message.find(file) == std::string::npos) return 2;
            return recorded > 0 && all(journal).size() == recorded ? 0 : 3;
        }
    }
    return 4;
}

}  // namespace

TEST_CASE("several processes record at once and nothing is lost") {
    JournalFolder folder;
    constexpr int kProcesses = 4;
    constexpr int kOperations = 60;
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        children.push_back(in_child([&folder, process] {
            Journal journal(folder.file());  // all of them find no file at first
            for (int i = 0; i < kOperations; ++i) {
                const std::string id = "P" + std::to_string(process) + "-" + std::to_string(i);
                journal.begin(reset_head(id, i));
                journal.intend(id, std::vector{intent(1, "a"), intent(2, id)});
                journal.conclude(id, std::vector{removed(1, "1", "2"), removed(2, id, "2")});
            }
            return 0;
        }));
    }
    for (const pid_t child : children) CHECK(ended(child) == 0);
    Journal journal(folder.file());
    std::size_t complete = 0;
    journal.entries({}, [&complete](const Entry& entry) {
        const bool right = entry.intent.row == 1 ? entry.intent.key == "a"
                                                 : entry.outcome && entry.outcome->before.used == entry.intent.key;
        complete += right && entry.outcome ? 1 : 0;
        return true;
    });
    CHECK(complete == 2U * kProcesses * kOperations);
}

TEST_CASE("two processes may carry out the same operation") {
    JournalFolder folder;
    std::vector<pid_t> children;
    for (int process = 0; process < 2; ++process) {
        children.push_back(in_child([&folder] {
            Journal journal(folder.file());
            journal.begin(reset_head("OP"));
            for (std::uint64_t row = 1; row <= 100; ++row) {
                journal.intend("OP", std::vector{intent(row, "k" + std::to_string(row))});
                journal.conclude("OP", std::vector{removed(row, "1", "2")});
            }
            return 0;
        }));
    }
    for (const pid_t child : children) CHECK(ended(child) == 0);
    Journal journal(folder.file());
    CHECK(journal.applied_rows("OP", 1, 1000).size() == 100);
}

TEST_CASE("a process that is killed loses nothing that it had recorded") {
    JournalFolder folder;
    int channel[2];
    REQUIRE(::pipe(channel) == 0);
    const pid_t child = in_child([&folder, &channel] {
        Journal journal(folder.file());
        journal.begin(reset_head("OP"));
        for (std::uint64_t row = 1;; ++row) {
            journal.intend("OP", std::vector{intent(row, "k")});
            if (::write(channel[1], &row, sizeof row) != sizeof row) return 1;
        }
    });
    std::uint64_t last = 0;
    while (last < 40) REQUIRE(::read(channel[0], &last, sizeof last) == sizeof last);
    ::kill(child, SIGKILL);
    CHECK(ended(child) == 1000 + SIGKILL);
    ::close(channel[1]);
    for (std::uint64_t more = 0; ::read(channel[0], &more, sizeof more) == sizeof more;) last = more;
    ::close(channel[0]);
    Journal journal(folder.file());
    CHECK(all(journal).size() >= last);
    CHECK(all(journal).size() <= last + 1);
    journal.intend("OP", std::vector{intent(last + 2, "k")});
}

TEST_CASE("a file that may not grow is a clear failure and keeps what it holds") {
    JournalFolder folder;
    const pid_t child = in_child([&folder] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{400'000, 400'000};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 98;
        return fill_until_refused(folder.file());
    });
    CHECK(ended(child) == 0);
    Journal journal(folder.file());
    CHECK_FALSE(all(journal).empty());
}

TEST_CASE("a folder that is not ours to write is a clear failure") {
    JournalFolder folder;
    const std::string closed = folder.folder.path() + "/closed";
    REQUIRE(::mkdir(closed.c_str(), 0555) == 0);
    ::chmod(folder.folder.path().c_str(), 0755);
    const pid_t child = in_child([&closed] {
        // Root may write everywhere, so another user tries.
        if (::geteuid() == 0 && ::setuid(65534) != 0) return 98;
        try {
            Journal journal(closed + "/journal.db");
        } catch (const support::Failure& failure) {
            const bool named = failure.error().message.find(closed) != std::string::npos;
            return failure.error().code == support::ExitCode::local_io && named ? 0 : 1;
        }
        return 2;
    });
    CHECK(ended(child) == 0);
}

TEST_CASE("another user's journal is not used") {
    if (::geteuid() != 0) return;  // only root can make one
    JournalFolder folder;
    { Journal journal(folder.file()); }
    REQUIRE(::chown(folder.file().c_str(), 65534, 65534) == 0);
    try {
        Journal journal(folder.file());
        CHECK(false);
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
        CHECK(failure.error().message.find("another user") != std::string::npos);
    }
}

TEST_CASE("a whole bulk change takes bounded time to record") {
    JournalFolder folder;
    Journal journal(folder.file());
    journal.begin(reset_head("OP"));
    constexpr std::uint64_t kRows = 20'000;
    constexpr std::uint64_t kBatch = 5'000;
    for (std::uint64_t first = 1; first <= kRows; first += kBatch) {
        std::vector<Intent> intents;
        std::vector<Outcome> outcomes;
        for (std::uint64_t row = first; row < first + kBatch; ++row) {
            intents.push_back(intent(row, "core:" + std::to_string(row * 7919 % kRows)));
            outcomes.push_back(removed(row, "4998", "1767225600"));
        }
        journal.intend("OP", intents);
        journal.conclude("OP", outcomes);
    }
    CHECK(journal.applied_rows("OP", 1, kRows).size() == kRows);
    Question question;
    question.key = "core:" + std::to_string(7919);
    CHECK(all(journal, question).size() == 1);
    // One key of many is found by reading the windows alone: no more than a few pages a thousand of them.
    CHECK(std::ifstream(folder.file(), std::ios::ate | std::ios::binary).tellg() < 100 * static_cast<int>(kRows) * 2);
}
