// Finding and reading the configuration file.
#include "config/config_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "support/descriptor.h"

namespace ratectl::config {
namespace {

using support::Descriptor;
using support::ExitCode;
using support::Failure;

constexpr std::size_t kLargestConfiguration = 1u << 20;

[[noreturn]] void refuse(const std::string& what, const std::string& path, std::string_view why,
                         std::string hint = {}) {
    throw Failure(ExitCode::configuration, fmt::format("{} {}: {}", what, path, why), std::move(hint));
}

std::string_view kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a named pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

std::string read_all(int fd, std::size_t most, const std::string& what, const std::string& path) {
    std::string text;
    char buffer[16384];
    for (;;) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0) {
            const int error = errno;
            if (error == EINTR) continue;
            refuse(what, path, fmt::format("cannot be read: {}", support::errno_text(error)));
        }
        if (n == 0) return text;
        text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > most) refuse(what, path, fmt::format("is larger than {} bytes", most));
    }
}

bool is_foreign(const struct stat& facts) { return facts.st_uid != ::geteuid() && facts.st_uid != 0; }
bool is_writable_by_others(const struct stat& facts) { return (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

/// The first folder on the path in which other users can put another file into the place of this one: its own folder
/// may belong to one of them, and where any of the folders can be written by others, only the sticky bit keeps them
/// from renaming what is in it.
std::string open_folder_of(const std::filesystem::path& file) {
    const auto own = file.parent_path();
    for (auto folder = own;; folder = folder.parent_path()) {
        struct stat facts {};
        const bool known = ::stat(folder.c_str(), &facts) == 0;
        const bool replaceable = is_writable_by_others(facts) && (facts.st_mode & S_ISVTX) == 0;
        if (known && (replaceable || (folder == own && is_foreign(facts)))) return folder.string();
        if (folder == folder.parent_path()) return {};
    }
}

/// A place where the file may or may not be.
struct Candidate {
    std::string path;
    bool named = false;
    std::string named_by;
};

std::vector<Candidate> candidates(const Overrides& overrides, const World& world) {
    if (const auto file = given(overrides.config_file, "config", world)) {
        if (file->text.empty()) file->fail("the name of the configuration file is empty");
        return {{file->text, true, file->label}};
    }
    std::vector<Candidate> places;
    if (auto path = user_config_path(world)) places.push_back({std::move(*path), false, {}});
    places.push_back({world.system_file, false, {}});
    return places;
}

}  // namespace

std::optional<std::string> user_config_path(const World& world) {
    const auto absolute = [](const std::optional<std::string>& folder) { return folder && folder->starts_with('/'); };
    const auto xdg = world.env("XDG_CONFIG_HOME");
    if (absolute(xdg)) return *xdg + "/ratectl/ratectl.toml";
    const auto home = world.env("HOME");
    if (absolute(home)) return *home + "/.config/ratectl/ratectl.toml";
    return std::nullopt;
}

std::optional<ConfigFile> read_regular_file(const std::string& path, std::size_t most, const std::string& what) {
    if (path.find('\0') != std::string::npos) refuse(what, path, "a file name cannot hold a NUL byte");
    // O_NONBLOCK: a fifo without a writer must not stop us before fstat can say what it is.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    const int open_error = errno;
    if (file.get() < 0) {
        if (open_error == ENOENT || open_error == ENOTDIR) return std::nullopt;
        refuse(what, path, fmt::format("cannot be opened: {}", support::errno_text(open_error)));
    }
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) {
        const int error = errno;
        refuse(what, path, fmt::format("cannot be examined: {}", support::errno_text(error)));
    }
    if (!S_ISREG(facts.st_mode)) refuse(what, path, fmt::format("is {}, not a regular file", kind_of(facts.st_mode)));
    if (static_cast<std::uintmax_t>(facts.st_size) > most)
        refuse(what, path, fmt::format("is larger than {} bytes", most));
    ConfigFile result;
    result.path = path;
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    if (error) refuse(what, path, fmt::format("its folder cannot be found: {}", error.message()));
    result.folder = absolute.parent_path().string();
    result.text = read_all(file.get(), most, what, path);
    result.readable_by_others = (facts.st_mode & 077) != 0;
    result.foreign_owner = is_foreign(facts);
    result.open_to_others = is_writable_by_others(facts) ? path : open_folder_of(absolute);
    const auto target = std::filesystem::canonical(absolute, error);  // where symbolic links lead
    if (result.open_to_others.empty() && !error) result.open_to_others = open_folder_of(target);
    struct stat place {};
    const bool is_folder = !result.open_to_others.empty() && result.open_to_others != path;
    result.open_to_owner = is_folder && ::stat(result.open_to_others.c_str(), &place) == 0 && is_foreign(place);
    return result;
}

std::string words_of_open_place(const ConfigFile& file) {
    if (file.open_to_others == file.path) return "other users can change the file";
    if (file.open_to_owner)
        return fmt::format("the folder {} belongs to another user, who can change what is in it", file.open_to_others);
    return fmt::format("other users can change what is in the folder {}", file.open_to_others);
}

std::string hint_to_close(const ConfigFile& file) {
    if (file.open_to_owner)
        return fmt::format("move the file to a folder of yours, or, as root: chown {} {}", ::geteuid(),
                           file.open_to_others);
    return "chmod go-w " + file.open_to_others;
}

std::optional<ConfigFile> find_config_file(const Overrides& overrides, const World& world) {
    for (const Candidate& place : candidates(overrides, world)) {
        auto file = read_regular_file(place.path, kLargestConfiguration, "configuration file");
        if (file) return file;
        if (place.named) {
            refuse("configuration file", place.path, fmt::format("does not exist (named by {})", place.named_by),
                   "'ratectl config init --file FILE' writes one to start from");
        }
    }
    return std::nullopt;
}

}  // namespace ratectl::config
