// Reads and writes the text that names a sandbox's servers.
#include "sandbox/state_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "support/descriptor.h"
#include "support/number_text.h"

namespace ratectl::sandbox {

namespace {

constexpr const char* kFirstLine = "ratectl-sandbox 1";

constexpr const char* kNoShard = "-";

std::string folder_stem(const Member& member) {
    return (member.shard.empty() ? "" : member.shard + "-") + name_of(member.part);
}

std::optional<Member> member_from(const std::string& line) {
    std::istringstream words(line);
    Member member;
    std::string part;
    std::string port;
    std::string pid;
    std::string started;
    if (!(words >> member.shard >> part >> port >> member.folder >> pid >> started)) return std::nullopt;
    const auto port_number = support::parse_unsigned(port, 65535);
    const auto pid_number = support::parse_unsigned(pid, 1U << 30U);
    const auto start_number = support::parse_unsigned(started);
    if (!port_number || !pid_number || !start_number) return std::nullopt;
    if (part == name_of(Part::sentinel)) {
        member.part = Part::sentinel;
        member.shard.clear();
    } else if (part == name_of(Part::replica)) {
        member.part = Part::replica;
    } else if (part != name_of(Part::primary)) {
        return std::nullopt;
    }
    // The folder's name becomes part of a path that is removed.
    if (!member.folder.starts_with(folder_stem(member)) ||
        member.folder.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
        return std::nullopt;
    member.port = static_cast<std::uint16_t>(*port_number);
    member.mark = {static_cast<pid_t>(*pid_number), *start_number};
    return member;
}

support::Error file_error(const char* what, const std::string& path, int error) {
    return {support::ExitCode::local_io, std::string("cannot ") + what + " " + path + ": " + std::strerror(error), {}};
}

}  // namespace

const char* name_of(Part part) {
    switch (part) {
        case Part::primary: return "primary";
        case Part::replica: return "replica";
        case Part::sentinel: return "sentinel";
    }
    return "?";
}

domain::Endpoint Member::endpoint() const {
    domain::Endpoint endpoint;
    endpoint.host = "127.0.0.1";
    endpoint.port = port;
    return endpoint;
}

std::string to_text(const std::vector<Member>& members) {
    std::ostringstream text;
    text << kFirstLine << '\n';
    for (const auto& member : members) {
        text << (member.shard.empty() ? kNoShard : member.shard) << ' ' << name_of(member.part) << ' ' << member.port
             << ' ' << member.folder << ' ' << member.mark.pid << ' ' << member.mark.started << '\n';
    }
    return text.str();
}

support::Result<std::vector<Member>> members_from(const std::string& text, const std::string& name) {
    std::istringstream lines(text);
    std::string line;
    std::vector<Member> members;
    bool good = std::getline(lines, line) && line == kFirstLine;
    while (good && std::getline(lines, line)) {
        auto member = member_from(line);
        good = member.has_value();
        if (good) members.push_back(std::move(*member));
    }
    if (!good)
        return support::failure(support::ExitCode::local_io,
                                name + " is not the state of a sandbox; nothing was ended");
    return members;
}

support::Result<void> write_file(const std::string& path, const std::string& text) {
    const std::string fresh = path + ".new";
    ::unlink(fresh.c_str());
    const support::Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const bool whole =
        file.get() >= 0 && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (!whole || std::rename(fresh.c_str(), path.c_str()) != 0)
        return tl::make_unexpected(file_error("write", path, errno));
    return {};
}

support::Result<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return tl::make_unexpected(file_error("read", path, errno));
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ratectl::sandbox
