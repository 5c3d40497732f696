// The two places where a replay counts: the store, and a limiter in memory that answers in the same words.
#include "commands/replay/target.h"

#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "commands/write/change.h"
#include "commands/write/operation_writer.h"
#include "domain/limiter_model.h"
#include "support/quote.h"

namespace ratectl::commands::replay {

namespace {

using Stored = std::optional<domain::ModelWindow>;

/// One operation: its rows are numbered on.
class Recorder {
public:
    Recorder(const Orders& orders, Context& context)
        : writer_(orders, std::string(domain::name_of(orders.head.kind)), context) {}

    template <class Item>
    store::WriteOrder order(std::span<const Item> items) {
        std::vector<PlannedKey> keys(items.size());
        std::vector<std::uint64_t> rows;
        rows.reserve(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            keys[i].key = items[i].at.key;
            keys[i].shard = items[i].at.place.shard;
            keys[i].amount = items[i].amount;
            rows.push_back(++rows_);
        }
        return writer_.order(keys, rows);
    }

private:
    OperationWriter writer_;
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

/// As the script says it of requests that are stored one by one.
store::WriteResult too_large(const std::string& key, const domain::StoredWindow& stored) {
    store::WriteResult result;
    result.status = domain::WriteStatus::refused;
    result.reason = "too-large";
    result.error = support::Error{ExitCode::guard, fmt::format("key {} {}", support::quoted(key), kWouldOutgrow), {}};
    result.before = result.after = stored;
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
            const auto& window = windows_[item.at.key];
            if (outgrows(item, window)) {
                results.push_back(too_large(item.at.key, stored_of(window)));
                continue;
            }
            results.push_back(result_of(domain::rate(windows_[item.at.key], item.amount, end_of(item), item.now)));
        }
        return results;
    }
    std::vector<store::WriteResult> refund(std::span<const domain::RefundItem> items) override {
        std::vector<store::WriteResult> results;
        for (const auto& item : items) {
            results.push_back(result_of(domain::refund(windows_[item.at.key], item.amount, item.if_reset, item.clamp,
                                                       item.now, limiter_.of(item.at.key).lowest_used())));
        }
        return results;
    }

private:
    /// What begins with a second of the log and goes with its key, a period later, ends with the second before.
    support::Instant end_of(const domain::CountItem& item) const {
        const auto end = limiter_.next_end(item.at.key, item.now, item.next_reset - item.now).value_or(item.next_reset);
        return limiter_.of(item.at.key).reset_kind() == "ttl" ? end - support::Seconds{1} : end;
    }
    /// To look at all requests before each next one is quadratic: the limiter is asked for them as for new ones first.
    bool outgrows(const domain::CountItem& item, const Stored& window) const {
        const auto& limiter = limiter_.of(item.at.key);
        const auto all = item.amount + (window ? window->used : 0);
        return limiter.outgrows(limiter_.look_at(item.at.key, stored_of(Stored())), item.now, all) &&
               limiter.outgrows(limiter_.look_at(item.at.key, stored_of(window)), item.now, item.amount);
    }

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
