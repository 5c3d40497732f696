// rollout set: turns the share of its actors for whom a feature is on, in the place of the one that was seen; what else
// the feature is on for stays.
#include <utility>

#include <fmt/format.h>

#include "commands/rollout/feature.h"
#include "commands/rollout/rollout_requests.h"
#include "commands/write/write_run.h"
#include "support/quote.h"

namespace ratectl::commands::rollout {
namespace {

using domain::FeatureGate;
using domain::FeatureGates;

class TurnFeature final : public Change {
public:
    explicit TurnFeature(std::string share) : share_(std::move(share)) {}

    domain::WriteKind kind() const override { return domain::WriteKind::put; }
    std::string_view command() const override { return "rollout set"; }
    /// However the number is written.
    std::string asked() const override { return fmt::format("rollout set {}", percentage_of("PERCENT", share_)); }
    std::string verb() const override { return fmt::format("turn to {} % of actors", share_); }
    PlanRules rules() const override { return {.takes_closed = true}; }
    std::optional<std::int64_t> amount_of(const Subject& /*subject*/) const override { return std::nullopt; }

    std::optional<Refusal> prepare(const Subject& subject) override {
        const auto gates = gates_for(subject);
        if (!gates) return gates.error();
        was_absent_ = domain::is_absent(subject.look);
        items_.push_back({{subject.planned.key, subject.planned.shard},
                          subject.look.limiter->state_with(*gates),
                          domain::stored_window(subject.look).state});
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        const auto gates = gates_for(subject);
        if (!gates) return {gates.error(), {}, {}};
        return {std::nullopt, {domain::words_of(*gates), {}, {}, subject.look.limiter->state_with(*gates)}, {}};
    }
    bool needs_look(const PlannedKey& /*planned*/, const KeyMeaning& /*meaning*/) const override { return true; }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

    /// Of the feature that was turned last: there was nothing of that name.
    bool was_absent() const { return was_absent_; }

private:
    tl::expected<FeatureGates, Refusal> gates_for(const Subject& subject) const {
        if (subject.window.state == domain::WindowState::corrupt) return tl::make_unexpected(refuse_corrupt(subject));
        auto gates = subject.look.limiter->gates_in(subject.look).value_or(FeatureGates());
        if (gates.is_fully_on()) {
            return tl::make_unexpected(refused(
                subject.planned, "fully-on", "is a feature that is on for all, and stays so whatever its percentage is",
                "disable it in the application first: for a moment it is off for all but the percentage"));
        }
        if (gates.of(FeatureGate::actors) == share_) return tl::make_unexpected(skipped("already-so"));
        gates.of(FeatureGate::actors) = share_;
        return gates;
    }

    std::string share_;
    bool was_absent_ = false;
    std::vector<domain::PutItem> items_;
};

}  // namespace

ExitCode run_set(const SetRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    percentage_of("PERCENT", request.share);  // as it was typed: Flipper reads what numbers are written like
    FeatureContext features(context);
    TurnFeature change(without_sign(request.share));
    Selection selection;
    selection.keys = {request.feature};
    const auto code = run_change(selection, request.consent, request.order, change, features);
    if (code == ExitCode::done && change.was_absent() &&
        !is_listed_feature(request.feature, features).value_or(false)) {
        context.messages().notice(
            fmt::format("there was no feature {}: is that what the application calls it? Flipper lists it once the "
                        "application adds it",
                        support::quoted(request.feature)));
    }
    return code;
}

}  // namespace ratectl::commands::rollout
