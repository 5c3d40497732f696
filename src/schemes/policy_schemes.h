// A deployment whose policies name schemes of their own: every window goes to the scheme of the policy that it is
// under.
#pragma once

#include <vector>

#include "domain/diagnosis/finding.h"
#include "domain/policy.h"
#include "schemes/scheme.h"

namespace ratectl::schemes {

class PolicySchemes final : public Scheme {
public:
    /// One scheme a policy, in their order. Windows under none of them have `rest`. All of them outlive it.
    PolicySchemes(std::vector<domain::Policy> policies, std::vector<const Scheme*> of_policy, const Scheme& rest);

    const Scheme& of(std::string_view key) const override;

    /// Of all of its windows nothing of this is true: of() has the one that knows.
    std::string_view layout() const override { return "of each policy"; }
    /// Of the scheme that has the most.
    std::span<const Part> parts() const override { return widest_->parts(); }
    std::optional<std::size_t> used_part() const override { return widest_->used_part(); }
    /// Null where one of them has none.
    std::optional<std::size_t> reset_part() const override;
    std::string part_key(std::string_view key, std::size_t part) const override { return of(key).part_key(key, part); }
    std::string part_glob(std::string_view glob, std::size_t part) const override {
        return widest_->part_glob(glob, part);
    }
    std::optional<PartOf> part_of(std::string_view stored) const override;
    std::optional<Quota> quota_in(std::string_view key) const override { return of(key).quota_in(key); }
    std::optional<StoredLimit> limit_in(const domain::WindowLook& look) const override {
        return of(look.key).limit_in(look);
    }
    domain::Captures holes_at(std::string_view policy, support::Moment now) const override;
    std::string key_at(std::string key, support::Moment now) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override {
        return of(key).next_end(key, now, period);
    }
    domain::WindowLook look_after(const domain::WindowLook& look, support::Moment now,
                                  std::int64_t requests) const override {
        return of(look.key).look_after(look, now, requests);
    }
    domain::StoredWindow foreseen(const domain::WindowLook& look, support::Moment now,
                                  std::int64_t requests) const override {
        return of(look.key).foreseen(look, now, requests);
    }
    bool outgrows(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override {
        return of(look.key).outgrows(look, now, requests);
    }
    std::string_view uncountable(const domain::WindowLook& look) const override {
        return of(look.key).uncountable(look);
    }
    std::int64_t floor_of(const domain::WindowLook& look, support::Moment now) const override {
        return of(look.key).floor_of(look, now);
    }

    domain::Window judge(const domain::WindowLook& look, support::Moment now,
                         std::optional<std::int64_t> limit) const override {
        return of(look.key).judge(look, now, limit);
    }
    std::optional<support::Instant> open_until(const domain::WindowLook& look, support::Moment now) const override {
        return of(look.key).open_until(look, now);
    }
    std::string corruption(const domain::WindowLook& look) const override { return of(look.key).corruption(look); }
    std::string words_of(const domain::WindowLook& look, support::Moment now) const override {
        return of(look.key).words_of(look, now);
    }
    std::string remark(const domain::WindowLook& look, support::Moment now) const override {
        return of(look.key).remark(look, now);
    }
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override {
        return of(look.key).diagnose(look, around);
    }
    bool looks_sound(const domain::WindowLook& look, const domain::Circumstances& around) const override {
        return of(look.key).looks_sound(look, around);
    }
    std::optional<std::int64_t> right_expiry_ms(const domain::WindowLook& look) const override {
        return of(look.key).right_expiry_ms(look);
    }
    std::optional<domain::Knobs> knobs_in(const domain::WindowLook& look) const override {
        return of(look.key).knobs_in(look);
    }
    domain::StoredWindow stored(const domain::WindowLook& look, support::Moment now) const override {
        return of(look.key).stored(look, now);
    }
    domain::WindowLook look_at(std::string key, const domain::StoredWindow& stored) const override;

    void ask_looks(redis::Request& request, std::span<const std::string> keys, domain::LookDepth depth,
                   const redis::ServerFacts& facts) const override;
    std::size_t look_replies(std::span<const std::string> keys, domain::LookDepth depth,
                             const redis::ServerFacts& facts) const override;
    void decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies, domain::LookDepth depth,
                      const redis::ServerFacts& facts, std::span<Look> looks) const override;
    bool decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies, domain::LookDepth depth,
                      const redis::ServerFacts& facts, std::span<domain::WindowLook> looks) const override;
    std::unique_ptr<LightLooks> receive_light_looks(std::span<domain::WindowLook> /*looks*/) const override {
        return nullptr;
    }
    std::vector<redis::ScriptCall> script_look_calls(std::span<const std::string> keys) const override;
    void decode_script_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                             std::span<Look> looks) const override;

    redis::ScriptCall count_call(std::span<const domain::CountItem* const> items, const CallHead& head) const override {
        return of_all(items).count_call(items, head);
    }
    redis::ScriptCall refund_call(std::span<const domain::RefundItem* const> items,
                                  const CallHead& head) const override {
        return of_all(items).refund_call(items, head);
    }
    redis::ScriptCall reset_call(std::span<const domain::ResetItem* const> items, const CallHead& head) const override {
        return of_all(items).reset_call(items, head);
    }
    redis::ScriptCall restore_call(std::span<const domain::RestoreItem* const> items,
                                   const CallHead& head) const override {
        return of_all(items).restore_call(items, head);
    }
    redis::ScriptCall repair_call(std::span<const domain::RepairItem* const> items,
                                  const CallHead& head) const override {
        return of_all(items).repair_call(items, head);
    }

    redis::ScriptCall put_call(std::span<const domain::PutItem* const> items, const CallHead& head) const override {
        return of_all(items).put_call(items, head);
    }

    std::string scan_pattern(std::string_view glob, bool orphans) const override;
    std::optional<Scanned> scanned_as(std::string_view name) const override;
    void add_anchor(redis::Request& request, std::string_view key) const override { of(key).add_anchor(request, key); }
    bool is_its_sighting(const domain::WindowLook& look, bool scan_key, bool by_name) const override {
        return of(look.key).is_its_sighting(look, scan_key, by_name);
    }

private:
    /// The scheme of the policy that has the key.
    const Scheme& of_window(std::string_view key) const;
    /// One of ours.
    const Scheme& of_policy(const domain::Policy& policy) const;
    template <class Item>
    const Scheme& of_all(std::span<const Item* const> items) const {
        return of(items.front()->at.key);
    }
    /// Of the window that a stored key is a part of.
    const Scheme& of_stored(std::string_view stored) const;

    /// The keys of one scheme among those of a look, and where they stand there.
    struct Group {
        const Scheme* scheme = nullptr;
        std::vector<std::string> keys;
        std::vector<std::size_t> at;
    };
    std::vector<Group> groups(std::span<const std::string> keys) const;

    domain::PolicyBook policies_;
    std::vector<const Scheme*> of_policy_;
    const Scheme* rest_;
    std::vector<const Scheme*> all_;  // each once
    const Scheme* widest_;            // of them, that with the most parts
};

}  // namespace ratectl::schemes
