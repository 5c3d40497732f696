// Asks the rules one after the other; the first one that is more than unsure decides.
#include "domain/identify/origin.h"

#include <array>
#include <utility>

#include "domain/identify/evidence.h"
#include "domain/limiter.h"

namespace ratectl::domain {
namespace {

using Type = HeldKey::Type;

constexpr std::array<std::pair<Type, std::string_view>, 7> kHeldTypes{{{Type::none, "none"},
                                                                       {Type::string, "string"},
                                                                       {Type::list, "list"},
                                                                       {Type::set, "set"},
                                                                       {Type::zset, "zset"},
                                                                       {Type::hash, "hash"},
                                                                       {Type::other, "other"}}};

constexpr std::array<std::string_view, 14> kHeldFields{
    "tokens", "refreshed", "rps",     "burst",     "window",  "refilledAt",    "start",
    "end",    "count",     "version", "reservoir", "running", "maxConcurrent", "nextRequest"};

/// Keys of a kind that are called alike but for how they end: each tells what the other is.
struct Ends {
    Type type = Type::string;
    std::string_view one, other;
};

std::span<const Ends> ends() {
    static const std::string expiry = Layout().expiry_suffix;
    static const std::array list{Ends{Type::string, "", expiry}, Ends{Type::string, "", ":timer"},
                                 Ends{Type::string, ".tokens", ".timestamp"}, Ends{Type::hash, "", ":knobs"}};
    return list;
}

Origin nothing_there() {
    Origin origin;
    origin.system = kNoSystem;
    origin.means = "there is no such key";
    return origin;
}

Origin unknown(const HeldKey& key) {
    Origin origin;
    if (key.hidden) {
        origin.means = "this account may not read it";
    } else {
        origin.means = "a " + std::string(name_of(key.type)) + " as no limiter that is known keeps one";
    }
    return origin;
}

}  // namespace

std::string_view name_of(Sureness sureness) {
    switch (sureness) {
        case Sureness::unsure: return "unsure";
        case Sureness::likely: return "likely";
        case Sureness::certain: return "certain";
    }
    return "unsure";
}

HeldKey::Type held_type_from(std::string_view name) {
    for (const auto& [type, called] : kHeldTypes) {
        if (called == name) return type;
    }
    return Type::other;
}

std::string_view name_of(HeldKey::Type type) {
    for (const auto& [one, called] : kHeldTypes) {
        if (one == type) return called;
    }
    return "other";
}

std::span<const std::string_view> held_fields() { return kHeldFields; }

std::vector<std::string> keys_beside(std::string_view name, HeldKey::Type type) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view from, std::string_view to) {
        if (name.size() <= from.size() || !name.ends_with(from)) return;
        names.push_back(std::string(name.substr(0, name.size() - from.size())).append(to));
    };
    for (const auto& pair : ends()) {
        if (type != pair.type && !(type == Type::none && pair.type == Type::string)) continue;
        add(pair.one, pair.other);
        add(pair.other, pair.one);
    }
    return names;
}

Origin origin_of(const Holding& holding) {
    if (!holding.key.is_there() && holding.beside.empty())
        return holding.key.hidden ? unknown(holding.key) : nothing_there();
    const identify::Evidence evidence(holding);
    std::optional<Origin> guess;
    for (const auto rules : {identify::object_rules(), identify::pair_rules(), identify::collection_rules(),
                             identify::bucket_rules(), identify::moment_rules(), identify::counter_rules()}) {
        for (const auto& rule : rules) {
            auto answer = rule.recognise(evidence);
            if (!answer) continue;
            answer->system = rule.system;
            if (answer->policy && (answer->policy->key.empty() || answer->sureness == Sureness::unsure))
                answer->policy.reset();
            if (answer->sureness != Sureness::unsure) return *std::move(answer);
            if (!guess) guess = std::move(answer);
        }
    }
    if (guess) return *std::move(guess);
    return holding.key.is_there() ? unknown(holding.key) : nothing_there();
}

}  // namespace ratectl::domain
