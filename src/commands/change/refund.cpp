// ratectl refund: looks first, then gives requests back (script REFUND) only inside the window that it saw.
#include "commands/change/changes.h"

#include "commands/all_commands.h"
#include "commands/report/wording.h"
#include "commands/request/write_amount.h"
#include "commands/write/write_run.h"
#include "support/number_text.h"

namespace ratectl::commands {

namespace {

struct RefundRequest {
    Selection selection;
    ConsentFlags consent;
    OrderFlags order;
    std::optional<std::string> amount;
    bool clamp = false;
};

void bind_refund(Syntax syntax, RefundRequest& request) {
    bind_selection(syntax, request.selection);
    syntax.add_option("--amount", request.amount, "how many requests to give back, or a share of those used")
        .type_name("N|P%");
    syntax.add_flag("--clamp", request.clamp, "where fewer are used, take what is there instead of refusing");
    bind_guards(syntax, request.order);
    bind_consent(syntax, request.consent);
    bind_op_id(syntax, request.order);
    bind_plan(syntax, request.order);
    bind_delivery(syntax, request.order);
}

constexpr const char* kBelowZero = "below-zero";
constexpr const char* kBelowOne = "below-one";
constexpr const char* kNothingToTake = "nothing-to-take";

class Refund final : public Change {
public:
    /// `clamp_hint`: how --clamp is given to this command.
    Refund(std::optional<WriteAmount> amount, bool clamp, std::string clamp_hint)
        : amount_(amount), clamp_(clamp), clamp_hint_(std::move(clamp_hint)) {}

    domain::WriteKind kind() const override { return domain::WriteKind::refund; }
    std::string asked() const override {
        return "refund " + (amount_ ? amount_->text() : std::string{}) + (clamp_ ? " clamp" : "");
    }
    void describe(input::PlanHead& head) const override { head.clamp = clamp_; }
    std::string verb() const override {
        return amount_
                   ? "give " +
                         (amount_->is_share() ? amount_->text() + " of the requests" : requests(amount_->requests)) +
                         " back in"
                   : "give requests back in";
    }
    PlanRules rules() const override {
        return {.takes_amount = true,
                .amount = amount_ ? std::optional{amount_->text()} : std::nullopt,
                .sweeps = [](domain::WindowState state) {
                    return state == domain::WindowState::open || state == domain::WindowState::exhausted;
                }};
    }

    std::optional<std::int64_t> amount_of(const Subject& subject) const override {
        if (subject.planned.amount) return subject.planned.amount;
        if (!amount_ || (amount_->is_share() && !subject.window.used)) return std::nullopt;
        return amount_->of(subject.window.used.value_or(0));
    }

    std::optional<Refusal> prepare(const Subject& subject) override {
        auto item = item_for(subject);
        if (!item && subject.is_remembered && finds_no_window(item.error()))
            item = domain::RefundItem{
                .at = {subject.planned.key, subject.planned.shard}, .now = subject.now, .finds_none = true};
        if (!item) return item.error();
        items_.push_back(std::move(*item));
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        const auto item = item_for(subject);
        if (!item) return {item.error(), {}, {}};
        if (auto refusal = foresee_use(subject)) return {std::move(refusal), {}, {}};
        auto window = model_of(subject.look, subject.now);
        const auto answer =
            domain::refund(window, item->amount, item->if_reset, item->clamp, item->now, floor_of(subject));
        switch (answer.refusal) {
            case domain::ModelRefusal::none: break;
            case domain::ModelRefusal::below_zero: return {below(subject), {}, {}};
            default: return {changed(subject.planned), {}, {}};
        }
        if (answer.taken == 0) return {skipped(kNothingToTake), {}, {}};
        return {std::nullopt, foreseen(subject, answer.after, -answer.taken), answer.taken};
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

    std::string hint_for(std::string_view reason) const override {
        return reason == kBelowZero || reason == kBelowOne ? clamp_hint_ : "";
    }

private:
    Refusal below(const Subject& subject) const {
        if (subject.look.limiter->lowest_used() == 0) {
            if (floor_of(subject) > 0) {
                return refused(subject.planned, kBelowZero,
                               "has fewer requests used in its present period than would be given back, and what still "
                               "counts of the period before is not given back",
                               clamp_hint_);
            }
            return refused(subject.planned, kBelowZero, "has fewer requests used than would be given back",
                           clamp_hint_);
        }
        return refused(subject.planned, kBelowOne,
                       "would have less than one left: at 0 the limiter would begin the window anew with its next "
                       "request",
                       clamp_hint_);
    }

    static std::int64_t floor_of(const Subject& subject) {
        return subject.look.limiter->floor_of(subject.look, subject.now);
    }

    static bool finds_no_window(const Refusal& refusal) {
        return refusal.status == RowStatus::skipped && refusal.reason != kNothingToTake;
    }

    static Refusal changed(const PlannedKey& planned) {
        return guarded(planned, "window-changed", "is no longer in the window that was looked at");
    }

    /// The window it is about: as a guard names it, else the open one that was seen.
    tl::expected<support::Instant, Refusal> window_for(const Subject& subject) const {
        const auto& planned = subject.planned;
        if (planned.if_stored && !is_still_stored(subject)) return tl::make_unexpected(changed(planned));
        const auto open_until = domain::open_until(subject.look, subject.now);
        if (planned.if_reset) {
            if (open_until != planned.if_reset) return tl::make_unexpected(changed(planned));
            return *planned.if_reset;
        }
        if (open_until) return *open_until;
        switch (subject.window.state) {
            case domain::WindowState::absent:
            case domain::WindowState::orphan_expiry: return tl::make_unexpected(skipped("absent"));
            case domain::WindowState::corrupt: return tl::make_unexpected(refuse_corrupt(subject));
            case domain::WindowState::orphan_counter:
                return tl::make_unexpected(
                    refused(planned, "no-expiry", "is a counter without a window: nothing says when it ends"));
            case domain::WindowState::leaked:
                if (!subject.window.reset_at) return tl::make_unexpected(refuse_endless(subject));
                [[fallthrough]];
            default: return tl::make_unexpected(skipped("closed"));
        }
    }

    tl::expected<domain::RefundItem, Refusal> item_for(const Subject& subject) const {
        const auto& planned = subject.planned;
        if (!planned.amount && !amount_) {
            return tl::make_unexpected(refused(planned, "bad-amount", "has no amount on its row",
                                               "--amount gives one for all such rows", ExitCode::usage));
        }
        if (planned.amount && (*planned.amount < 1 || *planned.amount > support::kMaxExactInteger)) {
            return tl::make_unexpected(
                refused(planned, "bad-amount", "has an amount outside 1..2^53-1", {}, ExitCode::usage));
        }
        if (subject.window.used.value_or(0) > support::kMaxExactInteger) {
            return tl::make_unexpected(
                refused(planned, "not-an-integer", "has more used than can be counted exactly (2^53)"));
        }
        const auto window = window_for(subject);
        if (!window) return tl::make_unexpected(window.error());
        const std::int64_t amount = planned.amount ? *planned.amount : amount_->of(subject.window.used.value_or(0));
        if (amount == 0) return tl::make_unexpected(skipped(kNothingToTake));
        if (auto refusal = refuse_uncountable(subject)) return tl::make_unexpected(*std::move(refusal));
        const bool drains = subject.look.limiter->of(planned.key).end_moves();
        // A share of what was seen, of which some may have come free again by now.
        const bool clamp = clamp_ || (drains && !planned.amount && amount_->is_share());
        domain::RefundItem item{{planned.key, planned.shard}, amount, *window, clamp, subject.now};
        item.if_used_at_least = planned.if_used_at_least;
        if (drains) item.if_was = domain::stored_window(subject.look);
        return item;
    }

    std::optional<WriteAmount> amount_;
    bool clamp_;
    std::string clamp_hint_;
    std::vector<domain::RefundItem> items_;
};

ExitCode run_refund(const RefundRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    std::optional<WriteAmount> amount;
    if (request.amount) amount = parse_requests_or_share(*request.amount);
    if (!amount) refuse_amount_as_key(request.selection.keys, context);
    const bool rows_may_say = is_dash(request.selection.keys) && request.selection.input != "keys";
    if (!amount && !rows_may_say) {
        throw support::Failure(ExitCode::usage, "how many requests should be given back?",
                               "--amount N, or --amount P% of those used");
    }
    Refund change(amount, request.clamp, "--clamp takes what is there");
    return run_change(request.selection, request.consent, request.order, change, context);
}

}  // namespace

std::unique_ptr<Change> make_refund(std::optional<WriteAmount> amount, bool clamp) {
    return std::make_unique<Refund>(amount, clamp,
                                    "`ratectl refund --clamp --plan FILE` makes a plan that takes what is there");
}

Command refund_command() {
    return {"refund", Group::change, "give requests back inside the window looked at, never below 0",
            "# ten requests of one window\n"
            "ratectl refund core:42 --amount 10\n"
            "# half of what each window of a client has used\n"
            "ratectl refund --client 42 --amount 50%\n"
            "# only if it is still the window of the complaint\n"
            "ratectl refund core:42 --amount 10 --if-window 2026-01-01T13:00:00Z",
            bind_request<RefundRequest, bind_refund, run_refund>};
}

}  // namespace ratectl::commands
