// Finds the copies that a killed reshard left behind: the journal is asked first, then the server.
#include "commands/reshard/leftovers.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "commands/report/key_mask.h"
#include "support/decimal.h"

namespace ratectl::commands::reshard {
namespace {

const domain::OperationRecord::WindowAnswer* answer_in(const domain::OperationRecord& record, const std::string& key) {
    for (const auto& window : record.windows) {
        if (window.key == key) return domain::wrote(window.status) ? &window : nullptr;
    }
    return nullptr;
}

/// The operation that removed, or was to remove, what this one copied.
std::string removal_of(const std::string& copy) {
    constexpr std::string_view kCopy = "-copy";
    auto id = copy;
    return id.replace(id.rfind(kCopy), kCopy.size(), "-remove");
}

/// A copy that may be what stands at the target.
struct Copying {
    domain::SliceId slice;
    bool op_keys = true;
    bool sure = false;  // the journal has its outcome, and the bytes agree
};

std::vector<Copying> copyings_of(const WindowOnBoth& window, const config::Settings& target,
                                 journal::Journal& journal) {
    journal::Question question;
    question.key = recorded_key(window.key, target);
    question.deployment = target.deployment;
    std::vector<Copying> found;
    journal.entries(question, [&](const journal::Entry& entry) {
        if (entry.head.kind != domain::WriteKind::restore || entry.head.command != "reshard apply") return true;
        const bool known = entry.outcome && entry.outcome->status != domain::WriteStatus::unknown;
        if (known && !(domain::wrote(entry.outcome->status) && same_bytes(entry.outcome->after, window.there)))
            return true;
        found.push_back({{entry.head.operation.id, entry.intent.slice}, entry.head.op_keys, known});
        return true;
    });
    return found;
}

bool is_recorded(const domain::SliceId& slice, const WindowOnBoth& window, store::Store& store) {
    const auto records = store.recall(window.to, std::span(&slice, 1));
    if (!records || !records->front()) return false;
    const auto* answer = answer_in(*records->front(), window.key);
    return answer != nullptr && same_bytes(answer->after, window.there);
}

/// Those that did put there what stands there.
std::vector<Copying> true_copyings_of(const WindowOnBoth& window, DeploymentPair& deployments,
                                      journal::Journal& journal) {
    auto copyings = copyings_of(window, deployments.to.settings, journal);
    std::erase_if(copyings, [&](const Copying& copying) {
        return !copying.sure && !is_recorded(copying.slice, window, *deployments.to.store);
    });
    return copyings;
}

/// Also when that cannot be told.
bool may_be_removed(const Copying& copying, const WindowOnBoth& window, OpenDeployment& source,
                    journal::Journal& journal) {
    journal::Question question;
    question.operation = removal_of(copying.slice.operation);
    question.key = recorded_key(window.key, source.settings);
    bool removed = false;
    std::vector<domain::SliceId> unsure;
    journal.entries(question, [&](const journal::Entry& entry) {
        const bool known = entry.outcome && entry.outcome->status != domain::WriteStatus::unknown;
        if (known) {
            removed = removed || domain::wrote(entry.outcome->status);
        } else {
            unsure.push_back({entry.head.operation.id, entry.intent.slice});
        }
        return true;
    });
    if (removed || unsure.empty()) return removed;
    if (!copying.op_keys) return true;
    // The operation key of a removal stays as long as the window it removed would have.
    const auto records = source.store->recall(window.from, unsure);
    if (!records) return true;
    return std::any_of(records->begin(), records->end(),
                       [&](const auto& record) { return record && answer_in(*record, window.key) != nullptr; });
}

/// As a window that has only been counted in since: the same end, and no fewer requests.
bool may_be_the_same(const WindowOnBoth& window) {
    if (window.source.reset_at != window.there.reset_at) return false;
    if (window.source.used == window.there.used) return true;
    const auto now = support::parse_decimal(window.source.used.value_or(""));
    const auto then = support::parse_decimal(window.there.used.value_or(""));
    return now && then && *now >= *then;
}

}  // namespace

bool is_own_copy(const WindowOnBoth& window, DeploymentPair& deployments, journal::Journal& journal) {
    if (!may_be_the_same(window)) return false;
    const auto copyings = true_copyings_of(window, deployments, journal);
    return !copyings.empty() && std::ranges::none_of(copyings, [&](const Copying& copying) {
        return may_be_removed(copying, window, deployments.from, journal);
    });
}

bool may_be_moved(const WindowOnBoth& window, DeploymentPair& deployments, journal::Journal& journal) {
    return std::ranges::any_of(true_copyings_of(window, deployments, journal), [&](const Copying& copying) {
        return may_be_removed(copying, window, deployments.from, journal);
    });
}

}  // namespace ratectl::commands::reshard
