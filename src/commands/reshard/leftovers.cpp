// Finds the copies that a killed reshard left behind: the journal is asked first, then the server.
#include "commands/reshard/leftovers.h"

#include <map>
#include <optional>
#include <tuple>

#include "commands/report/key_mask.h"
#include "commands/write/unresolved_entries.h"
#include "support/number_text.h"

namespace ratectl::commands::reshard {
namespace {

const domain::OperationRecord::WindowAnswer* answer_in(const domain::OperationRecord& record, const std::string& key) {
    for (const auto& window : record.windows) {
        if (window.key == key) return domain::wrote(window.status) ? &window : nullptr;
    }
    return nullptr;
}

/// As a window that has only been counted in since: the same end, and no fewer requests.
bool may_be_the_same(const WindowOnBoth& window) {
    if (window.source.reset_at != window.there.reset_at) return false;
    if (window.source.used == window.there.used) return true;
    const auto now = support::parse_decimal(window.source.used.value_or(""));
    const auto then = support::parse_decimal(window.there.used.value_or(""));
    return now && then && *now >= *then;
}

/// What reshards did, or may have done, to windows: copies to where they go, and removals from where they come from.
class Traces {
public:
    Traces(std::span<const WindowOnBoth> windows, DeploymentPair& deployments)
        : windows_(windows), deployments_(deployments), traces_(windows.size()) {
        for (std::size_t i = 0; i < windows.size(); ++i) {
            if (!may_be_the_same(windows[i])) continue;
            at_target_.emplace(recorded_key(windows[i].new_key, deployments.to.settings), i);
            at_source_.emplace(recorded_key(windows[i].key, deployments.from.settings), i);
        }
        open_ = at_target_.size();
    }

    void read(journal::Journal& journal) {
        if (open_ == 0) return;
        journal::Question question;
        question.command = kReshardCommand;
        question.newest_first = true;
        journal.entries(question, [this](const journal::Entry& entry) {
            const bool copies = entry.head.kind == domain::WriteKind::restore;
            const auto& side = copies ? deployments_.to : deployments_.from;
            if (entry.head.deployment != side.settings.deployment) return true;
            const auto& known = copies ? at_target_ : at_source_;
            for (auto [at, end] = known.equal_range(entry.intent.key); at != end; ++at) {
                const auto& window = windows_[at->second];
                const auto& directory = side.store->directory();
                // A slot may have come from another one since.
                if (directory.has_slots() || entry.intent.shard == directory.name_of(copies ? window.to : window.from))
                    take(traces_[at->second], entry, copies);
            }
            return open_ > 0;
        });
    }

    bool has_own_copy(std::size_t i) {
        const auto& window = windows_[i];
        for (const Trace& trace : traces_[i].newest_first) {
            if (trace.copies) {
                const auto left = trace.left ? trace.left : recorded(trace, window);
                if (left) return same_bytes(*left, window.there);
            } else if (trace.left || !trace.op_keys || may_have_removed(trace, window)) {
                return false;
            }
        }
        return false;
    }

private:
    struct Trace {
        bool copies = false;  // else it removes
        domain::SliceId slice;
        bool op_keys = true;
        std::optional<domain::StoredWindow> left;  // what stood there afterwards; null: the journal does not know
    };
    struct Traced {
        std::vector<Trace> newest_first;
        bool settled = false;  // what came before does not matter
    };
    struct Recalled {
        bool answered = false;
        std::optional<domain::OperationRecord> record;
    };

    void take(Traced& traced, const journal::Entry& entry, bool copies) {
        const bool known = entry.outcome && entry.outcome->status != domain::WriteStatus::unknown;
        if (traced.settled || (known && !domain::wrote(entry.outcome->status))) return;
        Trace trace{copies, {entry.head.operation.id, entry.intent.slice}, entry.head.op_keys, std::nullopt};
        if (known) trace.left = entry.outcome->after;
        traced.newest_first.push_back(std::move(trace));
        if (!known) return;
        traced.settled = true;
        --open_;
    }

    const Recalled& recall(const Trace& trace, const WindowOnBoth& window) {
        const std::size_t shard = trace.copies ? window.to : window.from;
        const auto [found, fresh] =
            recalled_.try_emplace({trace.copies, shard, trace.slice.operation, trace.slice.number});
        if (!fresh) return found->second;
        auto& store = *(trace.copies ? deployments_.to : deployments_.from).store;
        if (auto records = store.recall(shard, std::span(&trace.slice, 1)))
            found->second = {true, std::move(records->front())};
        return found->second;
    }

    std::optional<domain::StoredWindow> recorded(const Trace& trace, const WindowOnBoth& window) {
        const auto& record = recall(trace, window).record;
        const auto* answer = record ? answer_in(*record, trace.copies ? window.new_key : window.key) : nullptr;
        return answer ? std::optional(answer->after) : std::nullopt;
    }

    /// Also when that cannot be told. The operation key of a removal stays as long as the window it removed would have.
    bool may_have_removed(const Trace& trace, const WindowOnBoth& window) {
        return !recall(trace, window).answered || recorded(trace, window);
    }

    std::span<const WindowOnBoth> windows_;
    DeploymentPair& deployments_;
    std::vector<Traced> traces_;
    std::multimap<std::string, std::size_t> at_target_;  // by their keys as the journal has them
    std::multimap<std::string, std::size_t> at_source_;
    std::size_t open_ = 0;  // not settled
    std::map<std::tuple<bool, std::size_t, std::string, std::uint64_t>, Recalled> recalled_;
};

}  // namespace

std::vector<bool> own_copies(std::span<const WindowOnBoth> windows, DeploymentPair& deployments,
                             journal::Journal& journal) {
    Traces traces(windows, deployments);
    traces.read(journal);
    std::vector<bool> own;
    for (std::size_t i = 0; i < windows.size(); ++i) own.push_back(traces.has_own_copy(i));
    return own;
}

}  // namespace ratectl::commands::reshard
