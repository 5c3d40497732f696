// Names the servers as each kind of deployment has them named.
#include "sandbox/configuration.h"

#include <sstream>

namespace ratectl::sandbox {
namespace {

std::string url_of(const Member& member) { return "\"redis://127.0.0.1:" + std::to_string(member.port) + "\""; }

/// `["redis://...", ...]`: those of one part, of that shard or of any.
std::string urls(const std::vector<Member>& members, Part part, const std::string* shard = nullptr) {
    std::string text;
    for (const auto& member : members) {
        if (member.part != part || (shard != nullptr && member.shard != *shard)) continue;
        text += (text.empty() ? "" : ", ") + url_of(member);
    }
    return "[" + text + "]";
}

void add_shards(std::ostringstream& text, Kind kind, const std::vector<Member>& members) {
    for (const auto& member : members) {
        if (member.part != Part::primary) continue;
        text << "\n[[deployments.sandbox.shards]]\n"
             << "name = \"" << member.shard << "\"\n";
        if (kind == Kind::sentinel) {
            text << "master = \"" << member.shard << "\"\n";
            continue;
        }
        text << "primary = " << url_of(member) << "\n";
        const auto replicas = urls(members, Part::replica, &member.shard);
        if (replicas != "[]") text << "replicas = " << replicas << "\n";
    }
}

}  // namespace

std::string_view name_of(Kind kind) {
    switch (kind) {
        case Kind::shards: return "shards";
        case Kind::sentinel: return "sentinel";
        case Kind::cluster: return "cluster";
    }
    return "?";
}

std::string config_text(Kind kind, const std::vector<Member>& members, bool with_password) {
    std::ostringstream text;
    text << "# A throw-away deployment, written by `ratectl sandbox`; it goes away with `ratectl sandbox down`.\n"
            "default = \"sandbox\"\n"
            "journal = \""
         << kJournalFile
         << "\"\n\n"
            "[deployments.sandbox]\n"
         << "kind = \"" << name_of(kind) << "\"\n";
    if (kind == Kind::cluster) text << "nodes = " << urls(members, Part::primary) << "\n";
    if (kind == Kind::sentinel) text << "sentinels = " << urls(members, Part::sentinel) << "\n";
    if (kind != Kind::cluster) text << "sharding = \"twemproxy-ketama\"\n";
    text << "writes = \"allow\"\n";
    if (with_password) {
        text << "password_file = \"" << kPasswordFile << "\"\n";
        if (kind == Kind::sentinel) text << "sentinel_login = { password_file = \"" << kPasswordFile << "\" }\n";
    }
    if (kind != Kind::cluster) add_shards(text, kind, members);
    // In a cluster both keys of a window have to be in one slot: a tag says so, and a literal brace is written twice.
    const std::string open = kind == Kind::cluster ? "{{" : "";
    const std::string close = kind == Kind::cluster ? "}}" : "";
    text << "\n[[deployments.sandbox.policies]]\n"
            "name = \"core\"\n"
         << "key = \"" << open << "core:{client}" << close << "\"\n"
         << "limit = 5000\n"
            "period = \"1h\"\n"
            "\n[[deployments.sandbox.policies]]\n"
            "name = \"search\"\n"
         << "key = \"" << open << "search:{client}" << close << "\"\n"
         << "limit = 30\n"
            "period = \"1m\"\n";
    return text.str();
}

}  // namespace ratectl::sandbox
