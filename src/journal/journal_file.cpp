// Makes the journal's file, or checks the one that is there.
// No existing file is opened here: closing any descriptor of it would drop the locks that SQLite holds in this process.
#include "journal/journal_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "support/descriptor.h"
#include "support/error.h"

namespace ratectl::journal {
namespace {

using support::Descriptor;
using support::ExitCode;
using support::Failure;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw Failure(ExitCode::local_io, "the journal '" + path + "' " + why, "--journal PATH names another file");
}

void make_folders(const std::filesystem::path& folder, const std::string& path) {
    if (folder.empty() || ::access(folder.c_str(), F_OK) == 0) return;
    make_folders(folder.parent_path(), path);
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
    const int error = errno;
    refuse(path, "cannot be made: folder '" + folder.string() + "': " + std::strerror(error));
}

/// The folder without symbolic links, so that SQLite can be told to follow none.
std::string real_folder(const std::string& folder, const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(folder.c_str(), nullptr), &std::free);
    const int error = errno;
    if (!real) refuse(path, "cannot be reached: folder '" + folder + "': " + std::strerror(error));
    struct stat facts {};
    if (::stat(real.get(), &facts) != 0 || !S_ISDIR(facts.st_mode))
        refuse(path, "is in something that is not a folder");
    if ((facts.st_mode & S_IWOTH) != 0 && (facts.st_mode & S_ISVTX) == 0)
        refuse(path, "is in a folder where every user may replace files");
    return real.get();
}

void make_file(const std::string& file, const std::string& folder) {
    const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const int error = errno;
    if (made.get() < 0) {
        if (error == EEXIST) return;  // another process was quicker
        refuse(file, std::string("cannot be made: ") + std::strerror(error));
    }
    // The name has to outlive a power cut as well as what is written under it.
    const Descriptor above(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (above.get() >= 0) ::fsync(above.get());
}

void check_file(const std::string& file) {
    struct stat facts {};
    if (::lstat(file.c_str(), &facts) != 0) {
        const int error = errno;
        refuse(file, std::string("cannot be looked at: ") + std::strerror(error));
    }
    if (S_ISLNK(facts.st_mode)) refuse(file, "is a symbolic link; it has to be the file itself");
    if (S_ISDIR(facts.st_mode)) refuse(file, "is a folder");
    if (!S_ISREG(facts.st_mode)) refuse(file, "is not a regular file");
    if (facts.st_uid != ::geteuid()) refuse(file, "belongs to another user (uid " + std::to_string(facts.st_uid) + ")");
    if (facts.st_nlink != 1) refuse(file, "has a second name (a hard link)");
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0 && ::chmod(file.c_str(), 0600) != 0) {
        const int error = errno;
        refuse(file, std::string("can be read by others, and that cannot be changed: ") + std::strerror(error));
    }
}

constexpr std::int64_t kVersion = 6;
constexpr std::int64_t kApplication = 0x7261746c;  // `ratl`, so that no other program's database is taken for a journal

// One row a script call, its windows packed, and one for their outcomes. There is no index on keys: with one, random
// pages are written with every batch; to find a key among a million windows by reading them all takes a tenth of a
// second.
constexpr const char* kTables = R"sql(
CREATE TABLE operation(
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, command TEXT NOT NULL, deployment TEXT NOT NULL,
    actor TEXT NOT NULL, host TEXT NOT NULL, reason TEXT NOT NULL, started_ms INTEGER NOT NULL, undoes TEXT,
    op_keys INTEGER NOT NULL);
CREATE INDEX operation_by_start ON operation(started_ms, number);
CREATE INDEX operation_by_undone ON operation(undoes) WHERE undoes IS NOT NULL;
CREATE TABLE server(
    number INTEGER PRIMARY KEY, shard TEXT NOT NULL, node TEXT NOT NULL, run_id TEXT NOT NULL, UNIQUE(shard, node, run_id));
CREATE TABLE slice(
    id INTEGER PRIMARY KEY, operation INTEGER NOT NULL, first_row INTEGER NOT NULL, last_row INTEGER NOT NULL,
    number INTEGER NOT NULL, server INTEGER NOT NULL, sent_ms INTEGER NOT NULL, again INTEGER NOT NULL,
    windows BLOB NOT NULL, layout TEXT NOT NULL, fingerprint TEXT NOT NULL);
CREATE INDEX slice_by_first ON slice(operation, first_row, last_row);
CREATE INDEX slice_by_last ON slice(operation, last_row, first_row);
CREATE TABLE slice_outcomes(slice INTEGER PRIMARY KEY, packed BLOB NOT NULL);
)sql";

[[noreturn]] void refuse_version(const Database& database, std::int64_t version) {
    throw Failure(ExitCode::local_io,
                  "the journal '" + database.path() + "' was written by " +
                      (version > kVersion ? "a newer" : "an older") + " ratectl (schema " + std::to_string(version) +
                      ", this one knows " + std::to_string(kVersion) + ")",
                  "use that one, or name another file with --journal PATH");
}

void check_application(Database& database) {
    const auto application = database.number("PRAGMA application_id");
    if (application == kApplication) return;
    const bool empty = application == 0 && database.number("SELECT count(*) FROM sqlite_schema") == 0;
    if (empty) return;
    if (database.number("PRAGMA application_id") == kApplication) return;  // another process has made it in between
    throw Failure(ExitCode::local_io, "the journal '" + database.path() + "' is another program's database",
                  "--journal PATH names another file");
}

}  // namespace

std::string prepare_file(const std::string& path) {
    const std::filesystem::path given(path);
    if (!given.has_filename()) refuse(path, "is not a file's name");
    const auto above = given.has_parent_path() ? given.parent_path() : std::filesystem::path(".");
    make_folders(above, path);
    const std::string folder = real_folder(above.string(), path);
    std::string file = (folder == "/" ? "" : folder) + "/" + given.filename().string();
    struct stat facts {};
    if (::lstat(file.c_str(), &facts) != 0 && errno == ENOENT) make_file(file, folder);
    check_file(file);
    return file;
}

void prepare_schema(Database& database) {
    check_application(database);
    if (database.number("PRAGMA user_version") == kVersion) return;
    Transaction transaction(database);
    const auto version = database.number("PRAGMA user_version");  // again: another process may have been quicker
    if (version == kVersion) return;
    if (version != 0) refuse_version(database, version);
    database.run(kTables);
    database.run("PRAGMA application_id=" + std::to_string(kApplication));
    database.run("PRAGMA user_version=" + std::to_string(kVersion));
    transaction.commit();
}

}  // namespace ratectl::journal
