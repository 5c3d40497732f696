// Which keys a sweep is about, its progress, and its summary.
#include "commands/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/sweep/duplicate_finder.h"
#include "commands/sweep/second_looks.h"
#include "commands/sweep/sweep_progress.h"
#include "store/directory.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

constexpr support::Milliseconds kFlushEvery{500};
constexpr support::Milliseconds kNoteEvery{1000};

}  // namespace

SubjectRules rules_of(const SweepQuestion& question) {
    SubjectRules rules;
    rules.glob = question.glob;
    rules.orphans = question.orphans;
    rules.idle = question.idle && !question.source;
    return rules;
}

store::ScanQuestion scan_question(const SweepQuestion& question, SweepSubject& subject) {
    subject.check_orphans();
    store::ScanQuestion scan = subject.question();
    scan.from = question.from;
    // One key by its name costs little, and is not to be called absent because it is of another type.
    const bool is_exact = question.glob && !domain::has_wildcard(*question.glob);
    scan.depth = is_exact ? domain::LookDepth::full : question.depth;
    scan.max_latency = question.max_latency;
    scan.ops = question.ops;
    scan.resume = question.resume;
    scan.resume_slots = question.resume_slots;
    scan.marks = question.note_progress != nullptr;
    return scan;
}

namespace {

class Sweep {
public:
    Sweep(const SweepQuestion& question, const Filter& filter, WindowReport& report, Context& context)
        : question_(question),
          report_(report),
          context_(context),
          settings_(context.settings()),
          limiter_(limiter_of(settings_)),
          filter_(filter),
          subject_(rules_of(question), filter, settings_),
          terminal_(context.stdout_is_terminal()) {}

    ExitCode run() {
        if (question_.duplicates) finder_.emplace(context_, question_.from, report_);
        started_ = last_progress_ = last_flush_ = last_note_ = context_.wall_clock();
        std::unique_ptr<store::ScanStream> stream;
        try {
            do {
                subject_.begin();
                auto scan = scan_question(question_, subject_);
                if (can_pass_over()) pass_over(scan);
                stream = question_.source ? question_.source(std::move(scan)) : context_.store().scan(std::move(scan));
                if (!finder_ && !question_.source) stream = sure(std::move(stream));
                read(*stream);
            } while (finder_ && finder_->needs_another_sweep() && !context_.stop());
        } catch (const support::Failure&) {
            report_.finish(false);  // --resume: what was flushed last is what the file says
            throw;
        }
        context_.messages().clear_progress();
        for (const auto& [node, error] : stream->failures()) report_.outcome().fail_once(node, error);
        return finish(*stream);
    }

private:
    std::unique_ptr<store::ScanStream> sure(std::unique_ptr<store::ScanStream> stream) {
        return with_second_looks(std::move(stream), subject_, filter_, context_,
                                 [this](support::WallTime read_at) { return settings_.clock_at(read_at); });
    }

    void read(store::ScanStream& stream) {
        while (const auto* page = stream.next()) {
            report_.come_from(&page->node, page->read_at, page->stale);
            for (const domain::WindowLook& look : page->looks) take(look);
            if ((report_.satisfied() && may_stop(stream)) || context_.stop()) {
                // That it is done with, unless --first had enough in the middle of it.
                if (question_.note_progress || !report_.satisfied()) stream.take_back();
                return;
            }
            after_page(stream);
        }
    }

    bool may_stop(const store::ScanStream& stream) const { return !question_.note_progress || stream.may_stop(); }

    void take(const domain::WindowLook& look) {
        const KeyMeaning meaning = meaning_of(look, settings_);
        if (!subject_.takes(look, meaning)) return;
        if (finder_) {
            finder_->take(look.key);
        } else {
            report_.take(look, meaning);
        }
    }

    /// A window of one key is looked at in one go.
    bool can_pass_over() const {
        const bool two_steps = limiter_.reset_part().has_value();
        return two_steps && question_.depth == domain::LookDepth::light && !finder_ && report_.can_pass_over();
    }

    void pass_over(store::ScanQuestion& scan) {
        scan.worth_a_look = [this](std::string_view key, std::string_view counter) {
            return is_worth_a_look(key, counter);
        };
        // Where a name may be met at a node that does not show the window, looks count.
        const bool has_slots = context_.directory().has_slots();
        if (question_.source || scan.orphan_counters || has_slots || !names_tell()) return;
        by_name_ = true;
        report_.count_apart();
        scan.by_name.emplace();
        scan.by_name->expiry_found = [this](std::string_view key) { return takes(key); };
        scan.by_name->counter_found = [this](std::string_view key) {
            const KeyMeaning meaning = meaning_of(key, settings_);
            return subject_.part_of(meaning) == SweepSubject::Part::meant;
        };
    }

    /// Elsewhere a key without an expiry half is as likely as not another program's, may be huge, and is not ours to
    /// ask for.
    bool names_tell() const {
        if (!question_.glob) return !settings_.policies.empty();
        return !question_.glob->empty() && std::string_view("*?[").find(question_.glob->front()) == std::string::npos;
    }

    /// A window that has not been looked at; counted here.
    bool takes(std::string_view key) {
        if (!subject_.takes(meaning_of(key, settings_))) return false;
        report_.count_taken();
        // SCAN shows the counter of `a:exp` as an expiry half, that of `a`: no policy asks for it by name.
        return limiter_.part_of(key) || !report_.passes_over_without_counter();
    }

    /// Asked with counters alone. Whatever is not worth a look has been counted here, or by its name.
    bool is_worth_a_look(std::string_view key, std::string_view counter) {
        if (counter.data() == nullptr) return true;  // the look itself tells what is there
        const KeyMeaning meaning = meaning_of(key, settings_);
        if (!subject_.takes(meaning)) return false;
        const bool over = report_.passes_over(counter, meaning);
        if (over && !by_name_) report_.count_taken();
        return !over;
    }

    void after_page(store::ScanStream& stream) {
        const support::WallTime now = context_.wall_clock();
        if (now - last_flush_ >= kFlushEvery && !report_.keeps_rows()) {
            last_flush_ = now;
            report_.flush();
        }
        if (question_.note_progress && now - last_note_ >= kNoteEvery) {
            last_note_ = now;
            report_.flush();
            note_progress(stream);
        }
        // Rows and progress on one terminal would write over each other.
        if (terminal_ && !report_.keeps_rows()) return;
        if (now - last_progress_ < output::kProgressEvery) return;
        last_progress_ = now;
        context_.messages().progress(progress_line(stream.progress(), report_.taken(), now - started_));
    }

    /// What was flushed may be forgotten.
    void note_progress(store::ScanStream& stream) {
        if (!question_.note_progress) return;
        if (const auto mark = stream.mark()) question_.note_progress(*mark);
    }

    ExitCode finish(store::ScanStream& stream) {
        const auto& shards = stream.progress();
        const auto incomplete = std::count_if(shards.begin(), shards.end(),
                                              [](const store::ShardProgress& shard) { return !shard.complete; });
        if (static_cast<std::size_t>(incomplete) < shards.size()) report_.outcome().answer();
        const bool whole = incomplete == 0 || report_.satisfied();
        report_.finish(whole, shards);
        if (!whole && !report_.outcome().has_failures()) report_.outcome().leave_undone();
        note_progress(stream);
        say_what_was_left_out();
        std::set<std::size_t> numbers;  // --from all: a shard has several nodes
        auto missing = failed_shards(stream);
        for (const store::ShardProgress& each : shards) {
            numbers.insert(each.shard);
            if (!each.complete) missing.insert(swept_name(each, context_.directory()));
        }
        return close(numbers.size(), missing);
    }

    void say_what_was_left_out() {
        const auto rest = subject_.unknown();
        if (rest > 0 && settings_.policies.empty()) {
            context_.messages().notice(
                fmt::format("{} half of a window at most and {} not shown",
                            rest == 1 ? "1 key is" : fmt::format("{} keys are", rest), rest == 1 ? "is" : "are"),
                "--match '*' shows them too");
        } else if (rest > 0) {
            context_.messages().notice(
                fmt::format("{} no policy and {} not shown",
                            rest == 1 ? "1 key matches" : fmt::format("{} keys match", rest), rest == 1 ? "is" : "are"),
                "--match '*' shows them too");
        }
        const bool nothing = report_.taken() + subject_.passed_over() == 0;
        if (nothing && !finder_ && !report_.outcome().has_failures() && question_.glob &&
            !domain::has_wildcard(*question_.glob)) {
            say_no_such_window(*question_.glob, context_);
        }
    }

    ExitCode close(std::size_t shards, const std::set<std::string>& incomplete) {
        const auto count = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
        std::string text = fmt::format("{} window{} on {} shard{}", report_.taken(), report_.taken() == 1 ? "" : "s",
                                       shards, shards == 1 ? "" : "s");
        if (finder_) {
            const auto keys = finder_->duplicates().count();
            text = fmt::format("{} {} on several of {} shards", keys, keys == 1 ? "key is" : "keys are", shards);
        }
        if (report_.shown() != report_.taken()) text = fmt::format("{} of {}", report_.shown(), text);
        // The page that the last row came from may have been the last one of all shards: what is behind the row was not
        // counted.
        const bool cut_short = report_.satisfied() && !report_.keeps_rows();
        if (cut_short) {
            // How many had been seen by then would be read as how many there are.
            text = fmt::format("{} shown; stopped there, as asked, and how many there are was not counted",
                               support::counted(report_.shown(), finder_ ? "key" : "window"));
        } else if (!incomplete.empty()) {
            text += "; " + incomplete_words(incomplete);
        }
        std::vector<std::pair<std::string, std::int64_t>> counts{{"shown", count(report_.shown())}};
        if (!cut_short) counts.emplace_back("windows", count(report_.taken()));
        counts.emplace_back("left_out", count(subject_.unknown()));
        counts.emplace_back("shards", count(shards));
        if (!cut_short) counts.emplace_back("incomplete_shards", count(incomplete.size()));
        return report_.outcome().close(text, counts);
    }

    const SweepQuestion& question_;
    WindowReport& report_;
    Context& context_;
    const config::Settings& settings_;
    const domain::Limiter& limiter_;
    const Filter& filter_;
    SweepSubject subject_;
    bool terminal_;
    bool by_name_ = false;  // windows are counted as their expiry halves are found
    support::WallTime started_{};
    support::WallTime last_progress_{};
    support::WallTime last_flush_{};
    support::WallTime last_note_{};
    std::optional<DuplicateFinder> finder_;
};

}  // namespace

std::set<std::string> failed_shards(const store::ScanStream& stream) {
    std::set<std::string> names;
    for (const auto& [node, error] : stream.failures()) {
        const auto is_read = [&node = node](const store::ShardProgress& each) {
            return each.node && each.node->shard == node.shard && each.node->name() == node.name();
        };
        if (error.code == ExitCode::unavailable && std::ranges::any_of(stream.progress(), is_read))
            names.insert(node.shard);
    }
    return names;
}

std::string incomplete_words(const std::set<std::string>& shards) {
    constexpr std::size_t most = 5;
    std::string names;
    std::size_t named = 0;
    for (const std::string& shard : shards) {
        if (named == most) break;
        const bool last = named + 1 == shards.size();
        names += (named == 0 ? "'" : last ? " and '" : ", '") + shard + "'";
        ++named;
    }
    if (shards.size() > most) names += fmt::format(" and {} more", shards.size() - most);
    return shards.size() == 1 ? "shard " + names + " is incomplete" : "shards " + names + " are incomplete";
}

void say_no_such_window(const std::string& glob, Context& context) {
    context.messages().notice("'" + glob + "' has no wildcard and no window is called exactly so",
                              "a pattern that finds every key beginning so ends with *");
}

ExitCode run_sweep(const SweepQuestion& question, const Filter& filter, WindowReport& report, Context& context) {
    return Sweep(question, filter, report, context).run();
}

domain::LookDepth look_depth(const std::optional<std::string>& flag, bool needs_full, bool wants_full) {
    if (flag && *flag != "light" && *flag != "full")
        throw support::Failure(ExitCode::usage, "--look '" + *flag + "' is neither light nor full", {});
    const bool full = needs_full || (flag ? *flag == "full" : wants_full);
    return full ? domain::LookDepth::full : domain::LookDepth::light;
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
