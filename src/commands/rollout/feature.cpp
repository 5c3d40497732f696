// Looks at features, and says where they are.
#include "commands/rollout/feature.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "output/printable.h"
#include "store/directory.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::rollout {

store::Place place_of_feature(const std::string& key, FeatureContext& context) {
    const auto place = context.directory().place_of(key);
    if (!place) {
        throw support::Failure(ExitCode::configuration,
                               "nothing says how keys are shared out over several servers, so it is unknown which of "
                               "them has the feature",
                               "-u names the one server that Flipper keeps its features on");
    }
    return *place;
}

namespace {

const domain::ReadFrom kFromPrimary{domain::ReadFrom::Which::primary, {}};

SeenFeature seen_in(const std::string& name, const store::LookAnswer& answer) {
    SeenFeature seen{answer.node, std::nullopt, answer.stale};
    if (!answer.look) {
        seen.gates = tl::make_unexpected(answer.look.error());
    } else if (domain::has_wrong_type(*answer.look)) {
        seen.gates =
            support::failure(ExitCode::guard,
                             fmt::format("key {} is a {}, and a feature of Flipper is a hash", support::quoted(name),
                                         answer.look->parts.front().type.value_or("key")),
                             {});
    } else {
        seen.gates = answer.look->limiter->gates_in(*answer.look);
    }
    return seen;
}

store::HoldingAnswer hold(const std::string& key, const domain::ReadFrom& from, std::size_t most,
                          FeatureContext& context) {
    const store::KeyAt at[] = {{key, place_of_feature(key, context)}};
    return std::move(context.store().hold({at, from, most}).front());
}

/// Actors and groups have a field each, beside those of the gates.
std::int64_t fields_of_names(const std::string& name, const domain::FeatureGates& gates, FeatureContext& context) {
    const auto holding = hold(name, kFromPrimary, 1, context).holding;
    const auto known = std::ranges::count_if(gates.texts, [](const auto& text) { return text.has_value(); });
    return holding ? holding->key.length - known : 0;
}

std::string words_of_others(const domain::FeatureGates& gates, std::int64_t named) {
    std::string words;
    if (named > 0) words = fmt::format("{} by name (actors and groups)", named);
    const auto time = gates.of(domain::FeatureGate::time).value_or("0");
    if (const auto share = support::parse_percent(time); share && *share == 0) return words;
    return fmt::format("{}{}{} % of the time", words, words.empty() ? "" : " and ", output::printable(time));
}

}  // namespace

std::vector<SeenFeature> look_at_feature(const std::string& name, const domain::ReadFrom& from,
                                         FeatureContext& context) {
    const store::KeyAt at[] = {{name, place_of_feature(name, context)}};
    std::vector<SeenFeature> seen;
    for (const auto& answer : context.store().look({at, from, domain::LookDepth::full, false, false}))
        seen.push_back(seen_in(name, answer));
    return seen;
}

store::HoldingAnswer names_of_features(const domain::ReadFrom& from, FeatureContext& context) {
    return hold(kNamesOfFeatures, from, 10'000, context);
}

support::Result<bool> is_listed_feature(const std::string& name, FeatureContext& context) {
    const auto answer = names_of_features(kFromPrimary, context);
    if (!answer.holding) return tl::make_unexpected(answer.holding.error());
    const auto& names = answer.holding->key.elements;
    return std::ranges::find(names, name, &std::pair<std::string, std::string>::first) != names.end();
}

StoredShare share_of_actors(const std::string& name, Context& context) {
    FeatureContext features(context);
    const auto seen = std::move(look_at_feature(name, kFromPrimary, features).front());
    const auto& gates = support::value_or_throw(seen.gates);
    if (!gates) {
        if (support::value_or_throw(is_listed_feature(name, features))) return {};
        throw support::Failure(ExitCode::configuration,
                               fmt::format("{} has no feature {}", seen.node.name(), support::quoted(name)),
                               "--at PERCENT says what is not stored");
    }
    if (gates->is_fully_on()) return {100};
    const auto stored = gates->of(domain::FeatureGate::actors).value_or("0");
    const auto share = support::parse_percent(stored);
    if (share && *share <= 100) return {*share, words_of_others(*gates, fields_of_names(name, *gates, features))};
    throw support::Failure(ExitCode::configuration,
                           fmt::format("feature {} is stored with {} as its percentage of actors, which is none",
                                       support::quoted(name), support::quoted(stored)),
                           "--at PERCENT says another one");
}

}  // namespace ratectl::commands::rollout
