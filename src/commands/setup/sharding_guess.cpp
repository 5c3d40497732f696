// sharding guess: tries every preset on a sample of real keys, ranks them, and prints the line to configure.
#include <fmt/format.h>

#include "commands/report/fields/sharding_fields.h"
#include "commands/report/row_writer.h"
#include "commands/setup/sharding_request.h"
#include "commands/setup/sharding_sample.h"
#include "sharding/options.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

/// Why no rule can be named; empty when one can.
std::string doubt(const sharding::Ranking& ranking, std::size_t sampled) {
    if (sampled == 0) return "no window was found on any shard: there is nothing to guess from";
    if (ranking.decided) return {};
    const double share = share_of(ranking.guesses.front().in_place, sampled).value_or(0);
    if (4 * ranking.guesses.front().in_place >= 3 * sampled) {
        return fmt::format("{} keys are too few to decide: only {} of them {} the first from the second", sampled,
                           ranking.evidence, ranking.evidence == 1 ? "tells" : "tell");
    }
    return fmt::format("no rule explains the {} keys: the best has {} % of them in place", sampled,
                       support::percent_text(share));
}

void name_the_winner(const sharding::Ranking& ranking, Context& context) {
    const sharding::Guess& best = ranking.guesses.front();
    context.messages().notice(sharding::toml_of(best.options),
                              "put that line into the deployment's table of the configuration");
    for (std::size_t i = 0; i < best.labels.size(); ++i) {
        context.messages().notice(
            fmt::format("shard '{}': label = \"{}\"", context.directory().name_of(i), best.labels[i]));
    }
    if (best.weights_ignored) context.messages().notice("without the weights of the shards");
    if (!best.same.empty()) {
        context.messages().notice(fmt::format("{} put every sampled key on the same shard", fmt::join(best.same, "; ")),
                                  "name the library that the application really uses");
    }
}

}  // namespace

ExitCode run_sharding_guess(const ShardingRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(ranked_guess_fields()))) return ExitCode::done;
    const std::size_t per_shard = sample_size(request.sample);
    if (context.directory().places().size() < 2) {
        throw support::Failure(ExitCode::usage, "one shard has every key: there is nothing to guess",
                               "name every shard of the application, in the order of its configuration");
    }
    if (context.directory().has_slots()) {
        throw support::Failure(ExitCode::usage, "a Redis Cluster places keys by its slots: there is nothing to guess",
                               "`ratectl locate KEY --steps` shows how");
    }
    Sample sample = take_sample(per_shard, context);
    const auto sightings = sample.sightings();
    const auto ranking = sharding::guess(context.directory().servers(), sightings);
    RowWriter<RankedGuess> rows(context, ranked_guess_fields(), "ratectl.sharding-guess.v1", {}, true, request.order);
    for (std::size_t i = 0; i < ranking.guesses.size(); ++i) {
        rows.write({.rank = i + 1,
                    .guess = &ranking.guesses[i],
                    .sampled = sightings.size(),
                    .evidence = i == 0 ? std::optional(ranking.evidence) : std::nullopt});
    }
    auto& outcome = sample.outcome;
    outcome.add(rows.end(outcome.footer()));
    const std::string reason = doubt(ranking, sightings.size());
    if (reason.empty()) name_the_winner(ranking, context);
    const std::string summary = reason.empty()
                                    ? fmt::format("{} keys lead to {} ({} combinations tried)", sightings.size(),
                                                  sharding::text_of(ranking.guesses.front().options), ranking.tried)
                                    : reason;
    if (!reason.empty()) outcome.attend();
    return outcome.close(summary, {{"sampled", static_cast<std::int64_t>(sightings.size())},
                                   {"tried", static_cast<std::int64_t>(ranking.tried)},
                                   {"evidence", static_cast<std::int64_t>(ranking.evidence)}});
}

}  // namespace ratectl::commands
