// reshard plan: forecasts windows as they are found, pairs of shards at the end; memory stays the same for any number.
#include "commands/reshard/reshard_request.h"

#include <map>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/reshard_fields.h"
#include "commands/report/fields/window_fields.h"
#include "commands/report/key_mask.h"
#include "commands/report/row_writer.h"
#include "commands/reshard/survey.h"
#include "support/number_text.h"

namespace ratectl::commands::reshard {
namespace {

constexpr std::string_view kSchema = "ratectl.reshard-plan.v1";

double percent(std::uint64_t part, std::uint64_t whole) {
    return support::percent_of(static_cast<std::int64_t>(part), static_cast<std::int64_t>(whole)).value_or(0);
}

/// People get two tables, programs one kind of row.
class Writers {
public:
    Writers(const ColumnOrder& order, Context& context) : context_(context), order_(order) {
        const auto format = context.sink_options(kSchema).format;
        two_tables_ = format == output::Format::table && !context.options().columns;
        only_keys_ = format == output::Format::name;
        if (!two_tables_) open({});
    }
    void window(const ForecastRow& row) {
        if (two_tables_ && !all_) open(kForecastWindows);
        all_->write(row);
    }
    void begin_shards() {
        if (!two_tables_) return;
        if (all_) {
            code_ = all_->end({});
            context_.out().write("\n");
        }
        open(kForecastShards);
    }
    void shards(const ForecastRow& row) {
        if (!only_keys_) all_->write(row);
    }
    void end(Outcome& outcome) {
        outcome.add(code_);
        outcome.add(all_->end(outcome.footer()));
    }

private:
    void open(std::string_view narrow) { all_.emplace(context_, forecast_fields(), kSchema, narrow, true, order_); }

    Context& context_;
    const ColumnOrder& order_;
    bool two_tables_ = false;
    bool only_keys_ = false;
    std::optional<RowWriter<ForecastRow>> all_;
    ExitCode code_ = ExitCode::done;
};

struct Traffic {
    std::uint64_t windows = 0;
    std::uint64_t moved = 0;
};

class Forecast {
public:
    Forecast(const ForecastRequest& request, const DeploymentPair& deployments, Context& context)
        : request_(request), deployments_(deployments), context_(context), writers_(request.order, context) {}

    ExitCode run() {
        say_what_is_unproven();
        const auto& settings = deployments_.from.settings;
        Survey survey(deployments_, request_.states, settings.from_given ? settings.read_from : settings.scan_from,
                      context_);
        last_progress_ = context_.wall_clock();
        while (survey.next([this](const Surveyed& found) { take(found); })) say_progress();
        context_.messages().clear_progress();
        writers_.begin_shards();
        write_shards();
        return finish(survey);
    }

private:
    void take(const Surveyed& found) {
        const bool stays = found.stays();
        if (found.goes_along) {
            auto& traffic = traffic_[{found.from, found.route->to}];
            ++traffic.windows;
            traffic.moved += stays ? 0 : 1;
        }
        if (stays) return;
        const bool counts = domain::counts_at(found.window, context_.now());
        if (counts && !found.window.limit && !found.meaning.exempt()) ++without_limit_;
        const auto share = counts ? percent_of(found.window) : std::nullopt;
        if (!share || *share < request_.above) return;
        ++noticed_;
        std::string client;  // outlives the row
        ForecastRow row;
        row.row = "window";
        row.key = found.look.key;
        row.from = name_of(deployments_.from, found.from);
        if (found.route) row.to = name_of(deployments_.to, found.route->to);
        if (found.meaning.match) {
            row.policy = found.meaning.match->policy->name;
            client = visible_client(*found.meaning.match);
            row.client = client;
        }
        row.used = found.window.used;
        row.limit = found.window.limit;
        row.percent = share;
        row.reset_at = found.window.reset_at;
        writers_.window(row);
    }

    static std::string_view name_of(const OpenDeployment& side, std::size_t shard) {
        return side.store->directory().name_of(shard);
    }

    void write_shards() {
        std::map<std::size_t, std::uint64_t> of_source;
        for (const auto& [pair, traffic] : traffic_) of_source[pair.first] += traffic.windows;
        for (const auto& [pair, traffic] : traffic_) {
            ForecastRow row;
            row.row = "shards";
            row.from = name_of(deployments_.from, pair.first);
            row.to = name_of(deployments_.to, pair.second);
            row.windows = static_cast<std::int64_t>(traffic.windows);
            row.moved = static_cast<std::int64_t>(traffic.moved);
            row.share = percent(traffic.windows, of_source[pair.first]);
            writers_.shards(row);
            all_.windows += traffic.windows;
            all_.moved += traffic.moved;
        }
    }

    ExitCode finish(const Survey& survey) {
        Outcome outcome(context_);
        for (const auto& [node, error] : survey.failures()) outcome.fail(node, error);
        if (auto hole = deployments_.to.store->open_slots().hole()) {
            hole->message = fmt::format("{}: {}; what would go there stays", deployments_.to_name, hole->message);
            outcome.cannot_tell(*hole);
        }
        if (survey.shards_seen() > 0 || all_.windows > 0) outcome.answer();
        writers_.end(outcome);
        survey.left_behind().tell_nameless(context_.messages(), deployments_);
        return close(outcome, survey.left_behind());
    }

    ExitCode close(const Outcome& outcome, const LeftBehind& left) const {
        std::string text = fmt::format(
            "{} from {} to {}: {} would move ({} %), and {} at {:g} % of the limit or more would get a fresh one",
            support::counted(all_.windows, "window"), deployments_.from_name, deployments_.to_name, all_.moved,
            support::share_text(all_.moved, all_.windows), support::counted(noticed_, "client"), request_.above);
        if (without_limit_ > 0) text += fmt::format("; {} of them have no known limit", without_limit_);
        if (const auto words = left.words(); !words.empty()) text += "; left behind: " + words;
        const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
        std::vector<std::pair<std::string, std::int64_t>> counts{{"windows", number(all_.windows)},
                                                                 {"moved", number(all_.moved)},
                                                                 {"fresh", number(noticed_)},
                                                                 {"without_limit", number(without_limit_)}};
        for (auto& count : left.counts()) counts.push_back(std::move(count));
        return outcome.close(text, counts);
    }

    void say_progress() {
        const auto now = context_.wall_clock();
        if (now - last_progress_ < output::kProgressEvery) return;
        last_progress_ = now;
        std::uint64_t windows = 0;
        for (const auto& [pair, traffic] : traffic_) windows += traffic.windows;
        context_.messages().progress(fmt::format("{} windows", windows));
    }

    /// A server that is not there yet is no obstacle to a plan.
    void say_what_is_unproven() const {
        for (const auto& silent : deployments_.silent_targets) {
            context_.messages().notice(
                fmt::format("shard '{}' of {} does not say which server it is; if it is one of {} under another "
                            "address, fewer windows move",
                            silent.node.shard, deployments_.to_name, deployments_.from_name),
                silent.error.message);
        }
    }

    const ForecastRequest& request_;
    const DeploymentPair& deployments_;
    Context& context_;
    Writers writers_;
    std::map<std::pair<std::size_t, std::size_t>, Traffic> traffic_;
    Traffic all_;
    std::uint64_t noticed_ = 0;
    std::uint64_t without_limit_ = 0;
    support::WallTime last_progress_{};
};

}  // namespace

ExitCode forecast(const ForecastRequest& request, const DeploymentPair& deployments, Context& context) {
    return Forecast(request, deployments, context).run();
}

}  // namespace ratectl::commands::reshard
