// Reads and writes the sandbox's two text files.
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

std::optional<Member> member_from(const std::string& line) {
    std::istringstream words(line);
    Member member;
    std::string role;
    std::string port;
    std::string pid;
    std::string started;
    if (!(words >> member.shard >> role >> port >> member.folder >> pid >> started)) return std::nullopt;
    const auto port_number = support::parse_unsigned(port, 65535);
    const auto pid_number = support::parse_unsigned(pid, 1U << 30U);
    const auto start_number = support::parse_unsigned(started);
    // The folder's name becomes part of a path that is removed.
    const bool plain = member.folder.starts_with(member.shard + (role == "primary" ? "-primary" : "-replica-")) &&
                       member.folder.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    if (!port_number || !pid_number || !start_number || !plain || (role != "primary" && role != "replica"))
        return std::nullopt;
    member.role = role == "primary" ? domain::Role::primary : domain::Role::replica;
    member.port = static_cast<std::uint16_t>(*port_number);
    member.mark = {static_cast<pid_t>(*pid_number), *start_number};
    return member;
}

std::string quoted_urls(const std::vector<Member>& members, const std::string& shard) {
    std::string text;
    for (const auto& member : members) {
        if (member.shard != shard || member.role != domain::Role::replica) continue;
        if (!text.empty()) text += ", ";
        text += "\"redis://127.0.0.1:" + std::to_string(member.port) + "\"";
    }
    return text;
}

support::Error file_error(const char* what, const std::string& path, int error) {
    return {support::ExitCode::local_io, std::string("cannot ") + what + " " + path + ": " + std::strerror(error), {}};
}

}  // namespace

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
        text << member.shard << ' ' << (member.role == domain::Role::primary ? "primary" : "replica") << ' '
             << member.port << ' ' << member.folder << ' ' << member.mark.pid << ' ' << member.mark.started << '\n';
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

std::string config_text(const std::vector<Member>& members, bool with_password) {
    std::ostringstream text;
    text << "# A throw-away deployment, written by `ratectl sandbox`; it goes away with `ratectl sandbox down`.\n"
            "default = \"sandbox\"\n\n"
            "[deployments.sandbox]\n"
            "kind = \"shards\"\n"
            "sharding = \"twemproxy-ketama\"\n"
            "writes = \"allow\"\n";
    if (with_password) text << "password_file = \"" << kPasswordFile << "\"\n";
    for (const auto& member : members) {
        if (member.role != domain::Role::primary) continue;
        text << "\n[[deployments.sandbox.shards]]\n"
             << "name = \"" << member.shard << "\"\n"
             << "primary = \"redis://127.0.0.1:" << member.port << "\"\n";
        const auto replicas = quoted_urls(members, member.shard);
        if (!replicas.empty()) text << "replicas = [" << replicas << "]\n";
    }
    text << "\n[[deployments.sandbox.policies]]\n"
            "name = \"core\"\n"
            "key = \"core:{client}\"\n"
            "limit = 5000\n"
            "period = \"1h\"\n"
            "\n[[deployments.sandbox.policies]]\n"
            "name = \"search\"\n"
            "key = \"search:{client}\"\n"
            "limit = 30\n"
            "period = \"1m\"\n";
    return text.str();
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
