// Takes names from every shard, looks at what they hold, and counts what is alike.
#include "commands/looks/origins.h"

#include <algorithm>

#include <fmt/format.h>

#include "store/directory.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kLookedAtAtOnce = 1000;

/// As a configuration takes it: people's own words where they are exact.
std::string period_text(support::Seconds period) {
    const auto words = support::format_duration(period);
    const auto exact = support::parse_duration(words);
    return exact && *exact == period ? words : fmt::format("{}s", period.count());
}

bool is_scheme(std::string_view name) {
    try {
        store::limiter_of({.scheme = std::string(name)});
        return true;
    } catch (const support::Failure&) {
        return false;
    }
}

class KindCounter {
public:
    explicit KindCounter(const config::Settings& settings) : settings_(settings) {}

    void take(const std::string& key, const domain::Holding& holding) {
        auto origin = shown_origin(domain::origin_of(holding), key, settings_);
        if (origin.system == domain::kNoSystem) return;  // it has gone since it was listed
        const auto alike = std::ranges::find_if(kinds_, [&origin](const KeyKind& kind) {
            return kind.origin.system == origin.system && kind.origin.sureness == origin.sureness &&
                   kind.origin.policy == origin.policy;
        });
        if (alike != kinds_.end()) {
            ++alike->keys;
            return;
        }
        domain::Origin common;
        common.system = origin.system;
        common.sureness = origin.sureness;
        common.policy = std::move(origin.policy);
        kinds_.push_back({key, std::move(common), 1});
    }
    std::vector<KeyKind> sorted() {
        std::ranges::stable_sort(kinds_, std::ranges::greater{}, &KeyKind::keys);
        return std::move(kinds_);
    }

private:
    const config::Settings& settings_;
    std::vector<KeyKind> kinds_;
};

}  // namespace

domain::Origin shown_origin(domain::Origin origin, std::string_view key, const config::Settings& settings) {
    const auto match = settings.policies.match(key);
    if (match && match->policy->masked) origin.policy.reset();
    return origin;
}

std::vector<KeyKind> sample_origins(const OriginQuestion& question, store::Store& store, Context& context,
                                    Outcome& outcome) {
    KindCounter kinds(question.settings);
    std::size_t looked_at = 0;
    const auto fail = [&](const domain::Node& node, const support::Error& error) {
        if (!context.stop()) outcome.fail_once(node, error);
    };
    for (const auto& sample : store.sample_names(question.shards, question.from, question.most)) {
        if (sample.failure) fail(sample.failure->node, sample.failure->error);
        if (!sample.failure || !sample.names.empty()) outcome.answer();
        for (std::size_t first = 0; first < sample.names.size() && !context.stop(); first += kLookedAtAtOnce) {
            const auto end = std::min(first + kLookedAtAtOnce, sample.names.size());
            std::vector<store::KeyAt> asked;
            asked.reserve(end - first);
            for (auto i = first; i < end; ++i) asked.push_back({sample.names[i], sample.shard});
            for (const auto& answer : store.hold({asked, question.from})) {
                if (answer.holding) {
                    kinds.take(asked[answer.key].key, *answer.holding);
                } else {
                    fail(answer.node, answer.holding.error());
                }
            }
            for (const auto& [node, error] : store.look_failures()) fail(node, error);
            looked_at += end - first;
            context.messages().progress(fmt::format("{} keys looked at", looked_at));
        }
    }
    context.messages().clear_progress();
    return kinds.sorted();
}

std::int64_t count_keys(const std::vector<KeyKind>& kinds) {
    std::int64_t keys = 0;
    for (const auto& kind : kinds) keys += kind.keys;
    return keys;
}

domain::ReadFrom one_node(const domain::ReadFrom& from) {
    if (from.which != domain::ReadFrom::Which::all) return from;
    throw support::Failure(ExitCode::usage, "one node of every shard is read here",
                           "--from primary, --from replica, or the address of one");
}

const config::StarterPolicy* OriginPolicies::policy_of(const domain::Origin& origin) {
    if (!origin.policy) return nullptr;
    const auto& hint = *origin.policy;
    const std::string system(origin.system);
    auto scheme = schemes_.find(system);
    if (scheme == schemes_.end()) scheme = schemes_.emplace(system, is_scheme(system)).first;
    if (!scheme->second) return nullptr;
    const auto [known, is_new] =
        known_.emplace(Policy(system, hint.key, hint.period.value_or(support::Seconds{})), policies_.size());
    if (is_new) {
        config::StarterPolicy policy;
        policy.name = name_for(system);
        policy.key = hint.key;
        policy.scheme = system;
        if (hint.limit) policy.limit = std::to_string(*hint.limit);
        if (hint.period) policy.period = period_text(*hint.period);
        if (*origin.sureness != domain::Sureness::certain) policy.note = "likely, and not certain";
        if (hint.guessed) policy.note = "where the client begins is a guess";
        policies_.push_back(std::move(policy));
    }
    return &policies_[known->second];
}

std::string OriginPolicies::table_of(const domain::Origin& origin) {
    const auto* policy = policy_of(origin);
    return policy == nullptr ? std::string() : config::policy_table(*policy, deployment_);
}

std::string OriginPolicies::name_for(const std::string& system) {
    const auto number = ++names_[system];
    return number == 1 ? system : fmt::format("{}-{}", system, number);
}

std::string OriginPolicies::text() const {
    std::string text;
    for (const auto& policy : policies_) text.append("\n").append(config::policy_table(policy, deployment_));
    return text;
}

}  // namespace ratectl::commands
