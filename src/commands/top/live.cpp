// Runs top on a terminal, turn after turn: begins what is due, takes what has come, draws, waits for a key.
#include "commands/top/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "commands/outcome.h"
#include "commands/report/key_mask.h"
#include "commands/top/picture.h"
#include "commands/top/sweeps.h"
#include "output/cell.h"
#include "output/mask.h"
#include "output/printable.h"

namespace ratectl::commands::top {
namespace {

constexpr support::Milliseconds kSweepEvery{2000};
constexpr support::Milliseconds kLookEvery{1000};
constexpr support::Milliseconds kDrawEvery{1000};
constexpr support::Milliseconds kDrawEverySweeping{250};
constexpr support::Milliseconds kBusyTurn{30};  // a key waits no longer

/// A ranked window with what the policies and the clock make of it.
struct Judged {
    std::size_t number = 0;  // of Sweeps::windows()
    KeyMeaning meaning;
    domain::Window window;
    output::Cell cell;
    std::string key;  // visible and printable
};

class Live {
public:
    Live(const LiveOptions& options, const SweepQuestion& question, const Filter& filter, output::Screen& screen,
         Context& context)
        : options_(options),
          screen_(screen),
          context_(context),
          settings_(context.settings()),
          style_(context.sink_options({})),
          deadline_(context.deadline()),
          sweeps_(question, filter, options.most, context) {
        view_.order = options.order;
        view_.shard_column = context.directory().places().size() > 1;
    }

    void run() {
        while (!view_.leaving && !is_over()) {
            const support::WallTime now = context_.wall_clock();
            begin_what_is_due(now);
            if (sweeps_.take()) changed_ = true;
            if (is_due(drawn_at_, changed_ && !sweeps_.under_way() ? support::Milliseconds{0} : draw_every(), now))
                draw(now);
            take_key(now);
        }
    }

    const Sweeps& sweeps() const { return sweeps_; }

private:
    bool is_over() const { return context_.stop() || (deadline_ && std::chrono::steady_clock::now() >= *deadline_); }
    /// Servers rest as long as they were swept, unless the user wants it otherwise.
    support::Milliseconds every() const { return options_.every.value_or(std::max(kSweepEvery, 2 * sweeps_.took())); }
    bool is_busy() const { return sweeps_.under_way() || sweeps_.looking(); }
    support::Milliseconds draw_every() const { return is_busy() ? kDrawEverySweeping : kDrawEvery; }

    /// A clock that was put back makes everything due.
    static bool is_due(const std::optional<support::WallTime>& last, support::Milliseconds every,
                       support::WallTime now) {
        return !last || now < *last || now - *last >= every;
    }

    void begin_what_is_due(support::WallTime now) {
        if (view_.paused) return;
        if (!sweeps_.under_way() && is_due(swept_at_, every(), now)) {
            swept_at_ = now;
            sweeps_.begin({view_.order, view_.typing ? "" : view_.filter});
        }
        if (!sweeps_.looking() && is_due(looked_at_, kLookEvery, now)) {
            looked_at_ = now;
            sweeps_.look_at(shown_);
        }
    }

    void take_key(support::WallTime now) {
        const auto key = screen_.read_key(is_busy() ? support::Milliseconds{0} : until_next(now));
        if (!key) {
            if (is_busy()) sweeps_.wait(kBusyTurn);
            return;
        }
        press(view_, *key, {ids_, page_});
        drawn_at_.reset();
    }

    support::Milliseconds until_next(support::WallTime now) const {
        support::Milliseconds left = kDrawEvery;
        const auto heed = [&](const std::optional<support::WallTime>& last, support::Milliseconds every) {
            left = std::min(left, last ? support::Milliseconds{*last + every - now} : support::Milliseconds{0});
        };
        heed(drawn_at_, kDrawEvery);
        if (!view_.paused) {
            heed(swept_at_, every());
            heed(looked_at_, kLookEvery);
        }
        return std::clamp(left, support::Milliseconds{1}, kDrawEvery);
    }

    void draw(support::WallTime now) {
        drawn_at_ = now;
        changed_ = false;
        sweeps_.catch_up();
        picture_ = picture(now);
        ids_.clear();
        for (const PictureRow& row : picture_.rows) ids_.push_back(row.id);
        follow(view_, ids_);
        const output::ScreenSize size = screen_.size();
        page_ = page_of(picture_, size);
        settle(view_, picture_.rows.size(), page_);
        picture_.view = view_;
        shown_.clear();
        for (std::size_t i = view_.first; i < std::min(picture_.rows.size(), view_.first + page_); ++i)
            shown_.push_back(numbers_[i]);
        screen_.draw(lines_of(picture_, size));
    }

    Picture picture(support::WallTime now) {
        const support::WallTime clock = sweeps_.clock(now);
        Picture picture;
        picture.deployment = printed(settings_.deployment);
        picture.now = clock;
        picture.every = every();
        picture.sweep = sweeps_.picture(now);
        picture.view = view_;
        picture.style = style_;
        for (const Sweeps::Trouble& trouble : sweeps_.troubles())
            picture.troubles.push_back(printed(output::masked(style_.mask.get(), trouble.error.message)));
        numbers_.clear();
        for (const Judged& judged : in_order(picture.now)) {
            numbers_.push_back(judged.number);
            picture.rows.push_back(row_of(judged, now));
        }
        return picture;
    }

    std::string printed(std::string_view text) const {
        return style_.ascii ? output::printable_ascii(text) : output::printable(text);
    }

    std::vector<Judged> in_order(support::Moment now) const {
        std::vector<Judged> all;
        const auto& windows = sweeps_.windows();
        for (std::size_t i = 0; i < windows.size(); ++i) {
            Judged judged;
            judged.number = i;
            judged.key = printed(visible_key(windows[i].look.key, settings_));
            if (!passes_filter(view_.filter, judged.key)) continue;
            judged.meaning = meaning_of(windows[i].look, settings_);
            judged.window = domain::judge(windows[i].look, now, judged.meaning.limit);
            judged.cell = order_cell(view_.order.by, windows[i].look, judged.window, windows[i].use);
            all.push_back(std::move(judged));
        }
        const bool descending = is_descending(view_.order);
        std::stable_sort(all.begin(), all.end(), [descending](const Judged& a, const Judged& b) {
            return stands_before(a.cell, b.cell, descending);
        });
        return all;
    }

    PictureRow row_of(const Judged& judged, support::WallTime now) const {
        const RankedWindow& seen = sweeps_.windows()[judged.number];
        PictureRow row;
        row.id = id_of(seen);
        row.key = judged.key;
        row.window = judged.window;
        row.percent = percent_of(judged.window);
        row.age = std::max(support::Milliseconds{0}, support::Milliseconds{now - seen.read_at});
        if (judged.window.used) {
            row.rate = seen.use.per_second();
            if (const auto end = seen.use.exhaustion(judged.window.limit))
                row.exhausted_in = std::max(support::Milliseconds{0}, end->in - row.age);
        }
        row.shard = printed(seen.node->shard);
        row.node = printed(std::string(name_of(seen.node->role)) + ' ' + seen.node->name());
        row.stale = seen.stale;
        row.limit_source = printed(judged.meaning.limit_source);
        if (!judged.meaning.match) return row;
        row.policy = printed(judged.meaning.match->policy->name);
        row.client = printed(visible_client(*judged.meaning.match));
        row.client_class = printed(judged.meaning.match->client_class);
        return row;
    }

    const LiveOptions& options_;
    output::Screen& screen_;
    Context& context_;
    const config::Settings& settings_;
    output::SinkOptions style_;
    std::optional<support::Deadline> deadline_;
    Sweeps sweeps_;
    View view_;
    Picture picture_;
    std::vector<std::string> ids_;  // of the picture's rows
    std::size_t page_ = 1;
    std::vector<std::size_t> numbers_;  // of the picture's rows
    std::vector<std::size_t> shown_;    // of those that are on the screen
    bool changed_ = false;
    std::optional<support::WallTime> swept_at_;
    std::optional<support::WallTime> looked_at_;
    std::optional<support::WallTime> drawn_at_;
};

/// While the screen has the terminal.
class Silence {
public:
    explicit Silence(output::Diagnostics& messages) : messages_(messages) { messages_.hold(); }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;
    ~Silence() { messages_.release(); }

private:
    output::Diagnostics& messages_;
};

ExitCode ending(const Sweeps& sweeps, Context& context) {
    Outcome outcome(context);
    for (const auto& trouble : sweeps.troubles()) outcome.fail_once(trouble.node, trouble.error);
    if (sweeps.has_answer()) outcome.answer();
    return outcome.code();
}

}  // namespace

ExitCode run_live(const LiveOptions& options, const SweepQuestion& question, const Filter& filter,
                  std::unique_ptr<output::Screen> screen, Context& context) {
    const Silence silence(context.messages());
    const std::unique_ptr<output::Screen> ours = std::move(screen);  // given back before anything is said
    Live live(options, question, filter, *ours, context);
    live.run();
    return ending(live.sweeps(), context);
}

}  // namespace ratectl::commands::top
