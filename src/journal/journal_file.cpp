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

}  // namespace

std::string prepare_file(const std::string& path) {
    const std::filesystem::path given(path);
    if (!given.has_filename()) refuse(path, "is not a file's name");
    const auto above = given.has_parent_path() ? given.parent_path() : std::filesystem::path(".");
    make_folders(above, path);
    const std::string folder = real_folder(above.string(), path);
    const std::string file = (folder == "/" ? "" : folder) + "/" + given.filename().string();
    struct stat facts {};
    if (::lstat(file.c_str(), &facts) != 0 && errno == ENOENT) make_file(file, folder);
    check_file(file);
    return file;
}

}  // namespace ratectl::journal
