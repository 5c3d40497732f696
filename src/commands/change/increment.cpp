// ratectl increment: counts n requests in each window (script RATE), and opens windows that are absent or over.
#include "commands/change/changes.h"

#include "commands/all_commands.h"
#include "commands/request/write_amount.h"
#include "commands/write/write_run.h"
#include "support/number_text.h"

namespace ratectl::commands {

namespace {

struct IncrementRequest {
    Selection selection;
    ConsentFlags consent;
    OrderFlags order;
    std::optional<std::string> amount;
};

void bind_increment(Syntax syntax, IncrementRequest& request) {
    bind_selection(syntax, request.selection);
    syntax
        .add_option(
            "--amount", request.amount,
            "how many requests to count, 1 unless said; 0 only opens the window, where its limiter can go on from 0")
        .type_name("N");
    bind_guards(syntax, request.order);
    bind_consent(syntax, request.consent);
    bind_op_id(syntax, request.order);
    bind_plan(syntax, request.order);
    bind_delivery(syntax, request.order);
}

class Increment final : public Change {
public:
    /// `given`: --amount, if it was.
    Increment(std::int64_t amount, std::optional<std::string> given, const config::Settings& settings)
        : amount_(amount), given_(std::move(given)), settings_(settings), limiter_(limiter_of(settings)) {}

    domain::WriteKind kind() const override { return domain::WriteKind::count; }
    std::string asked() const override { return "increment " + std::to_string(amount_); }
    std::string verb() const override { return "count requests in"; }
    PlanRules rules() const override {
        return {.counts_requests = true,
                .opens = true,
                .takes_amount = true,
                .amount = given_,
                .sweeps = [](domain::WindowState state) {
                    using domain::WindowState;
                    return state == WindowState::open || state == WindowState::exhausted ||
                           state == WindowState::negative;
                }};
    }

    std::optional<std::int64_t> amount_of(const Subject& subject) const override {
        return subject.planned.amount.value_or(amount_);
    }

    std::optional<Refusal> prepare(const Subject& subject) override {
        auto item = item_for(subject);
        if (!item) return item.error();
        items_.push_back(std::move(*item));
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        const auto item = item_for(subject);
        if (!item) return {item.error(), {}, {}};
        if (subject.window.state == domain::WindowState::corrupt) return {refuse_corrupt(subject), {}, {}};
        if (subject.window.state == domain::WindowState::leaked && !subject.window.reset_at)
            return {refuse_endless(subject), {}, {}};
        if (auto refusal = foresee_use(subject)) return {std::move(refusal), {}, {}};
        const auto& limiter = subject.look.limiter->of(subject.planned.key);
        const bool is_too_many = limiter.outgrows(subject.look, subject.now, item->amount);
        if (is_too_many && limiter.end_moves()) return {too_many(subject), {}, {}};
        auto window = model_of(subject.look, subject.now);
        const auto carried = subject.look.limiter->carried_over(subject.look, item->limit);
        const auto answer = domain::rate(window, item->amount, item->next_reset, item->now, carried);
        if (answer.refusal != domain::ModelRefusal::none)
            return {refused(subject.planned, "overflow", overflow_words(*subject.look.limiter)), {}, {}};
        if (auto refusal = foresee_opening(subject, *item, answer.after->reset_at)) return {std::move(refusal), {}, {}};
        if (is_too_many) return {too_many(subject), {}, {}};
        auto after = foreseen(subject, answer.after, item->amount);
        if (ends_too_late(after))
            return {refused(subject.planned, "overflow", overflow_words(*subject.look.limiter)), {}, {}};
        return {std::nullopt, std::move(after), {}};
    }

    /// Only where a window would have to be opened.
    std::optional<support::Seconds> period_of(const Subject& subject) const override {
        if (domain::open_until(subject.look, subject.now)) return std::nullopt;
        return known_period(subject);
    }

    /// The script counts into what is there; only what is not a window for sure, a guard in words, or an unknown period
    /// ask for a look.
    bool needs_look(const PlannedKey& planned, const KeyMeaning& meaning) const override {
        const bool guarded = planned.if_reset || planned.if_stored || planned.follows;
        const bool period = planned.period || settings_.period || (meaning.match && meaning.match->policy->period);
        return !meaning.match || guarded || !period;
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    static Refusal too_many(const Subject& subject) { return refused(subject.planned, "too-large", kWouldOutgrow); }

    static bool ends_too_late(const domain::StoredWindow& window) {
        const auto end = support::parse_decimal(window.reset_at.value_or(""));
        return end && *end > support::epoch_seconds(domain::kLatestMoment);
    }

    /// What the script will say of a window that it would have to open.
    static std::optional<Refusal> foresee_opening(const Subject& subject, const domain::CountItem& item,
                                                  support::Instant end) {
        if (domain::open_until(subject.look, subject.now)) return std::nullopt;
        if (item.amount < subject.look.limiter->lowest_used()) {
            return refused(subject.planned, "below-one",
                           "would be opened at 0, where the limiter begins the window anew with its next request");
        }
        const bool is_over =
            subject.server_now && end + support::Seconds{1} <= support::to_instant(*subject.server_now);
        // What follows from the time is kept whenever it is that it was counted.
        if (!is_over || subject.look.limiter->of(subject.planned.key).end_moves()) return std::nullopt;
        return refused(subject.planned, "reset-in-past",
                       "would get a window that is over on the server's clock already, which would delete it at once",
                       "check --now, --period and the server's clock (ratectl nodes)");
    }

    tl::expected<domain::CountItem, Refusal> item_for(const Subject& subject) const {
        const auto& planned = subject.planned;
        const std::int64_t amount = planned.amount.value_or(amount_);
        if (amount < 0 || amount > support::kMaxExactInteger) {
            return tl::make_unexpected(
                refused(planned, "bad-amount", "has an amount outside 0..2^53-1", {}, ExitCode::usage));
        }
        const auto open_until = domain::open_until(subject.look, subject.now);
        const bool another_window = planned.if_reset && open_until != planned.if_reset;
        if (another_window || (planned.if_stored && !is_still_stored(subject)))
            return tl::make_unexpected(
                guarded(planned, "window-changed", "is no longer in the window that was looked at"));
        if (limiter_.key_at(planned.key, subject.now) != planned.key) {
            return tl::make_unexpected(
                guarded(planned, "closed", "is the key of a window that is over, or has not begun"));
        }
        if (amount == 0 && limiter_.of(planned.key).end_moves())
            return tl::make_unexpected(skipped("nothing-to-count"));
        if (auto refusal = refuse_uncountable(subject)) return tl::make_unexpected(*std::move(refusal));
        const auto next_reset = next_reset_for(subject, open_until);
        if (!next_reset) {
            return tl::make_unexpected(
                refused(planned, "no-period", "has no open window, and nothing says how long a new one lasts",
                        "--period, or a policy with a period that matches the key", ExitCode::configuration));
        }
        return domain::CountItem{{planned.key, planned.shard},
                                 amount,
                                 *next_reset,
                                 subject.now,
                                 planned.if_reset,
                                 planned.if_stored,
                                 planned.if_used_at_least,
                                 subject.meaning.limit};
    }

    std::optional<support::Seconds> known_period(const Subject& subject) const {
        if (subject.planned.period) return subject.planned.period;
        return commands::period_of(subject.meaning, settings_);
    }

    /// An open window keeps its end, so its own end serves where no period is known.
    std::optional<support::Instant> next_reset_for(const Subject& subject,
                                                   std::optional<support::Instant> open_until) const {
        const auto end = limiter_.next_end(subject.planned.key, subject.now, known_period(subject));
        return end ? end : open_until;
    }

    std::int64_t amount_;
    std::optional<std::string> given_;
    const config::Settings& settings_;
    const domain::Limiter& limiter_;
    std::vector<domain::CountItem> items_;
};

ExitCode run_increment(const IncrementRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    if (!request.amount) refuse_amount_as_key(request.selection.keys, context);
    const auto amount = request.amount ? parse_requests(*request.amount, 0).requests : 1;
    Increment change(amount, request.amount, context.settings());
    return run_change(request.selection, request.consent, request.order, change, context);
}

}  // namespace

std::unique_ptr<Change> make_increment(std::int64_t amount, const config::Settings& settings) {
    return std::make_unique<Increment>(amount, std::nullopt, settings);
}

Command increment_command() {
    return {"increment", Group::change, "count requests, opening the window if needed",
            "# one request of client 42 against the policy core\n"
            "ratectl increment core:42\n"
            "# use up what is left of a window that lasts a quarter of an hour\n"
            "ratectl increment trial:42 --amount 100 --period 15m\n"
            "# what would be written\n"
            "ratectl increment --client 42 --amount 10 -n",
            bind_request<IncrementRequest, bind_increment, run_increment>};
}

}  // namespace ratectl::commands
