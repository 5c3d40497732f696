// Which keys a sweep is about, its progress, and its summary.
#include "commands/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <set>

#include "commands/duplicate_finder.h"

namespace ratectl::commands {
namespace {

constexpr support::Milliseconds kProgressEvery{100};
constexpr support::Milliseconds kFlushEvery{500};

/// The policies whose windows are wanted: all, or those that --policy names.
std::vector<const domain::Policy*> wanted_policies(const Filter& filter, const config::Settings& settings) {
    std::vector<const domain::Policy*> policies;
    for (const domain::Policy& policy : settings.policies.policies()) {
        const auto& names = filter.policies();
        if (names.empty() || std::find(names.begin(), names.end(), policy.name) != names.end())
            policies.push_back(&policy);
    }
    return policies;
}

bool wants_orphan_counters(const SweepQuestion& question, const Filter& filter) {
    const auto& states = filter.states();
    return question.orphans ||
           std::find(states.begin(), states.end(), domain::WindowState::orphan_counter) != states.end();
}

store::ScanQuestion scan_question(const SweepQuestion& question, const Filter& filter,
                                  const config::Settings& settings) {
    store::ScanQuestion scan;
    scan.shards = filter.shards();
    scan.from = question.from;
    scan.depth = question.depth;
    const auto policies = wanted_policies(filter, settings);
    if (question.glob) {
        scan.glob = *question.glob;
    } else if (policies.size() == 1) {
        scan.glob = policies.front()->key.glob();
    }
    if (wants_orphan_counters(question, filter)) {
        if (settings.policies.empty()) {
            throw support::Failure(
                ExitCode::usage,
                "counters without an expiry half are known by a policy's template, and there is no policy",
                "give --key, for example --key 'core:{client}'");
        }
        scan.orphan_counters = [&settings](std::string_view key) { return settings.policies.match(key).has_value(); };
    }
    return scan;
}

class Sweep {
public:
    Sweep(const SweepQuestion& question, const Filter& filter, WindowReport& report, Context& context)
        : question_(question),
          filter_(filter),
          report_(report),
          context_(context),
          settings_(context.settings()),
          pairs_only_(settings_.policies.empty() && !question.glob && filter.states().empty()) {}

    ExitCode run() {
        if (question_.duplicates) finder_.emplace(context_, question_.from, report_);
        started_ = last_progress_ = last_flush_ = context_.wall_clock();
        std::unique_ptr<store::ScanStream> stream;
        try {
            do {
                rest_ = other_policies_ = 0;
                stream = context_.store().scan(scan_question(question_, filter_, settings_));
                read(*stream);
            } while (finder_ && finder_->needs_another_sweep() && !context_.stop());
        } catch (const support::Failure&) {
            report_.finish(false);
            throw;
        }
        context_.messages().clear_progress();
        for (const store::NodeFailure& failure : stream->failures()) report_.fail(failure.node, failure.error);
        return finish(*stream);
    }

private:
    void read(store::ScanStream& stream) {
        while (const auto* page = stream.next()) {
            for (const domain::WindowLook& look : page->looks) take(look, *page);
            if (report_.satisfied() || context_.stop()) return;
            after_page(stream);
        }
    }

    void take(const domain::WindowLook& look, const store::ScanPage& page) {
        const KeyMeaning meaning = meaning_of(look.key, settings_);
        if (!is_selected(look, meaning)) {
            ++rest_;
        } else if (filter_.accepts_match(meaning.match) && finder_) {
            finder_->take(look.key);
        } else if (filter_.accepts_match(meaning.match)) {
            report_.take(look, meaning, &page.node, page.read_at, page.stale);
        } else {
            ++other_policies_;
        }
    }

    bool is_selected(const domain::WindowLook& look, const KeyMeaning& meaning) const {
        if (question_.glob) return true;
        if (!settings_.policies.empty()) return meaning.match.has_value();
        return !pairs_only_ || (look.counter.value && look.expiry.value);
    }

    void after_page(const store::ScanStream& stream) {
        const support::WallTime now = context_.wall_clock();
        if (now - last_flush_ >= kFlushEvery && !report_.keeps_rows()) {
            last_flush_ = now;
            report_.flush();
        }
        // Rows and progress on one terminal would write over each other.
        if (context_.stdout_is_terminal() && !report_.keeps_rows()) return;
        if (now - last_progress_ < kProgressEvery) return;
        last_progress_ = now;
        const auto done = std::count_if(stream.progress().begin(), stream.progress().end(),
                                        [](const store::ShardProgress& shard) { return shard.complete; });
        const double seconds = static_cast<double>((now - started_).count()) / 1000;
        context_.messages().progress(fmt::format("{} windows, {:.0f}/s, {} of {} shards done", report_.taken(),
                                                 static_cast<double>(report_.taken()) / seconds, done,
                                                 stream.progress().size()));
    }

    ExitCode finish(const store::ScanStream& stream) {
        const auto& shards = stream.progress();
        const auto incomplete = std::count_if(shards.begin(), shards.end(),
                                              [](const store::ShardProgress& shard) { return !shard.complete; });
        if (static_cast<std::size_t>(incomplete) < shards.size()) report_.note_answer();
        const bool whole = incomplete == 0 || report_.satisfied();
        ExitCode code = report_.finish(whole && !context_.stop());
        if (!whole && !report_.has_failures() && !context_.stop()) code = support::graver(code, ExitCode::partial);
        if (const int signal = context_.stop().signal(); signal != 0) {
            code = support::graver(code, signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated);
        }
        say_what_was_left_out();
        std::set<std::size_t> numbers;  // --from all: a shard has several nodes
        for (const store::ShardProgress& each : shards) numbers.insert(each.shard);
        say_summary(numbers.size(), static_cast<std::size_t>(incomplete));
        return code;
    }

    void say_what_was_left_out() {
        if (rest_ > 0 && settings_.policies.empty()) {
            context_.messages().notice(fmt::format("{} keys are half of a window at most and are not shown", rest_),
                                       "--match '*' shows them too");
        } else if (rest_ > 0) {
            context_.messages().notice(fmt::format("{} no policy and {} not shown",
                                                   rest_ == 1 ? "1 key matches" : fmt::format("{} keys match", rest_),
                                                   rest_ == 1 ? "is" : "are"),
                                       "--match '*' shows them too");
        }
        const bool nothing = report_.taken() + rest_ + other_policies_ == 0;
        if (nothing && !finder_ && !report_.has_failures() && question_.glob &&
            !domain::has_wildcard(*question_.glob)) {
            context_.messages().notice("'" + *question_.glob + "' has no wildcard and no window is called exactly so",
                                       "a pattern that finds every key beginning so ends with *");
        }
    }

    void say_summary(std::size_t shards, std::size_t incomplete) {
        const auto count = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
        std::string text = fmt::format("{} window{} on {} shard{}", report_.taken(), report_.taken() == 1 ? "" : "s",
                                       shards, shards == 1 ? "" : "s");
        if (finder_) {
            const auto keys = finder_->duplicates().count();
            text = fmt::format("{} {} on several of {} shards", keys, keys == 1 ? "key is" : "keys are", shards);
        }
        if (report_.shown() != report_.taken()) text = fmt::format("{} of {}", report_.shown(), text);
        if (incomplete > 0)
            text += report_.satisfied() ? "; stopped there, as asked" : fmt::format("; {} incomplete", incomplete);
        context_.messages().summary(text, {{"shown", count(report_.shown())},
                                           {"windows", count(report_.taken())},
                                           {"left_out", count(rest_)},
                                           {"shards", count(shards)},
                                           {"incomplete_shards", count(incomplete)}});
    }

    const SweepQuestion& question_;
    const Filter& filter_;
    WindowReport& report_;
    Context& context_;
    const config::Settings& settings_;
    bool pairs_only_;
    support::WallTime started_{};
    support::WallTime last_progress_{};
    support::WallTime last_flush_{};
    std::uint64_t rest_ = 0;
    std::uint64_t other_policies_ = 0;
    std::optional<DuplicateFinder> finder_;
};

}  // namespace

ExitCode run_sweep(const SweepQuestion& question, const Filter& filter, WindowReport& report, Context& context) {
    return Sweep(question, filter, report, context).run();
}

std::optional<domain::LookDepth> parse_look(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    if (*text == "light") return domain::LookDepth::light;
    if (*text == "full") return domain::LookDepth::full;
    throw support::Failure(ExitCode::usage, "--look '" + *text + "' is neither light nor full", {});
}

bool columns_need_full_look(const Context& context, const std::optional<std::string>& sort) {
    if (sort && needs_full_look(*sort)) return true;
    std::string_view names =
        context.options().columns ? std::string_view(*context.options().columns) : std::string_view{};
    while (!names.empty()) {
        const std::size_t end = names.find(',');
        if (needs_full_look(names.substr(0, end))) return true;
        names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
    return false;
}

}  // namespace ratectl::commands
