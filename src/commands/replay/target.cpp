// The store as it is, and a limiter in memory that answers in the same words.
#include "commands/replay/target.h"

#include <string>
#include <unordered_map>

#include "domain/limiter_model.h"

namespace ratectl::commands::replay {

namespace {

using Stored = std::optional<domain::ModelWindow>;

class StoreTarget final : public Target {
public:
    explicit StoreTarget(store::Store& store) : store_(store) {}
    std::vector<store::LookAnswer> look(std::span<const domain::KeyAt> keys) override {
        return store_.look({keys, {domain::ReadFrom::Which::primary, {}}, domain::LookDepth::light, false});
    }
    std::vector<store::WriteResult> count(std::span<const domain::CountItem> items) override {
        return store_.count(items);
    }
    std::vector<store::WriteResult> refund(std::span<const domain::RefundItem> items) override {
        return store_.refund(items);
    }

private:
    store::Store& store_;
};

domain::StoredWindow stored_window(const Stored& window) {
    domain::StoredWindow stored;
    if (!window) return stored;
    stored.used = std::to_string(window->used);
    stored.reset_at = std::to_string(support::epoch_seconds(window->reset_at));
    return stored;
}

store::WriteResult result_of(const domain::ModelAnswer& answer) {
    store::WriteResult result;
    result.status =
        answer.refusal == domain::ModelRefusal::none ? domain::WriteStatus::applied : domain::WriteStatus::refused;
    result.before = stored_window(answer.before);
    result.after = stored_window(answer.after);
    result.taken = answer.taken;
    return result;
}

class MemoryTarget final : public Target {
public:
    std::vector<store::LookAnswer> look(std::span<const domain::KeyAt> keys) override {
        std::vector<store::LookAnswer> answers;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto stored = stored_window(windows_[keys[i].key]);
            domain::WindowLook seen;
            seen.key = keys[i].key;
            seen.counter.value = stored.used;
            seen.expiry.value = stored.reset_at;
            answers.push_back({i, {}, std::move(seen), {}, false});
        }
        return answers;
    }
    std::vector<store::WriteResult> count(std::span<const domain::CountItem> items) override {
        std::vector<store::WriteResult> results;
        for (const auto& item : items) {
            results.push_back(result_of(domain::rate(windows_[item.at.key], item.amount, item.next_reset, item.now)));
        }
        return results;
    }
    std::vector<store::WriteResult> refund(std::span<const domain::RefundItem> items) override {
        std::vector<store::WriteResult> results;
        for (const auto& item : items) {
            results.push_back(
                result_of(domain::refund(windows_[item.at.key], item.amount, item.if_reset, item.clamp, item.now)));
        }
        return results;
    }

private:
    std::unordered_map<std::string, Stored> windows_;
};

}  // namespace

std::unique_ptr<Target> make_store_target(store::Store& store) { return std::make_unique<StoreTarget>(store); }

std::unique_ptr<Target> make_memory_target() { return std::make_unique<MemoryTarget>(); }

}  // namespace ratectl::commands::replay
