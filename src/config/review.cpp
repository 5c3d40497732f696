// What is allowed in a configuration and yet worth a second look.
#include "config/review.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "config/servers.h"
#include "sharding/cluster_slots.h"

namespace ratectl::config {
namespace {

using Token = domain::KeyTemplate::Token;
using Pattern = std::vector<Token>;

/// A byte that both take.
std::optional<char> common_byte(const Token& x, const Token& y) {
    for (const char c : {'x', '0', x.byte, y.byte})
        if (x.takes(c) && y.takes(c)) return c;
    return std::nullopt;
}

/// Looks for a key on which two patterns agree, trying each pair of positions once.
class Intersection {
public:
    Intersection(Pattern a, Pattern b) : a_(std::move(a)), b_(std::move(b)), dead_((a_.size() + 1) * (b_.size() + 1)) {}

    std::optional<std::string> key() {
        std::vector<Step> path{{0, 0, 0, ""}};
        while (!path.empty()) {
            const Step here = path.back();
            if (here.a == a_.size() && here.b == b_.size()) return joined(path);
            const auto next = step(here);
            path.back().tried = here.tried + 1;
            if (!next) {
                if (here.tried >= kChoices) {
                    dead_[at(here.a, here.b)] = true;
                    path.pop_back();
                }
                continue;
            }
            if (!dead_[at(next->a, next->b)]) path.push_back(*next);
        }
        return std::nullopt;
    }

private:
    struct Step {
        std::size_t a = 0;
        std::size_t b = 0;
        int tried = 0;
        std::string bytes;  // what the step to here added to the key
    };
    static constexpr int kChoices = 3;

    std::size_t at(std::size_t a, std::size_t b) const { return a * (b_.size() + 1) + b; }
    static std::string joined(const std::vector<Step>& path) {
        std::string key;
        for (const Step& step : path) key += step.bytes;
        return key;
    }
    static bool many(const Pattern& pattern, std::size_t i) { return i < pattern.size() && pattern[i].repeats; }

    /// The choice number `here.tried` of this position: end a's `many`, end b's, or let both take one byte.
    std::optional<Step> step(const Step& here) const {
        const bool many_a = many(a_, here.a);
        const bool many_b = many(b_, here.b);
        if (here.tried == 0) return many_a ? std::optional<Step>({here.a + 1, here.b, 0, ""}) : std::nullopt;
        if (here.tried == 1) return many_b ? std::optional<Step>({here.a, here.b + 1, 0, ""}) : std::nullopt;
        // Both staying where they are would add a byte for nothing.
        if (here.tried > 2 || (many_a && many_b) || here.a == a_.size() || here.b == b_.size()) return std::nullopt;
        const auto byte = common_byte(a_[here.a], b_[here.b]);
        if (!byte) return std::nullopt;
        return Step{here.a + (many_a ? 0u : 1u), here.b + (many_b ? 0u : 1u), 0, std::string(1, *byte)};
    }

    Pattern a_;
    Pattern b_;
    std::vector<bool> dead_;
};

/// Policies by what their keys begin with: two of them have a key in common only if one beginning goes on where the
/// other ends.
class Neighbours {
public:
    void add(std::string_view beginning, std::size_t policy) {
        by_beginning_[std::string(beginning)].push_back(policy);
    }
    /// In the order in which they were added.
    std::vector<std::size_t> of(std::string_view beginning) const {
        std::vector<std::size_t> found;
        const auto take = [&](const auto& entry) {
            found.insert(found.end(), entry->second.begin(), entry->second.end());
        };
        for (std::size_t length = 0; length < beginning.size(); ++length) {
            const auto shorter = by_beginning_.find(beginning.substr(0, length));
            if (shorter != by_beginning_.end()) take(shorter);
        }
        for (auto longer = by_beginning_.lower_bound(beginning);
             longer != by_beginning_.end() && longer->first.starts_with(beginning); ++longer)
            take(longer);
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    std::map<std::string, std::vector<std::size_t>, std::less<>> by_beginning_;
};

/// No client of the later one is none of the earlier one's.
bool takes_all_clients(const domain::Policy& earlier, const domain::Policy& later) {
    return earlier.clients.empty() || earlier.clients == later.clients;
}

/// Both take the key. A policy of some clients stands on purpose before that of the others.
bool overlap(const domain::Policy& earlier, const domain::Policy& later, const std::string& key) {
    return takes_all_clients(earlier, later) ||
           (domain::PolicyBook({earlier}).match(key) && domain::PolicyBook({later}).match(key));
}

void review_policies(const Settings& settings, std::vector<Finding>& findings) {
    const auto& policies = settings.policies.policies();
    Neighbours neighbours;
    for (std::size_t later = 0; later < policies.size(); ++later) {
        const auto beginning = policies[later].key.beginning();
        const auto candidates = neighbours.of(beginning);
        neighbours.add(beginning, later);
        for (const std::size_t earlier : candidates) {
            const auto key = common_key(policies[earlier].key, policies[later].key);
            if (!key || !overlap(policies[earlier], policies[later], *key)) continue;
            const std::string setting = fmt::format("policies.{}.key", policies[later].name);
            const Origin& origin = origin_of(settings, setting);
            if (takes_all_clients(policies[earlier], policies[later]) &&
                covers(policies[earlier].key, policies[later].key)) {
                findings.push_back(
                    {Finding::Weight::warning, "policies", origin,
                     fmt::format("policy '{}' never applies: every key of it belongs to policy '{}', which comes first",
                                 policies[later].name, policies[earlier].name),
                     "put the narrower policy first"});
                break;
            }
            findings.push_back(
                {Finding::Weight::note, "policies", origin,
                 fmt::format(
                     "policies '{}' and '{}' overlap: key '{}' matches both and belongs to '{}', which comes first",
                     policies[earlier].name, policies[later].name, *key, policies[earlier].name),
                 ""});
        }
    }
}

/// One key of the policy's, whatever its holes take.
std::string sample_key(const domain::Policy& policy) {
    domain::Captures held;
    for (const auto& hole : policy.key.placeholders()) held[hole] = "1";
    return policy.key.assemble(held);
}

/// In a Redis Cluster no command takes keys of two slots.
void review_slots(const Settings& settings, std::vector<Finding>& findings) {
    for (const auto& policy : settings.policies.policies()) {
        if (settings.limiter == nullptr) return;
        const auto key = sample_key(policy);
        const auto& limiter = settings.limiter->of(key);
        for (std::size_t part = 1; part < limiter.parts().size(); ++part) {
            const auto other = limiter.part_key(key, part);
            if (sharding::cluster_slot(key) == sharding::cluster_slot(other)) continue;
            findings.push_back(
                {Finding::Weight::warning, "slots", origin_of(settings, "policies." + policy.name + ".key"),
                 fmt::format(
                     "policy '{}': the keys of a window are in different slots of the Redis Cluster, as '{}' and "
                     "'{}' are: no command reads or writes both, so they are no window there",
                     policy.name, key, other),
                 fmt::format("where the application writes them with a tag, the template has it: key = \"{{{{{}}}}}\"",
                             policy.key.text())});
            break;
        }
    }
}

void review_ring(const Settings& settings, std::vector<Finding>& findings) {
    if (settings.kind == DeploymentKind::cluster) return review_slots(settings, findings);
    if (settings.all_shards && !settings.sharding) {
        findings.push_back({Finding::Weight::note, "sharding", origin_of(settings, "sharding.preset"),
                            "where a key lives cannot be computed: a look asks every shard, and a change is made where "
                            "the key is found, if that is one place only",
                            ""});
        return;
    }
    if (!settings.sharding) {
        findings.push_back(
            {Finding::Weight::warning, "sharding", origin_of(settings, "deployment"),
             fmt::format("{} shards and no 'sharding': nothing can be changed, and a look asks every shard",
                         settings.shards.size()),
             "say which library's rule the application uses: sharding = \"PRESET\""});
        return;
    }
    std::vector<sharding::Server> servers;
    for (const auto& shard : settings.shards) servers.push_back(shard.server);
    const auto map = sharding::ShardMap::make(*settings.sharding, servers);
    if (!map) return;  // resolve() refuses such settings
    for (const auto& collision : map->collisions()) {
        findings.push_back(
            {collision.decided ? Finding::Weight::note : Finding::Weight::warning, "sharding",
             origin_of(settings, "sharding.preset"),
             fmt::format("shards '{}' and '{}' share ring point {}{}", settings.shards.at(collision.first).shard.name,
                         settings.shards.at(collision.second).shard.name, collision.point_text,
                         collision.decided ? "" : ": which of them has its keys depends on the application's process"),
             ""});
    }
}

void review_tls(const domain::TlsOptions& tls, const std::string& prefix, const Settings& settings,
                std::vector<Finding>& findings) {
    for (const auto& [key, path] : {std::pair{"ca_file", &tls.ca_file}, std::pair{"cert_file", &tls.cert_file},
                                    std::pair{"key_file", &tls.key_file}}) {
        if (path->empty() || ::access(path->c_str(), R_OK) == 0) continue;
        findings.push_back({Finding::Weight::warning, "tls", origin_of(settings, prefix + key),
                            fmt::format("{}{} cannot be read: {}", prefix, key, *path), ""});
    }
    if (tls.insecure) {
        findings.push_back({Finding::Weight::warning, "tls", origin_of(settings, prefix + "insecure"),
                            "the servers' identity is not verified: any server that answers gets the password",
                            "give a ca_file instead"});
    }
}

void review_limits(const Settings& settings, std::vector<Finding>& findings) {
    for (const auto& policy : settings.policies.policies()) {
        if (policy.limit || !policy.classes.empty() || settings.limit) continue;
        // Some limiters write it into the keys themselves.
        if (settings.limiter != nullptr && settings.limiter->quota_in(sample_key(policy))) continue;
        findings.push_back(
            {Finding::Weight::note, "policies", origin_of(settings, fmt::format("policies.{}.key", policy.name)),
             fmt::format("policy '{}' has no limit: its windows are never 'exhausted', their remaining is unknown",
                         policy.name),
             ""});
    }
}

}  // namespace

std::optional<std::string> common_key(const domain::KeyTemplate& a, const domain::KeyTemplate& b) {
    return Intersection(a.tokens(), b.tokens()).key();
}

bool covers(const domain::KeyTemplate& wider, const domain::KeyTemplate& narrower) {
    // A byte that is not a literal of `wider` can only fall into its holes, and any other bytes in its place would fall
    // there, too: if that one key matches, all do.
    const std::string& literals = wider.text();
    int fresh = 255;
    while (fresh > 0 && literals.find(static_cast<char>(fresh)) != std::string::npos) --fresh;
    char digit = '0';
    while (digit < '9' && literals.find(digit) != std::string::npos) ++digit;
    // A number of two digits beside one of one: else a hole of so many digits would do.
    return std::ranges::all_of(std::array{std::size_t{1}, std::size_t{2}}, [&](std::size_t digits) {
        domain::Captures values;
        for (const auto& hole : narrower.placeholders())
            values[hole] =
                hole == domain::kBucketHole ? std::string(digits, digit) : std::string(1, static_cast<char>(fresh));
        const auto key = narrower.expand(values);
        return key && wider.match(*key).has_value();
    });
}

std::vector<Finding> review(const Settings& settings) {
    std::vector<Finding> findings;
    review_ring(settings, findings);
    review_tls(settings.tls, "tls.", settings, findings);
    for (const auto& [shard, tls] : settings.shard_tls)
        review_tls(tls, fmt::format("shards.{}.tls.", shard), settings, findings);
    review_policies(settings, findings);
    review_limits(settings, findings);
    return findings;
}

}  // namespace ratectl::config
