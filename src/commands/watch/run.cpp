// Runs watch in rounds: finds the keys, looks at them all at once, prints what is new, and waits for the next round.
#include "commands/watch/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_set>

#include "commands/looks/placed_keys.h"
#include "commands/outcome.h"
#include "commands/report/row_writer.h"
#include "commands/watch/server_health.h"
#include "commands/watch/watched_windows.h"
#include "domain/cluster/slot_faults.h"
#include "support/time_text.h"

namespace ratectl::commands::watch {
namespace {

using std::chrono::steady_clock;
using support::Failure;

constexpr std::string_view kSchema = "ratectl.changes.v1";
/// Where every server's look is a line of its own, the line says whose.
constexpr std::string_view kColumnsOfNodes = "at,key,event,used,delta,limit,reset_at,rate,exhausts_in,shard,node";
/// A watch remembers every window that it watches.
constexpr std::size_t kMostKeys = 100'000;
constexpr std::size_t kKeysAtOnce = 1000;
/// For how long it may go unnoticed that standard output was closed.
constexpr support::Milliseconds kGlance{200};
/// How often replicas are asked whether their links are up; connections that stay open would not tell.
constexpr std::chrono::seconds kLinksEvery{5};

std::string server_name(const domain::Node& node) { return node.shard + '\n' + node.name(); }

class WatchRun {
public:
    WatchRun(const Order& order, const Selection& selection, const Filter& filter, Context& context)
        : order_(order),
          selection_(selection),
          filter_(filter),
          context_(context),
          settings_(context.settings()),
          sweeps_(selects_by_sweep(selection)),
          follows_(!sweeps_ && !selection.clients.empty() && !sets(selection, domain::kBucketHole)),
          from_(sweeps_ && !settings_.from_given ? settings_.scan_from : settings_.read_from),
          started_(steady_clock::now()),
          clock_(settings_.now, context.wall_clock()),
          rows_(context, watch_fields(), kSchema,
                from_.which == domain::ReadFrom::Which::all ? kColumnsOfNodes : std::string_view{}),
          outcome_(context),
          windows_({order.goals, order.any_window, from_.which == domain::ReadFrom::Which::all}, filter, clock_,
                   context, [this](const WatchRow& row) { print(row); }) {}

    ExitCode run() {
        try {
            if (!sweeps_) find_named();
            if (sweeps_ || !keys_.empty()) watch();
        } catch (const Failure&) {
            for (auto& failure : failures()) outcome_.fail(std::move(failure));
            rows_.end(outcome_.footer(false));
            throw;
        }
        return finish();
    }

private:
    void print(const WatchRow& row) {
        if (wants_no_rows(context_.options())) return;
        rows_.write(row);
        if (rows_.options().format == output::Format::ndjson) rows_.flush();
        printed_ = true;
    }

    void watch() {
        auto next = started_;
        for (std::uint64_t rounds = 1; !context_.stop(); ++rounds) {
            look();
            if (reached_ || hopeless_ || in_vain_ || is_over() || rounds == order_.rounds) return;
            // A round that took longer than its time is not made up for.
            const auto now = steady_clock::now();
            next += order_.every * std::max<std::int64_t>(1, (now - next) / order_.every + 1);
            if (!wait_until(next)) return;
        }
    }

    bool is_over() const {
        const auto deadline = context_.deadline();
        return context_.stop() || (deadline && steady_clock::now() >= *deadline);
    }

    /// False: told to stop, or the deadline has passed.
    bool wait_until(steady_clock::time_point moment) {
        for (;;) {
            if (is_over()) return false;
            const auto left = std::chrono::ceil<support::Milliseconds>(moment - steady_clock::now());
            if (left.count() <= 0) return true;
            context_.out().check_reader();
            context_.store().pause(std::min(left, kGlance));
        }
    }

    void look() {
        const ServerHealth before = health_;
        windows_.begin_round();
        health_.begin_round();
        unread_.clear();
        sweep_failed_ = false;
        if (sweeps_) find_keys();
        if (follows_) follow_numbers();
        auto answers = context_.store().look({keys_, from_, order_.depth, false, !order_.goals.empty()});
        if (context_.stop() || (is_over() && !first_round_)) {
            std::erase_if(answers, [](const auto& answer) { return !answer.look; });  // we gave up, not the servers
            health_ = before;
        } else {
            note_links(answers);
            note_health(answers);
        }
        for (const auto& change : health_.end_round()) say(change);
        note_windows(answers);
        note_missed();
        const bool all_seen = !sweep_failed_ && unread_.empty() && health_.failing().empty();
        reached_ = windows_.goal_reached(all_seen);
        in_vain_ = first_round_ && all_seen && windows_.has_nothing_to_wait_for();
        hopeless_ = first_round_ && is_hopeless();
        first_round_ = false;
        if (sweeps_) forget_gone();
        if (std::exchange(printed_, false)) rows_.flush();
    }

    void find_named() {
        find_keys();
        if (keys_.empty() && !is_over() && outcome_.footer().left_out_count == 0)
            throw Failure(ExitCode::usage, "no key is left to watch", "none was given");
    }

    /// Of named keys once, of a sweep in every round those that are new.
    void find_keys() {
        PlacedKeys placed(selection_, filter_, context_, settings_.scan_from);
        for (auto found = placed.next(kKeysAtOnce); !found.empty(); found = placed.next(kKeysAtOnce)) {
            for (auto& key : found) add(std::move(key));
        }
        placed.tell_left_out(outcome_);
        for (const auto& failure : placed.failures()) {
            health_.note_failure(failure.node, failure.error);
            sweep_failed_ = true;
        }
    }

    /// A client's window of the moment may have another key than in the round before; that one is looked at once more,
    /// to see how it ended.
    void follow_numbers() {
        const auto& limiter = limiter_of(settings_);
        std::erase_if(keys_, [this](const store::KeyAt& key) { return over_.contains(key.key); });
        over_.clear();
        std::vector<store::KeyAt> begun;
        for (const auto& key : keys_) {
            auto now = limiter.key_at(key.key, clock_.at(context_.wall_clock()));
            if (now == key.key) continue;
            const auto place = context_.directory().place_of(now).value_or(key.place);
            begun.push_back({std::move(now), place});
            over_.insert(key.key);
        }
        for (auto& key : begun) add(std::move(key));
    }

    /// A window that its slot carries to another node stays the same.
    std::string name_of(const store::KeyAt& key) const {
        if (context_.directory().leads_to_keys()) return key.key;
        return key.key + '\0' + std::to_string(key.place.shard);
    }

    void add(store::KeyAt key) {
        if (!known_.insert(name_of(key)).second) return;
        if (keys_.size() == kMostKeys) {
            throw Failure(ExitCode::usage,
                          fmt::format("watch remembers every window, and {} are the most that it takes", kMostKeys),
                          "narrow the selection; scan and top take any number");
        }
        keys_.push_back(std::move(key));
    }

    void note_links(std::vector<store::LookAnswer>& answers) {
        if (from_.which == domain::ReadFrom::Which::primary) return;
        if (steady_clock::now() >= links_due_) ask_links();
        for (auto& answer : answers) answer.stale = answer.stale || cut_off_.contains(server_name(answer.node));
    }

    void ask_links() {
        links_due_ = steady_clock::now() + kLinksEvery;
        for (const auto& report : context_.store().node_reports(filter_.shards())) {
            cut_off_.erase(server_name(report.node));
            if (report.facts && report.facts->link_up == false) cut_off_.insert(server_name(report.node));
        }
    }

    /// The trouble is the key's alone.
    bool is_of_key(const store::LookAnswer& answer) const {
        return domain::blames_no_node(answer.look) || health_.has_answered(answer.node);
    }

    /// A server that answers none of its keys has failed; one that answers others has trouble with a key.
    void note_health(const std::vector<store::LookAnswer>& answers) {
        for (const auto& answer : answers) {
            if (answer.look) health_.note_answer(answer.node, answer.stale);
        }
        for (const auto& answer : answers) {
            if (answer.look) continue;
            if (is_of_key(answer)) {
                unread_.push_back(failure_row(answer.node, answer.look.error()));
            } else {
                health_.note_failure(answer.node, answer.look.error());
            }
        }
        for (const auto& failure : context_.store().look_failures()) health_.note_failure(failure.node, failure.error);
    }

    /// Answers to one key stand together, whatever the number of its shards.
    void note_windows(const std::vector<store::LookAnswer>& answers) {
        for (auto begin = answers.begin(); begin != answers.end();) {
            const store::KeyAt& key = keys_[begin->key];
            const auto end =
                std::find_if(begin, answers.end(), [&](const auto& one) { return keys_[one.key].key != key.key; });
            windows_.take(key.key, {begin, end}, is_news(key));
            for (; begin != end; ++begin) {
                if (!begin->look && is_of_key(*begin)) windows_.take_failure(key.key, *begin);
            }
        }
    }

    /// Without a filter by state, what a whole sweep did not show and the next one does has come since.
    bool is_news(const store::KeyAt& key) const {
        const bool by_state = !selection_.states.empty() || selection_.min_used || selection_.resets_within;
        return sweeps_ && !first_round_ && !by_state && !missed_.contains(key.place.shard);
    }

    void note_missed() {
        missed_.clear();
        for (const auto& failing : health_.failing()) {
            if (const auto shard = context_.directory().find(failing.node.shard)) missed_.insert(*shard);
        }
    }

    void say(const ServerHealth::Change& change) {
        WatchRow row;
        row.at = context_.wall_clock();
        row.change.event = change.event;
        row.deployment = settings_.deployment;
        row.node = &change.node;
        if (change.error) {
            row.error = &*change.error;
            context_.messages().error(*change.error, change.node.shard, change.node.name());
        }
        print(row);
    }

    /// A shard that a sweep has seen whole has answered, with windows or without.
    bool anyone_answers() const {
        const auto& chosen = filter_.shards();
        return health_.anyone_answers() ||
               (sweeps_ && missed_.size() < (chosen.empty() ? context_.directory().places().size() : chosen.size()));
    }

    /// Who is not let in, or asks for what is not there, does not come right by waiting.
    bool is_hopeless() const {
        constexpr auto silent = static_cast<int>(ExitCode::unavailable);
        const auto failing = failures();
        return !anyone_answers() && !failing.empty() &&
               std::ranges::none_of(failing, [](const auto& one) { return one.code == silent; });
    }

    void forget_gone() {
        std::unordered_set<std::string> gone;
        std::erase_if(keys_, [&](const store::KeyAt& key) {
            if (!windows_.is_gone(key.key)) return false;
            known_.erase(name_of(key));
            gone.insert(key.key);
            return true;
        });
        for (const auto& key : gone) windows_.forget(key);
    }

    std::vector<output::FailureRow> failures() const {
        auto rows = unread_;
        for (const auto& [node, error] : health_.failing()) rows.push_back(failure_row(node, error));
        return rows;
    }

    ExitCode finish() {
        for (auto& failure : failures()) outcome_.fail(std::move(failure));
        if (anyone_answers()) outcome_.answer();
        if (!sweeps_ && !context_.stop()) tell_left_out();
        if (in_vain_) outcome_.add(ExitCode::partial);
        outcome_.add(rows_.end(outcome_.footer()));
        if (!reached_ && !order_.goals.empty() && !context_.stop()) outcome_.attend();
        return close();
    }

    /// Named keys that have never been what the filter asks for.
    void tell_left_out() {
        LeftOut left_out(context_);
        for (const auto& key : keys_) windows_.note_left_out(key.key, left_out);
        left_out.tell(outcome_);
    }

    ExitCode close() {
        const auto count = windows_.count();
        const auto took = std::chrono::floor<support::Milliseconds>(steady_clock::now() - started_);
        const auto shown = took < std::chrono::seconds{1} ? took : std::chrono::floor<std::chrono::seconds>(took);
        std::string words =
            fmt::format("{} window{} watched for {}: {} change{}, {} look{}", count, count == 1 ? "" : "s",
                        support::format_duration(shown), windows_.changes(), windows_.changes() == 1 ? "" : "s",
                        windows_.looks(), windows_.looks() == 1 ? "" : "s");
        if (const auto rate = windows_.rate_words(); !rate.empty()) words += "; " + rate;
        if (!order_.goals.empty() && !hopeless_)
            words += reached_   ? "; the condition of --until holds"
                     : in_vain_ ? "; no window was found of which the condition of --until could hold"
                                : "; the condition of --until does not hold yet";
        return outcome_.close(words, {{"windows", static_cast<std::int64_t>(count)},
                                      {"changes", static_cast<std::int64_t>(windows_.changes())},
                                      {"looks", static_cast<std::int64_t>(windows_.looks())},
                                      {"took_ms", took.count()}});
    }

    const Order& order_;
    const Selection& selection_;
    const Filter& filter_;
    Context& context_;
    const config::Settings& settings_;
    bool sweeps_;
    bool follows_;  // clients are watched, whatever their windows are called
    domain::ReadFrom from_;
    steady_clock::time_point started_;
    support::RunningClock clock_;
    RowWriter<WatchRow> rows_;
    Outcome outcome_;
    WatchedWindows windows_;
    ServerHealth health_;
    std::vector<store::KeyAt> keys_;
    std::unordered_set<std::string> known_;   // the same, for finding them
    std::unordered_set<std::string> over_;    // keys of windows whose number was that of the round before
    std::vector<output::FailureRow> unread_;  // keys that could not be read in this round
    std::set<std::size_t> missed_;            // shards that the round before did not see whole
    std::set<std::string> cut_off_;           // replicas whose link to their primary is down
    steady_clock::time_point links_due_{};
    bool sweep_failed_ = false;
    bool first_round_ = true;
    bool reached_ = false;
    bool hopeless_ = false;
    bool in_vain_ = false;  // nothing was found to wait for
    bool printed_ = false;
};

}  // namespace

ExitCode run_rounds(const Order& order, const Selection& selection, const Filter& filter, Context& context) {
    return WatchRun(order, selection, filter, context).run();
}

}  // namespace ratectl::commands::watch
