// Statistics for people: what matters first, then histograms, in 80 columns.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/report/key_mask.h"
#include "commands/stats/figures.h"
#include "output/formats/human_cell.h"
#include "output/printable.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands::stats {
namespace {

using domain::LimitBand;
using output::Tone;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kLabel = 20;
constexpr std::size_t kBar = 30;
constexpr std::size_t kName = 22;      // of shards and policies
constexpr std::size_t kMostRows = 20;  // of shards and policies; the formats for machines have all
constexpr std::size_t kSlices = 12;

/// `41.0 %`, `0.3 %`, `<0.1 %`.
std::string share(std::uint64_t part, std::uint64_t whole) { return support::share_text(part, whole) + " %"; }

std::string padded(std::string text, std::size_t columns) {
    const std::size_t width = output::display_width(text);
    if (width < columns) text.append(columns - width, ' ');
    return text;
}

std::string_view words_of(LimitBand band) {
    switch (band) {
        case LimitBand::none: return "nothing used";
        case LimitBand::below_25: return "below 25 %";
        case LimitBand::below_50: return "25 to 50 %";
        case LimitBand::below_80: return "50 to 80 %";
        case LimitBand::below_100: return "80 to 100 %";
        case LimitBand::exhausted: return "exhausted";
        case LimitBand::unknown: return "limit unknown";
        case LimitBand::exempt: return "never limited";
    }
    return "";
}

Tone tone_of(LimitBand band) {
    return band == LimitBand::exhausted ? Tone::bad : band == LimitBand::below_100 ? Tone::warning : Tone::plain;
}

Tone tone_of(domain::WindowState state) { return state_word(state).tone; }

/// A heaviest window, as it was when it was told.
struct Heavy {
    std::string key;
    std::int64_t used = 0;
    std::optional<std::int64_t> limit;
    std::string limited_at;
};

class TextPrinter final : public Printer {
public:
    explicit TextPrinter(Context& context) : context_(context), options_(context.sink_options("ratectl.stats.v1")) {}

    void take_heaviest(const WindowRow& row, const Figures& figures) override {
        Heavy heavy{
            output::printable(visible_key(row.look.key, context_.settings())), *row.window.used, row.window.limit, {}};
        for (std::size_t i = 1; i < figures.trials.size(); ++i) {
            const auto most = figures.trials[i].most_let_through(row);
            if (most && heavy.used >= *most)
                heavy.limited_at += (heavy.limited_at.empty() ? "" : ",") + figures.trials[i].name;
        }
        heaviest_.push_back(std::move(heavy));
    }

    void print(const Figures& figures) override {
        total_ = figures.total();
        print_head(figures);
        print_states();
        if (total_.live() > 0) {
            print_used();
            print_bands();
            print_resets(figures);
        }
        if (figures.shards.size() > 1) print_shards(figures);
        print_policies(figures);
        if (figures.trials.size() > 1) print_trials(figures);
        print_heaviest(figures);
        if (total_.live() > 0)
            line("\nShares are rounded to 0.1 %, so those of one list may not add up to 100 %.", Tone::dim);
        print_missing(figures);
        context_.out().write(text_);
        context_.out().flush();
    }

private:
    void line(std::string text, Tone tone = Tone::plain) {
        while (text.ends_with(' ')) text.pop_back();
        if (options_.color && tone != Tone::plain)
            text = std::string(output::tone_on(tone)) + text + std::string(output::tone_off(tone));
        text_ += text + "\n";
    }
    void heading(const std::string& text) { line("\n" + text); }

    template <class Integer>
    std::string number(Integer value) const {
        const std::string digits = fmt::format("{}", value);
        return options_.terminal || options_.thousands ? support::with_thousands(digits) : digits;
    }
    std::string counted(std::uint64_t count, std::string_view what) const {
        return fmt::format("{} {}{}", number(count), what, count == 1 ? "" : "s");
    }
    std::string bin_name(const domain::Distribution::Bin& bin) const {
        if (!bin.from) return "below 0";
        if (*bin.from == bin.to) return number(bin.to);
        const std::string name = number(*bin.from) + " to " + number(bin.to);
        return name.size() <= kLabel ? name : "to " + number(bin.to);
    }

    /// `  name    12345  41.0 %`, and on a terminal `  name    12,345  41.0 %  ######`.
    void bar_line(const std::string& name, std::uint64_t part, std::uint64_t whole, Tone tone = Tone::plain) {
        const bool nothing = part == 0;
        const std::size_t columns = kBar - std::min(kBar, std::max(name.size(), kLabel) - kLabel);
        line(
            fmt::format("  {} {:>14} {:>7}  {}", padded(name, kLabel), number(part), nothing ? "-" : share(part, whole),
                        options_.terminal ? output::bar(percent_of(part, whole), columns, options_.ascii) : ""),
            nothing ? Tone::plain : tone);
    }
    std::string name(const std::string& text) const {
        return padded(output::elide_middle(output::printable(text), kName, options_.ascii), kName);
    }
    std::string time(support::Instant t) const { return support::format_time(t, options_.zone); }

    void print_head(const Figures& figures) {
        std::string of = figures.deployment.empty()
                             ? ""
                             : " of " + output::elide_middle(output::printable(figures.deployment), 26, options_.ascii);
        line(fmt::format("Windows{} on {} at {}", of, counted(figures.shards.size(), "shard"), time(figures.now)));
        if (figures.any_missing())
            line("INCOMPLETE: some of the windows are missing, see the end.", Tone::bad);
        else if (figures.any_stale())
            line("STALE: nothing is missing, but a replica was read that may be behind, see the end.", Tone::warning);
        const auto exhausted = total_.exhausted();
        const auto near = total_.in(LimitBand::below_100);
        const auto live = total_.live();
        if (live == 0) return line("No window is live.");
        const auto unknown = total_.in(LimitBand::unknown);
        if (unknown > 0 && unknown + total_.in(LimitBand::exempt) == live) {
            line("No limit is known: --limit N, or a policy, tells who is limited.");
        } else {
            line(fmt::format("{} of {} exhausted ({}), {} more at 80 % or above.", number(exhausted),
                             counted(live, "live window"), share(exhausted, live), number(near)),
                 exhausted > 0 ? Tone::bad : Tone::plain);
            if (unknown > 0) line(fmt::format("Of {} the limit is unknown.", counted(unknown, "window")));
        }
        for (const auto& busiest : figures.resets.busiest(1)) line(herd_words(figures, busiest) + ".");
        if (figures.shards.size() > 1) line(balance_words(figures));
    }

    std::string herd_words(const Figures& figures, const domain::ResetTimes::Moment& moment) const {
        const auto width = figures.resets.resolution();
        const std::string when =
            width > support::Seconds{1}
                ? fmt::format("within {} from {}", support::format_duration(width), time(moment.begin))
                : fmt::format("at {} (in {})", time(moment.begin),
                              support::format_duration(moment.begin - figures.now));
        return fmt::format("{} reset{} {}, {} of all", counted(moment.windows, "window"),
                           moment.windows == 1 ? "s" : "", when, share(moment.windows, total_.live()));
    }

    static std::string balance_words(const Figures& figures) {
        using enum domain::Balance::Verdict;
        const domain::Balance balance = figures.balance();
        const std::string ratio =
            balance.ratio ? fmt::format("the largest has {:.2f} times the smallest's windows", *balance.ratio)
                          : std::string("one shard has no live window");
        switch (balance.verdict) {
            case one_shard: return "Fewer than two shards were read to the end: nothing to compare.";
            case too_few: return "Too few windows to tell whether the shards are even.";
            case even: return "Shards are even: " + ratio + ".";
            case uneven: return "Shards are uneven: " + ratio + ".";
            case very_uneven: return "Shards are very uneven: " + ratio + ".";
        }
        return "";
    }

    void print_states() {
        heading(counted(total_.windows(), "window"));
        for (std::size_t i = 0; i < kStates.size(); ++i) {
            if (total_.states[i] > 0)
                bar_line(std::string(domain::name_of(kStates[i])), total_.states[i], total_.windows(),
                         tone_of(kStates[i]));
        }
    }

    void print_used() {
        const domain::Distribution& used = total_.used;
        heading(fmt::format("Used: {} in {}", counted_requests(used.sum()), counted(used.count(), "live window")));
        const auto at = [&](double percent) { return number(used.percentile(percent).value_or(0)); };
        std::string text = " ";
        for (const std::string& part : {"min " + number(used.min()), "median " + at(50), "p90 " + at(90),
                                        "p99 " + at(99), "max " + number(used.max())}) {
            if (text.size() + part.size() + 2 > kWidth) {
                line(std::exchange(text, " "));
            }
            text += ' ' + part + (part.starts_with("max") ? "" : ",");
        }
        line(text);
        std::size_t empty = 0;  // bins on end; a long stretch of them is one line
        for (const auto& bin : used.bins()) {
            empty = bin.count == 0 ? empty + 1 : 0;
            if (empty == 2) line("  ...");
            if (empty < 2) bar_line(bin_name(bin), bin.count, used.count());
        }
    }

    std::string counted_requests(domain::Sum sum) const { return number(sum) + (sum == 1 ? " request" : " requests"); }

    void print_bands() {
        heading("Used of the limit");
        for (std::size_t i = 0; i < domain::kLimitBands; ++i) {
            const auto band = static_cast<LimitBand>(i);
            const bool has_limit = band != LimitBand::unknown && band != LimitBand::exempt;
            if (!has_limit && total_.in(band) == 0) continue;
            bar_line(std::string(words_of(band)), total_.in(band), total_.live(), tone_of(band));
        }
    }

    void print_resets(const Figures& figures) {
        heading("Resets ahead");
        const auto busiest = figures.resets.busiest(3);
        for (std::size_t i = 0; i < busiest.size(); ++i) {
            if (i == 0 || percent_of(busiest[i].windows, total_.live()) >= 1)
                line("  " + herd_words(figures, busiest[i]));
        }
        const auto ahead = figures.resets.ahead(figures.now, kSlices);
        support::Seconds begin{0};
        for (const std::uint64_t windows : ahead.windows) {
            bar_line("in " + support::format_duration(begin) + " to " + support::format_duration(begin + ahead.step),
                     windows, total_.live());
            begin += ahead.step;
        }
        if (ahead.later > 0) bar_line("later", ahead.later, total_.live());
        const auto endless = total_.live() - figures.resets.count();
        if (endless > 0) bar_line("never", endless, total_.live(), Tone::warning);
    }

    void print_shards(const Figures& figures) {
        heading(fmt::format("{} {:>12} {:>8} {:>16} {:>11}", padded("Shard", kName + 2), "live", "share", "used",
                            "exhausted"));
        for (std::size_t i = 0; i < figures.shards.size() && i < kMostRows; ++i) {
            const Group group = figures.of_shard(i);
            const bool failed = !figures.shards[i].complete();
            line(fmt::format("  {} {:>12} {:>8} {:>16} {:>11}{}", name(figures.shards[i].name), number(group.live()),
                             share(group.live(), total_.live()), number(group.used.sum()), number(group.exhausted()),
                             failed ? " !" : ""),
                 failed ? Tone::bad : Tone::plain);
        }
        say_more(figures.shards.size());
    }

    void print_policies(const Figures& figures) {
        const auto shown = figures.shown_policies();
        if (shown.empty()) return;
        heading(fmt::format("{} {:>12} {:>16} {:>11} {:>11}", padded("Policy", kName + 2), "live", "used", "p99",
                            "exhausted"));
        for (std::size_t i = 0; i < shown.size() && i < kMostRows; ++i) {
            const Group group = figures.of_policy(shown[i]);
            line(fmt::format(
                "  {} {:>12} {:>16} {:>11} {:>11}", name(policy_name(figures, shown[i])), number(group.live()),
                number(group.used.sum()), number(group.used.percentile(99).value_or(0)),
                group.in(LimitBand::unknown) == group.live() && group.live() > 0 ? "?" : number(group.exhausted())));
        }
        say_more(shown.size());
    }

    static std::string policy_name(const Figures& figures, std::size_t policy) {
        return figures.policies[policy].empty() ? "(no policy)" : figures.policies[policy];
    }

    void say_more(std::size_t rows) {
        if (rows > kMostRows) line(fmt::format("  ... and {} more; -o json has all of them", rows - kMostRows));
    }

    void print_trials(const Figures& figures) {
        heading(fmt::format("{} {:<10} {:>12} {:>8} {:>12} {:>16}", padded("At limit", 13), "policy", "limited",
                            "share", "unknown", "requests over"));
        const auto shown = figures.shown_policies();
        for (std::size_t trial = 0; trial < figures.trials.size(); ++trial) {
            print_trial(figures.trials[trial].name, "all", total_.trials[trial]);
            if (shown.size() < 2) continue;
            for (const std::size_t policy : shown) {
                const Group group = figures.of_policy(policy);
                if (group.live() > 0) print_trial("", policy_name(figures, policy), group.trials[trial]);
            }
        }
    }

    void print_trial(const std::string& limit, const std::string& policy, const domain::TrialCount& count) {
        line(fmt::format("  {:<11} {} {:>12} {:>8} {:>12} {:>16}", limit,
                         padded(output::elide_middle(output::printable(policy), 10, options_.ascii), 10),
                         number(count.limited), share(count.limited, count.windows), number(count.unknown),
                         number(count.over)),
             limit.empty() ? Tone::dim : Tone::plain);
    }

    void print_heaviest(const Figures& figures) {
        if (heaviest_.empty()) return;
        const bool trials = figures.trials.size() > 1;
        heading(
            fmt::format("{} {:>14} {:>14}{}", padded("Heaviest", 32), "used", "limit", trials ? "  limited at" : ""));
        for (const Heavy& heavy : heaviest_) {
            line(fmt::format("  {} {:>14} {:>14}  {}", padded(output::elide_middle(heavy.key, 30, options_.ascii), 30),
                             number(heavy.used), heavy.limit ? number(*heavy.limit) : "?",
                             output::elide_middle(heavy.limited_at, 16, options_.ascii)));
        }
    }

    void print_missing(const Figures& figures) {
        if (figures.footer.complete) return;
        heading(figures.any_missing() ? "Missing" : figures.any_stale() ? "Stale" : "Unknown");
        for (const output::FailureRow& failure : figures.footer.failures)
            line("  " + output::printable(failure.message), Tone::bad);
        if (figures.footer.failures.empty()) line("  the sweep was stopped before its end", Tone::bad);
    }

    Context& context_;
    output::SinkOptions options_;
    Group total_;
    std::vector<Heavy> heaviest_;
    std::string text_;
};

}  // namespace

std::unique_ptr<Printer> make_text_printer(Context& context) { return std::make_unique<TextPrinter>(context); }

}  // namespace ratectl::commands::stats
