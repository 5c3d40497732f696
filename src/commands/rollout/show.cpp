// rollout show: for whom features are on, as Flipper's Redis has them.
#include <set>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/rollout/feature.h"
#include "commands/rollout/rollout_requests.h"
#include "domain/identify/holding.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::rollout {
namespace {

constexpr std::string_view kFeatureSchema = "ratectl.feature.v1";

[[noreturn]] void throw_no_list(const domain::HeldKey& key) {
    throw support::Failure(ExitCode::guard,
                           key.hidden ? fmt::format("this account may not read key {}, which has the features' names",
                                                    support::quoted(kNamesOfFeatures))
                                      : fmt::format("key {} is a {}, and the names of Flipper's features are a set",
                                                    support::quoted(kNamesOfFeatures), domain::name_of(key.type)),
                           "rollout show NAME needs no list");
}

/// Says which percentages are none. True: there is one.
bool tell_what_is_none(const std::string& name, const domain::FeatureGates& gates, Context& context) {
    bool told = false;
    for (const auto gate : {domain::FeatureGate::actors, domain::FeatureGate::time}) {
        const auto text = gates.of(gate).value_or("0");
        const auto share = support::parse_percent(text);
        if (share && *share <= 100) continue;
        context.messages().warning(
            fmt::format("feature {}: {} is stored as {}, which is no percentage", support::quoted(name),
                        domain::kGateFields.at(static_cast<std::size_t>(gate)), support::quoted(text)),
            "what Flipper makes of it is its own business; rollout set stores one of actors");
        told = true;
    }
    return told;
}

class Show {
public:
    Show(const ShowRequest& request, Context& context)
        : request_(request),
          context_(context),
          features_(context),
          from_(context.settings().read_from),
          outcome_(context),
          rows_(context, feature_fields(), kFeatureSchema,
                from_.which == domain::ReadFrom::Which::primary ? std::string_view() : kFeatureColumnsWithNode, true,
                request.order) {}

    ExitCode run() {
        const bool are_named = !request_.features.empty();
        if (!are_named) names_of_all();
        const auto names = are_named ? request_.features : std::vector<std::string>(listed_->begin(), listed_->end());
        for (const auto& name : names) {
            if (context_.stop()) break;
            if (name.empty()) throw_empty("feature");
            show(name);
        }
        outcome_.add(rows_.end(outcome_.footer(!context_.stop())));
        return close(static_cast<std::int64_t>(names.size()));
    }

private:
    using Which = domain::ReadFrom::Which;

    std::vector<domain::ReadFrom> lists_to_read() {
        if (from_.which != Which::all) return {from_};
        std::vector<domain::ReadFrom> each;
        for (const auto& node : features_.store().nodes(place_of_feature(kNamesOfFeatures, features_).shard))
            each.push_back({Which::node, node.name()});
        return each;
    }

    void tell_stand_ins() {
        for (const auto& [node, error] : features_.store().look_failures()) outcome_.fail_once(node, error);
    }

    /// What the nodes that are asked have on Flipper's list, all together.
    void read_list() {
        listed_.emplace();
        for (const auto& from : lists_to_read()) {
            auto answer = names_of_features(from, features_);
            tell_stand_ins();
            if (answer.holding) {
                outcome_.answer();
                for (const auto& [name, nothing] : answer.holding->key.elements) listed_->insert(name);
                lists_.push_back(std::move(answer.holding->key));
            } else {
                fail(answer.node, answer.holding.error());
            }
        }
    }

    /// Where the list alone says which features there are.
    void names_of_all() {
        read_list();
        for (const auto& list : lists_) {
            if (list.hidden || (list.is_there() && list.type != domain::HeldKey::Type::set)) throw_no_list(list);
            if (list.length <= static_cast<std::int64_t>(list.elements.size())) continue;
            context_.messages().warning(fmt::format("{} of {} features are shown", list.elements.size(), list.length),
                                        "rollout show NAME");
            outcome_.leave_undone();
        }
    }

    /// A feature without gates is listed: it is off for all. Null: no server has told.
    std::optional<bool> is_listed(const std::string& name) {
        if (!listed_) read_list();
        if (listed_->contains(name)) return true;
        return lists_.empty() ? std::nullopt : std::optional(false);
    }

    void show(const std::string& name) {
        auto answers = look_at_feature(name, from_, features_);
        tell_stand_ins();
        bool is_there = false;
        bool is_absent = false;
        for (auto& [node, gates, stale] : answers) {
            FeatureRow row{name, node, shown_shard(node, stale), stale, gates.has_value(), {}};
            if (gates) {
                row.gates = std::move(*gates);
            } else {
                fail(node, gates.error());
            }
            if (row.answered && !row.gates) {
                const auto listed = is_listed(name);
                row.answered = listed.has_value();
                if (listed.value_or(false)) row.gates = domain::FeatureGates();
            }
            if (row.answered) outcome_.answer();
            if (row.gates && tell_what_is_none(name, *row.gates, context_)) outcome_.attend();
            is_there = is_there || row.gates;
            is_absent = is_absent || (row.answered && !row.gates);
            rows_.write(row);
        }
        there_ += is_there ? 1 : 0;
        absent_ += is_absent && !is_there ? 1 : 0;
    }

    /// A server that is gone is told of once, and each key that is no feature.
    void fail(const domain::Node& node, const support::Error& error) {
        if (error.code == ExitCode::guard) return outcome_.fail(node, error);
        if (!context_.stop()) outcome_.fail_once(node, error);
    }

    std::string_view shown_shard(const domain::Node& node, bool stale) {
        const auto format = rows_.options().format;
        const bool is_for_people = format == output::Format::table || format == output::Format::wide;
        if (!stale || !is_for_people) return node.shard;
        return *stale_shards_.insert(node.shard + " (stale)").first;
    }

    ExitCode close(std::int64_t features) const {
        const auto unread = features - there_ - absent_;
        auto line = fmt::format("{} of {} features are there", there_, features);
        if (unread > 0) line += fmt::format("; {} could not be read", unread);
        if (request_.features.empty() && lists_.empty()) line = "the list of all features could not be read";
        return outcome_.close(line, {{"features", features}, {"absent", absent_}, {"unread", unread}});
    }

    const ShowRequest& request_;
    Context& context_;
    FeatureContext features_;
    domain::ReadFrom from_;
    Outcome outcome_;
    RowWriter<FeatureRow> rows_;
    std::optional<std::set<std::string>> listed_;  // once it was asked for
    std::vector<domain::HeldKey> lists_;           // of the servers that have told
    std::set<std::string> stale_shards_;           // as people see them
    std::int64_t there_ = 0, absent_ = 0;
};

}  // namespace

ExitCode run_show(const ShowRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(feature_fields()))) return ExitCode::done;
    return Show(request, context).run();
}

}  // namespace ratectl::commands::rollout
