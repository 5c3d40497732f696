// Guarded by what the look showed: another window, other expiries or other bytes are left alone.
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

    PlanRules rules() const override {
        PlanRules rules;
        rules.once = true;
        return rules;
    }
    std::optional<std::int64_t> amount_of(const Subject&) const override { return std::nullopt; }

protected:
    /// The circumstances of the window as it is now.
    domain::Circumstances around(const Subject& subject) const {
        const auto& shard = context_.settings().shards.at(subject.planned.shard).shard;
        return surroundings_.of(subject.meaning.match, {shard.name, domain::Role::primary, shard.primary},
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
        if (!is_mine(subject)) return skipped("sound-now");
        items_.push_back(item_for(subject));
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        if (!is_mine(subject)) return {skipped("sound-now"), {}, {}};
        const auto item = item_for(subject);
        return {std::nullopt,
                {subject.look.counter.value, subject.look.expiry.value, item.wanted.counter_ms, item.wanted.expiry_ms},
                {}};
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    bool is_mine(const Subject& subject) const {
        return domain::right_expiry_ms(subject.look) &&
               is_faulty(subject, [](Repair repair) { return repair == Repair::set_expiries; });
    }

    domain::RepairItem item_for(const Subject& subject) const {
        const auto server_ms = around(subject).server_now.time_since_epoch().count();
        const auto seen = [server_ms](const domain::HalfLook& half) -> std::optional<std::int64_t> {
            if (half.expires_at_ms || half.ttl_ms.value_or(-1) < 0) return half.expires_at_ms;
            return server_ms + *half.ttl_ms;
        };
        const auto right = domain::right_expiry_ms(subject.look);
        return {{subject.planned.key, subject.planned.shard},
                support::from_epoch(*right / 1000 - 1),
                {seen(subject.look.counter), seen(subject.look.expiry)},
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
        if (!is_mine(subject)) return skipped("sound-now");
        domain::StoredWindow seen;
        seen.used = subject.look.counter.value;
        seen.reset_at = subject.look.expiry.value;
        items_.push_back({{subject.planned.key, subject.planned.shard}, std::nullopt, std::nullopt, std::move(seen)});
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        if (!is_mine(subject)) return {skipped("sound-now"), {}, {}};
        return {};
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
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
