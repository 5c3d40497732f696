// Finds what a killed reshard left behind: the journal is asked first, then the server.
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

/// Beyond the deadline that a request was sent with, so much.
constexpr support::Seconds kSurelyOver{1};

/// As a window that has only been counted in since: no fewer requests.
bool may_be_the_same(const WindowOnBoth& window) {
    if (window.source.used == window.there.used) return true;
    const auto now = support::parse_decimal(window.source.used.value_or(""));
    const auto then = support::parse_decimal(window.there.used.value_or(""));
    return now && then && *now >= *then;
}

/// What reshards did, or may have done, to windows: copies to where they go, and removals from where they come from.
class Traces {
public:
    Traces(std::span<const WindowOnBoth> windows, DeploymentPair& deployments, bool merges, support::WallTime now)
        : windows_(windows), deployments_(deployments), merges_(merges), now_(now), traces_(windows.size()) {
        for (std::size_t i = 0; i < windows.size(); ++i) {
            if (windows[i].source.reset_at != windows[i].there.reset_at) continue;
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

    Leftover leftover(std::size_t i) {
        const auto& window = windows_[i];
        for (const Trace& trace : traces_[i].newest_first) {
            const auto wrote = what_it_wrote(trace, window);
            if (wrote == Wrote::unclear) return {Leftover::Kind::unclear};
            if (wrote == Wrote::nothing) continue;
            return trace.copies ? leftover_of(*(trace.done ? trace.done : recorded(trace, window)), window)
                                : Leftover{};
        }
        return {};
    }

private:
    struct Done {
        domain::StoredWindow before;
        domain::StoredWindow after;
    };
    enum class Wrote { something, nothing, unclear };
    struct Trace {
        bool copies = false;  // else it removes
        domain::SliceId slice;
        bool op_keys = true;
        support::WallTime at{};    // when it was about to be sent
        std::optional<Done> done;  // null: the journal does not know
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
        Trace trace{
            copies, {entry.head.operation.id, entry.intent.slice}, entry.head.op_keys, entry.intent.at, std::nullopt};
        if (known) trace.done = Done{entry.outcome->before, entry.outcome->after};
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

    std::optional<Done> recorded(const Trace& trace, const WindowOnBoth& window) {
        const auto& record = recall(trace, window).record;
        const auto* answer = record ? answer_in(*record, trace.copies ? window.new_key : window.key) : nullptr;
        return answer ? std::optional(Done{answer->before, answer->after}) : std::nullopt;
    }

    /// An operation key stays as long as the window that was written would have. Without one the call may still be on
    /// its way, until the deadline that it was sent with: it does no harm any more, unless it adds to what is there.
    Wrote what_it_wrote(const Trace& trace, const WindowOnBoth& window) {
        if (trace.done) return Wrote::something;
        if (!trace.op_keys || !recall(trace, window).answered) return Wrote::unclear;
        if (recorded(trace, window)) return Wrote::something;
        const auto& settings = (trace.copies ? deployments_.to : deployments_.from).settings;
        const bool may_come = merges_ && trace.copies && now_ < trace.at + settings.timeout + kSurelyOver;
        return may_come ? Wrote::unclear : Wrote::nothing;
    }

    static Leftover leftover_of(const Done& done, const WindowOnBoth& window) {
        const bool was_empty = !done.before.used && !done.before.reset_at && !done.before.state;
        if (was_empty && same_bytes(done.after, window.there) && may_be_the_same(window)) return {Leftover::Kind::copy};
        const auto before = support::parse_decimal(done.before.used.value_or("0"));
        const auto after = support::parse_decimal(done.after.used.value_or(""));
        if (!before || !after || done.after.state) return {};
        return {Leftover::Kind::counted, *after - *before};
    }

    std::span<const WindowOnBoth> windows_;
    DeploymentPair& deployments_;
    bool merges_;
    support::WallTime now_;
    std::vector<Traced> traces_;
    std::multimap<std::string, std::size_t> at_target_;  // by their keys as the journal has them
    std::multimap<std::string, std::size_t> at_source_;
    std::size_t open_ = 0;  // not settled
    std::map<std::tuple<bool, std::size_t, std::string, std::uint64_t>, Recalled> recalled_;
};

}  // namespace

std::vector<Leftover> leftovers_of(std::span<const WindowOnBoth> windows, DeploymentPair& deployments, bool merges,
                                   Context& context) {
    Traces traces(windows, deployments, merges, context.wall_clock());
    traces.read(context.journal());
    std::vector<Leftover> all;
    for (std::size_t i = 0; i < windows.size(); ++i) all.push_back(traces.leftover(i));
    return all;
}

}  // namespace ratectl::commands::reshard
