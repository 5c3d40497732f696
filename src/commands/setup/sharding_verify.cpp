// sharding verify: checks real keys against the configured rule, a row a shard, and gives a verdict.
#include <algorithm>

#include <fmt/format.h>

#include "commands/looks/stranded.h"
#include "commands/report/fields/sharding_fields.h"
#include "commands/report/row_writer.h"
#include "commands/report/sharding_collisions.h"
#include "commands/setup/sharding_request.h"
#include "commands/setup/sharding_sample.h"
#include "sharding/options.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kExamples = 5;
constexpr std::size_t kLikelier = 3;
constexpr double kLikeChance = 0.9;  // so much of what chance would misplace is a wrong rule

/// A key that is not where the rule has it.
struct Stray {
    const std::string* key = nullptr;
    std::size_t found_on = 0;
    std::size_t belongs_on = 0;
};

const sharding::ShardMap& map_to_verify(Context& context) {
    if (const sharding::ShardMap* map = context.directory().rule()) return *map;
    throw support::Failure(ExitCode::configuration, "there is no rule to verify: nothing says how keys are shared out",
                           "`ratectl sharding guess` finds a rule that explains where the keys are");
}

class Verification {
public:
    Verification(const Sample& sample, const sharding::ShardMap& map, Context& context)
        : sample_(sample), context_(context), settings_(context.settings()) {
        for (const ShardSample& part : sample.shards) {
            VerifiedShard row{.shard = context.directory().name_of(part.shard),
                              .node = part.node,
                              .sampled = part.keys.size(),
                              .in_place = 0,
                              .complete = part.complete,
                              .stray = {},
                              .stray_belongs_on = {},
                              .stranded = {}};
            for (const std::string& key : part.keys) {
                const std::size_t belongs_on = map.shard_of(key);
                // A Redis Cluster leads every client to what a sweep has met, also to a window ahead of its slot.
                if (belongs_on == part.shard || context.directory().leads_to_keys()) {
                    ++row.in_place;
                    continue;
                }
                if (!row.stray) {
                    row.stray = key;
                    row.stray_belongs_on = name_of(belongs_on);
                }
                strays_.push_back({&key, part.shard, belongs_on});
            }
            rows_.push_back(std::move(row));
        }
    }

    const std::vector<VerifiedShard>& rows() const { return rows_; }
    /// Those that lie there, whether they would be of a sample or not. Primaries without slots were not sampled.
    void add(const store::StrandedWindows& stranded) {
        stranded_ = stranded.windows.size();
        silent_ = stranded.failures.size();
        for (const auto& [key, names, slot, node, ownerless] : stranded.windows) {
            const auto is_its = [&shard = node.shard](const auto& row) { return row.shard == shard; };
            if (std::ranges::none_of(rows_, is_its))
                rows_.push_back({.shard = node.shard,
                                 .node = node,
                                 .sampled = 0,
                                 .in_place = 0,
                                 .complete = true,
                                 .stray = {},
                                 .stray_belongs_on = {},
                                 .stranded = {}});
        }
        for (VerifiedShard& row : rows_) {
            const auto is_here = [&row](const auto& found) { return found.node.shard == row.shard; };
            if (std::ranges::any_of(stranded.failures, is_here)) continue;
            row.stranded = static_cast<std::size_t>(std::ranges::count_if(stranded.windows, is_here));
        }
    }
    bool any_stranded() const { return stranded_ > 0; }
    bool any_stray() const { return !strays_.empty(); }

    ExitCode close(const Outcome& outcome) const {
        name_examples();
        if (any_stray()) name_likelier_rules();
        auto text = verdict();
        if (stranded_ > 0) {
            text += fmt::format("; {} besides where no client is led to {}",
                                stranded_ == 1 ? "1 window lies" : fmt::format("{} windows lie", stranded_),
                                stranded_ == 1 ? "it" : "them");
        }
        if (silent_ > 0) text += "; " + silent_primaries(silent_);
        return outcome.close(text, {{"sampled", count(sample_.size())},
                                    {"in_place", count(sample_.size() - strays_.size())},
                                    {"misplaced", count(strays_.size() + stranded_)},
                                    {"shards", count(sample_.shards.size())}});
    }

private:
    static std::int64_t count(std::size_t number) { return static_cast<std::int64_t>(number); }
    const std::string& name_of(std::size_t shard) const { return context_.directory().name_of(shard); }

    std::string verdict() const {
        const std::size_t sampled = sample_.size();
        if (sampled == 0) return "no window was found on any shard: nothing is proved";
        if (strays_.empty())
            return fmt::format("100 % in place: all {} sampled windows are where they should be", sampled);
        const double misplaced = static_cast<double>(strays_.size()) / static_cast<double>(sampled);
        const auto shards = static_cast<double>(context_.directory().places().size());
        const std::string counted = fmt::format("{} of {} sampled windows", strays_.size(), sampled);
        if (misplaced >= kLikeChance * (shards - 1) / shards) {
            return fmt::format("about {0}/{1} misplaced ({2}), as if by chance: wrong labels or preset",
                               context_.directory().places().size() - 1, context_.directory().places().size(), counted);
        }
        const double in_place = share_of(sampled - strays_.size(), sampled).value_or(0);
        if (in_place >= 90)
            return fmt::format(
                "{} % in place; {} are left over from another rule, or were put there while a server was away",
                support::percent_text(in_place), counted);
        return fmt::format("{} % in place; {} are not: a label, a weight, a hash or the order of servers is wrong",
                           support::percent_text(in_place), counted);
    }

    /// Of different shards where possible: every stray of one shard may have one reason.
    void name_examples() const {
        const std::size_t step = std::max<std::size_t>(strays_.size() / kExamples, 1);
        for (std::size_t i = 0, named = 0; i < strays_.size() && named < kExamples; i += step, ++named) {
            const Stray& stray = strays_[i];
            context_.messages().notice(fmt::format("'{}' is on shard '{}' and belongs on '{}'", *stray.key,
                                                   name_of(stray.found_on), name_of(stray.belongs_on)));
        }
    }

    void name_likelier_rules() const {
        const auto sightings = sample_.sightings();
        const auto ranking = sharding::guess(context_.directory().servers(), sightings, kLikelier);
        for (const sharding::Guess& guess : ranking.guesses) {
            const bool better = guess.in_place > sample_.size() - strays_.size();
            if (!better || 2 * guess.in_place < sample_.size()) break;
            std::string text = fmt::format("{} explains {} % of them", sharding::text_of(guess.options),
                                           support::percent_text(share_of(guess.in_place, sample_.size()).value_or(0)));
            if (!guess.spelling.empty()) text += fmt::format(" with {}", guess.spelling);
            context_.messages().notice(text,
                                       &guess == &ranking.guesses.front()
                                           ? "`ratectl sharding guess` prints the ranking and the line to configure"
                                           : "");
        }
    }

    const Sample& sample_;
    Context& context_;
    const config::Settings& settings_;
    std::vector<VerifiedShard> rows_;
    std::vector<Stray> strays_;
    std::size_t stranded_ = 0;
    std::size_t silent_ = 0;  // primaries that may have more of them
};

/// No sample shows them: their nodes send all who ask elsewhere.
void take_stranded(Verification& verification, Outcome& outcome, Context& context) {
    if (!context.directory().leads_to_keys()) return;
    auto found = context.store().stranded();
    for (const auto& [node, error] : found.failures) outcome.fail_once(node, error);
    std::erase_if(found.windows, [&](const auto& window) { return !is_window(window, context.settings()); });
    verification.add(found);
    if (found.windows.empty()) return;
    const auto& first = found.windows.front();
    context.messages().notice(fmt::format("'{}' is on '{}', {} its slot, {}", first.key, first.node.shard,
                                          first.ownerless ? "and no node has" : "which does not have", first.slot),
                              "`ratectl doctor --only misplaced` names all of them");
}

}  // namespace

ExitCode run_sharding_verify(const ShardingRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(verified_shard_fields()))) return ExitCode::done;
    const std::size_t per_shard = sample_size(request.sample);
    const sharding::ShardMap& map = map_to_verify(context);
    report_collisions(context, map);
    Sample sample = take_sample(per_shard, context);
    Verification verification(sample, map, context);
    auto& outcome = sample.outcome;
    take_stranded(verification, outcome, context);
    RowWriter<VerifiedShard> rows(context, verified_shard_fields(), "ratectl.sharding-verify.v1", {}, true,
                                  request.order);
    for (const VerifiedShard& row : verification.rows()) rows.write(row);
    outcome.add(rows.end(outcome.footer()));
    if (verification.any_stray() || verification.any_stranded() || sample.size() == 0) outcome.attend();
    return verification.close(outcome);
}

}  // namespace ratectl::commands
