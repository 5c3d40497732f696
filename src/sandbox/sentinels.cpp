// Writes what sentinels are told of primaries, and asks them what they have found out.
#include "sandbox/sentinels.h"

#include <algorithm>
#include <sstream>

#include "sandbox/question.h"

namespace ratectl::sandbox {
namespace {

/// The value behind this name in a list of names and values.
std::string value_in(const redis::Reply& reply, const std::string& name) {
    for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
        if (reply.elements[i].text == name) return reply.elements[i + 1].text;
    }
    return {};
}

bool knows(const domain::Endpoint& sentinel, const Watched& primary, std::size_t sentinels, std::string& seen) {
    const auto told = ask(sentinel, {"SENTINEL", "MASTER", primary.name});
    if (!told || told->is_error()) {
        seen = told ? told->text : told.error().message;
        return false;
    }
    const auto replicas = value_in(*told, "num-slaves");
    const auto others = value_in(*told, "num-other-sentinels");
    seen = sentinel.address() + " knows " + replicas + " replicas of " + primary.name + " and " + others +
           " other sentinels";
    return replicas == std::to_string(primary.replicas) && others == std::to_string(sentinels - 1);
}

}  // namespace

std::string sentinel_config(const std::vector<Watched>& primaries, std::size_t sentinels, FailoverTimes times) {
    const auto quorum = std::to_string(sentinels / 2 + 1);
    std::ostringstream text;
    for (const auto& [name, primary, replicas] : primaries) {
        text << "sentinel monitor " << name << ' ' << primary.host << ' ' << primary.port << ' ' << quorum
             << "\nsentinel down-after-milliseconds " << name << ' ' << times.down_after.count()
             << "\nsentinel failover-timeout " << name << ' ' << times.timeout.count() << '\n';
        if (primary.credentials.password)
            text << "sentinel auth-pass " << name << ' ' << primary.credentials.password->reveal() << '\n';
    }
    return text.str();
}

support::Result<void> await_sentinels(const std::vector<domain::Endpoint>& sentinels,
                                      const std::vector<Watched>& primaries, support::Deadline deadline) {
    return await("sentinels to know one another and all replicas", deadline, [&](std::string& seen) {
        return std::all_of(sentinels.begin(), sentinels.end(), [&](const domain::Endpoint& sentinel) {
            return std::all_of(primaries.begin(), primaries.end(), [&](const Watched& primary) {
                return knows(sentinel, primary, sentinels.size(), seen);
            });
        });
    });
}

}  // namespace ratectl::sandbox
