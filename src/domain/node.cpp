// Names of roles and nodes, versions of servers.
#include "domain/node.h"

#include <array>

#include <fmt/format.h>

#include "support/number_text.h"

namespace ratectl::domain {

namespace {

constexpr std::string_view kValkey = "valkey ";
constexpr std::uint64_t kLargestPart = 9999;

}  // namespace

std::string_view name_of(Role role) { return role == Role::primary ? "primary" : "replica"; }

ReadFrom parse_read_from(std::string_view text) {
    using Which = ReadFrom::Which;
    if (text == "primary") return {Which::primary, {}};
    if (text == "replica") return {Which::replica, {}};
    if (text == "all") return {Which::all, {}};
    return {Which::node, std::string(text)};
}

bool History::has_all_of(const History& other) const {
    if (other.id.empty()) return false;
    return id == other.id ? offset >= other.offset : former_id == other.id && former_end > other.offset;
}

std::optional<ServerVersion> parse_server_version(std::string_view text) {
    ServerVersion version;
    if (text.starts_with(kValkey)) {
        version.valkey = true;
        text.remove_prefix(kValkey.size());
    }
    text = text.substr(0, text.find_first_of("-+"));
    const std::array<int*, 3> parts{&version.major, &version.minor, &version.patch};
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
        const std::size_t dot = text.find('.');
        const auto number = support::parse_unsigned(text.substr(0, dot), kLargestPart);
        if (!number || count == parts.size()) return std::nullopt;
        *parts[count] = static_cast<int>(*number);
        more = dot != std::string_view::npos;
        if (more) text.remove_prefix(dot + 1);
    }
    return count < 2 ? std::nullopt : std::optional{version};
}

std::string to_string(const ServerVersion& version) {
    return fmt::format("{}{}.{}.{}", version.valkey ? kValkey : "", version.major, version.minor, version.patch);
}

std::string name_of(const ReadFrom& from) {
    switch (from.which) {
        case ReadFrom::Which::primary: return "primary";
        case ReadFrom::Which::replica: return "replica";
        case ReadFrom::Which::all: return "all";
        case ReadFrom::Which::node: break;
    }
    return from.node;
}

}  // namespace ratectl::domain
