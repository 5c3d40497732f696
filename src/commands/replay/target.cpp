// The two places where a replay counts: the store, and a limiter in memory that answers in the same words.
#include "commands/replay/target.h"

#include <string>
#include <unordered_map>

#include "commands/write/planned_slices.h"
#include "commands/write/write_record.h"
#include "domain/limiter_model.h"

namespace ratectl::commands::replay {

namespace {

using Stored = std::optional<domain::ModelWindow>;

/// One operation: its script calls are numbered on, its rows too.
class Recorder {
public:
    Recorder(const Orders& orders, Context& context)
        : orders_(orders), slicer_(std::string(domain::name_of(orders.head.kind))), record_(context, orders.head) {}

    template <class Item>
    store::WriteOrder order(std::span<const Item> items) {
        if (record_.failure()) throw support::Failure(*record_.failure());
        std::vector<PlannedKey> keys;
        std::vector<RecordedItem> recorded;
        for (const Item& item : items) {
            PlannedKey key;
            key.key = item.at.key;
            key.shard = item.at.place.shard;
            key.amount = item.amount;
            keys.push_back(std::move(key));
            recorded.push_back({++rows_, item.at.key, item.amount});
        }
        std::vector<store::Slice> slices;
        for (auto& slice : slicer_.cut(keys))
            slices.push_back({slice.number, std::move(slice.fingerprint), std::move(slice.keys)});
        record_.expect(std::move(recorded));
        return orders_.order(std::move(slices), &record_);
    }

private:
    Orders orders_;
    Slicer slicer_;
    WriteRecord record_;
    std::uint64_t rows_ = 0;
};

class StoreTarget final : public Target {
public:
    StoreTarget(const Operations& operations, Context& context)
        : store_(context.store()), counts_(operations.counts, context), refunds_(operations.refunds, context) {}
    std::vector<store::LookAnswer> look(std::span<const domain::KeyAt> keys) override {
        return store_.look({keys, {domain::ReadFrom::Which::primary, {}}, domain::LookDepth::light, false});
    }
    std::vector<store::WriteResult> count(std::span<const domain::CountItem> items) override {
        return store_.count(items, counts_.order(items));
    }
    std::vector<store::WriteResult> refund(std::span<const domain::RefundItem> items) override {
        return store_.refund(items, refunds_.order(items));
    }

private:
    store::Store& store_;
    Recorder counts_;
    Recorder refunds_;
};

store::WriteResult result_of(const domain::ModelAnswer& answer) {
    store::WriteResult result;
    result.status =
        answer.refusal == domain::ModelRefusal::none ? domain::WriteStatus::applied : domain::WriteStatus::refused;
    result.before = stored_of(answer.before);
    result.after = stored_of(answer.after);
    result.taken = answer.taken;
    return result;
}

class MemoryTarget final : public Target {
public:
    explicit MemoryTarget(const domain::Limiter& limiter) : limiter_(limiter) {}

    std::vector<store::LookAnswer> look(std::span<const domain::KeyAt> keys) override {
        std::vector<store::LookAnswer> answers;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto stored = stored_of(windows_[keys[i].key]);
            answers.push_back({i, {}, limiter_.look_at(keys[i].key, stored), {}, false});
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
    const domain::Limiter& limiter_;
    std::unordered_map<std::string, Stored> windows_;
};

}  // namespace

std::unique_ptr<Target> make_store_target(const Operations& operations, Context& context) {
    return std::make_unique<StoreTarget>(operations, context);
}

std::unique_ptr<Target> make_memory_target(const domain::Limiter& limiter) {
    return std::make_unique<MemoryTarget>(limiter);
}

}  // namespace ratectl::commands::replay
