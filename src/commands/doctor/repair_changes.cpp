// The changes that repair windows, guarded by what the look showed: a window that differs from it is left alone.
#include "commands/doctor/repair_changes.h"

#include <algorithm>
#include <utility>

#include "support/decimal.h"

namespace ratectl::commands::doctor {
namespace {

using domain::FindingClass;
using domain::Repair;

class RepairChange : public Change {
public:
    RepairChange(const Classes& to_fix, const Surroundings& surroundings, Context& context)
        : to_fix_(to_fix), surroundings_(surroundings), context_(context) {}

    PlanRules rules() const override { return {}; }
    std::optional<std::int64_t> amount_of(const Subject&) const override { return std::nullopt; }

protected:
    /// The circumstances of the window as it is now.
    domain::Circumstances around(const Subject& subject) const {
        return surroundings_.of(subject.meaning.match, context_.directory().primary(subject.planned.shard),
                                context_.wall_clock());
    }
    /// It still has a fault that this change is for.
    template <class IsMine>
    bool is_faulty(const Subject& subject, IsMine is_mine) const {
        const auto findings = domain::diagnose(subject.look, around(subject));
        return std::any_of(findings.begin(), findings.end(), [&](const domain::Finding& finding) {
            return to_fix_.has(finding.what) && is_mine(domain::kind_of(finding.what).repair);
        });
    }

    /// Faulty, too, but not as it was when consent was asked for.
    static Refusal another_fault(const Subject& subject) {
        auto refusal =
            refused(subject.planned, "window-changed", "is no longer what was found", "look again and decide anew");
        refusal.status = RowStatus::window_changed;
        return refusal;
    }

private:
    const Classes& to_fix_;
    const Surroundings& surroundings_;
    Context& context_;
};

class ExpiryRepair final : public RepairChange {
public:
    using RepairChange::RepairChange;

    domain::WriteKind kind() const override { return domain::WriteKind::repair; }
    std::string asked() const override { return "repair"; }
    std::string verb() const override { return "set the expiries of"; }

    std::optional<Refusal> prepare(const Subject& subject) override {
        if (auto refusal = refusal_of(subject)) return refusal;
        items_.push_back(item_for(subject));
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        if (auto refusal = refusal_of(subject)) return {std::move(refusal), {}, {}};
        const auto item = item_for(subject);
        auto after = domain::stored_window(subject.look);
        set_expiries(after, item.wanted);
        return {std::nullopt, std::move(after), {}};
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    std::optional<Refusal> refusal_of(const Subject& subject) const {
        if (!is_mine(subject)) return skipped("sound-now");
        if (item_for(subject).if_reset != subject.planned.if_reset) return another_fault(subject);
        return std::nullopt;
    }

    bool is_mine(const Subject& subject) const {
        return domain::right_expiry_ms(subject.look) &&
               is_faulty(subject, [](Repair repair) { return repair == Repair::set_expiries; });
    }

    domain::RepairItem item_for(const Subject& subject) const {
        const auto right = domain::right_expiry_ms(subject.look);
        return {{subject.planned.key, subject.planned.shard},
                *domain::judge(subject.look, support::Instant::min(), std::nullopt).reset_at,
                domain::expiries_of(subject.look, around(subject).server_now),
                {right, right}};
    }

    std::vector<domain::RepairItem> items_;
};

class Removal final : public RepairChange {
public:
    using RepairChange::RepairChange;

    domain::WriteKind kind() const override { return domain::WriteKind::reset; }
    std::string asked() const override { return "doctor"; }
    std::string verb() const override { return "remove"; }

    std::optional<Refusal> prepare(const Subject& subject) override {
        if (auto refusal = refusal_of(subject)) return refusal;
        const auto& planned = subject.planned;
        items_.push_back({{planned.key, planned.shard}, std::nullopt, std::nullopt, planned.if_stored});
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override { return {refusal_of(subject), {}, {}}; }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    std::optional<Refusal> refusal_of(const Subject& subject) const {
        if (!is_mine(subject)) return skipped("sound-now");
        if (!is_still_stored(subject)) return another_fault(subject);
        return std::nullopt;
    }

    bool is_mine(const Subject& subject) const {
        return is_faulty(subject,
                         [](Repair repair) { return repair == Repair::remove || repair == Repair::remove_if_named; });
    }

    std::vector<domain::ResetItem> items_;
};

}  // namespace

std::unique_ptr<Change> make_expiry_repair(const Classes& to_fix, const Surroundings& surroundings, Context& context) {
    return std::make_unique<ExpiryRepair>(to_fix, surroundings, context);
}

std::unique_ptr<Change> make_removal(const Classes& to_fix, const Surroundings& surroundings, Context& context) {
    return std::make_unique<Removal>(to_fix, surroundings, context);
}

}  // namespace ratectl::commands::doctor
