// Which files are taken for a journal, what is made where there is none, and how damage and other versions are met.
#include "journal/journal_file.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/catch.h"
#include "unit/journal/run_sql.h"
#include "unit/journal/sample_entries.h"

using namespace ratectl;
using namespace ratectl::test;

namespace {

/// The words with which a journal there is refused; empty when it opens.
std::string refusal(const std::string& path) {
    try {
        Journal journal(path);
        journal.begin(reset_head("OP"));
        journal.intend("OP", std::vector{intent(1, "k")});
        return "";
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
        CHECK_FALSE(failure.error().hint.empty());
        return failure.error().message;
    }
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

unsigned mode_of(const std::string& path) {
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    return facts.st_mode & 07777U;
}

/// A journal with so many windows in it, closed.
void fill(const std::string& path, std::uint64_t rows) {
    Journal journal(path);
    journal.begin(reset_head("OP"));
    std::vector<Intent> intents;
    for (std::uint64_t row = 1; row <= rows; ++row) intents.push_back(intent(row, "core:" + std::to_string(row)));
    journal.intend("OP", intents);
}

void overwrite(const std::string& path, std::uint64_t from, std::uint64_t bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(from));
    file << std::string(bytes, '\xA5');
    REQUIRE(file.good());
}

}  // namespace

TEST_CASE("folders and files that are missing are made for us alone") {
    JournalFolder folder;
    const std::string file = folder.folder.path() + "/a/b/journal.db";
    Journal journal(file);
    journal.begin(reset_head("OP"));
    CHECK(mode_of(folder.folder.path() + "/a") == 0700);
    CHECK(mode_of(folder.folder.path() + "/a/b") == 0700);
    CHECK(mode_of(file) == 0600);
    CHECK(mode_of(file + "-wal") == 0600);
    CHECK(mode_of(file + "-shm") == 0600);
}

TEST_CASE("a journal that others can read is closed to them") {
    JournalFolder folder;
    fill(folder.file(), 1);
    ::chmod(folder.file().c_str(), 0644);
    CHECK(refusal(folder.file()).empty());
    CHECK(mode_of(folder.file()) == 0600);
}

TEST_CASE("a symbolic link is no journal while one in the folders above is fine") {
    JournalFolder folder;
    const std::string other = folder.folder.path() + "/other.db";
    fill(other, 1);
    REQUIRE(::symlink(other.c_str(), folder.file().c_str()) == 0);
    CHECK(mentions(refusal(folder.file()), "symbolic link"));
    const std::string dangling = folder.folder.path() + "/dangling.db";
    REQUIRE(::symlink("/nowhere/at/all", dangling.c_str()) == 0);
    CHECK(mentions(refusal(dangling), "symbolic link"));
    CHECK(std::filesystem::create_directory(folder.folder.path() + "/real"));
    std::filesystem::create_directory_symlink(folder.folder.path() + "/real", folder.folder.path() + "/alias");
    CHECK(refusal(folder.folder.path() + "/alias/journal.db").empty());
    CHECK(std::filesystem::exists(folder.folder.path() + "/real/journal.db"));
}

TEST_CASE("pipes folders hard links and devices are no journal") {
    JournalFolder folder;
    const std::string pipe = folder.folder.path() + "/pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(mentions(refusal(pipe), "not a regular file"));
    CHECK(mentions(refusal(folder.folder.path()), "is a folder"));
    CHECK(mentions(refusal("/dev/null"), "not a regular file"));
    CHECK(mentions(refusal(folder.folder.path() + "/"), "not a file's name"));
    fill(folder.file(), 1);
    REQUIRE(::link(folder.file().c_str(), (folder.folder.path() + "/second").c_str()) == 0);
    CHECK(mentions(refusal(folder.file()), "second name"));
}

TEST_CASE("a folder in which every user may replace files holds no journal") {
    JournalFolder folder;
    const std::string open = folder.folder.path() + "/open";
    std::filesystem::create_directory(open);
    ::chmod(open.c_str(), 0777);
    CHECK(mentions(refusal(open + "/journal.db"), "every user"));
    ::chmod(open.c_str(), 01777);
    CHECK(refusal(open + "/journal.db").empty());
}

TEST_CASE("a file where a folder should be is named") {
    JournalFolder folder;
    std::ofstream(folder.folder.path() + "/file") << "x";
    CHECK(mentions(refusal(folder.folder.path() + "/file/journal.db"), "file"));
}

TEST_CASE("another program's files are left alone") {
    JournalFolder folder;
    std::ofstream(folder.file()) << std::string(5000, 'x');
    CHECK(mentions(refusal(folder.file()), "no journal at all"));
    CHECK(std::filesystem::file_size(folder.file()) == 5000);
    const std::string foreign = folder.folder.path() + "/foreign.db";
    run_sql(foreign, "CREATE TABLE theirs(x)");
    CHECK(mentions(refusal(foreign), "another program's database"));
    const std::string marked = folder.folder.path() + "/marked.db";
    run_sql(marked, "PRAGMA application_id=42");
    CHECK(mentions(refusal(marked), "another program's database"));
}

TEST_CASE("a journal of another version is refused and stays as it is") {
    JournalFolder folder;
    fill(folder.file(), 1);
    const auto refused_at = [&](const std::string& version) {
        run_sql(folder.file(), "PRAGMA user_version=" + version);
        return refusal(folder.file());
    };
    CHECK(mentions(refused_at("99"), "was written by a newer ratectl (schema 99, this one knows 6)"));
    CHECK(mentions(refused_at("1"), "was written by an older ratectl (schema 1, this one knows 6)"));
    run_sql(folder.file(), "PRAGMA user_version=6");
    Journal journal(folder.file());
    CHECK(all(journal).size() == 1);
}

TEST_CASE("a journal that was cut short is reported before anything is recorded") {
    JournalFolder folder;
    fill(folder.file(), 5000);
    std::filesystem::resize_file(folder.file(), std::filesystem::file_size(folder.file()) / 2);
    CHECK(mentions(refusal(folder.file()), "damaged"));
}

TEST_CASE("a journal with overwritten pages is reported and not followed") {
    JournalFolder folder;
    fill(folder.file(), 5000);
    const auto size = std::filesystem::file_size(folder.file());
    overwrite(folder.file(), 4096, size - 4096);
    CHECK(mentions(refusal(folder.file()), "damaged"));
    overwrite(folder.file(), 0, 100);
    CHECK(mentions(refusal(folder.file()), "no journal at all"));
}

TEST_CASE("damage to what was recorded earlier shows when it is read") {
    JournalFolder folder;
    fill(folder.file(), 5000);
    const auto size = std::filesystem::file_size(folder.file());
    overwrite(folder.file(), size / 2 / 4096 * 4096, 8192);
    Journal journal(folder.file());
    CHECK_THROWS_AS(all(journal), support::Failure);
}

TEST_CASE("bytes that no ratectl wrote are damage with one clear error") {
    const std::string damage =
        GENERATE("UPDATE slice SET windows = x'0105'", "UPDATE slice SET windows = x'ffffffffffffffffffffff'",
                 "UPDATE slice SET server = 9", "INSERT INTO slice_outcomes VALUES(1, x'63')",
                 "INSERT INTO slice_outcomes VALUES(1, x'')", "INSERT INTO slice_outcomes VALUES(1, x'000000')",
                 "INSERT INTO slice_outcomes VALUES(1, x'0100')", "UPDATE operation SET kind = 'splendid'");
    CAPTURE(damage);
    JournalFolder folder;
    fill(folder.file(), 1);
    run_sql(folder.file(), damage);
    Journal journal(folder.file());
    std::string words;
    try {
        all(journal);
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
        words = failure.error().message;
    }
    CHECK(mentions(words, folder.file()));
    CHECK(mentions(words, "is damaged"));
}
