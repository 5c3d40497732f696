// The record that every changing command leaves: intents in the journal and the audit log before anything is sent,
// outcomes after.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "journal/journal.h"
#include "store/store.h"

namespace ratectl::commands {

/// The head of a command's record: its id (`op_id`, else a fresh one), who, where, why and since when. Throws Failure
/// (usage) for a bad id.
journal::OperationHead start_operation(Context& context, domain::WriteKind kind, std::string_view command,
                                       const std::optional<std::string>& op_id,
                                       const std::optional<std::string>& reason);

/// A server as records name it: its address, and the database where that is not 0.
std::string recorded_address(const domain::Endpoint& endpoint);

/// One item of a store call as the journal knows it.
struct RecordedItem {
    std::uint64_t row = 1;  // its place in the command: `OP/row`
    std::string key;
    std::optional<std::int64_t> amount;  // null for resets and restores
};

/// One a command; give it to every WriteOrder as the observer. Touches no file before the first write, so a dry run
/// leaves nothing.
class WriteRecord final : public store::WriteObserver {
public:
    /// Throws Failure (usage) when --audit names something that is not a log.
    WriteRecord(Context& context, journal::OperationHead head);

    const journal::OperationHead& head() const { return head_; }
    /// For WriteOrder::operation.
    const domain::Operation& operation() const { return head_.operation; }

    /// The items of the next store call, item by item in its order; call it before each. Calls may be on their way side
    /// by side: they end in the order in which they began.
    void expect(std::vector<RecordedItem> items) { next_ = std::move(items); }

    /// Perhaps on another thread, while the caller waits. Throws Failure when an intent cannot be stored or audited
    /// (local_io), or another command has this id (guard): nothing was sent.
    void before(std::span<const store::SliceAt> slices) override;
    /// Outcomes wait for the next intents, or for flush(), so that one transaction holds both.
    void hold_outcomes() { holds_ = true; }
    /// Records the outcomes that wait. Never throws: see failure().
    void flush();
    /// Never throws: what was written has to be counted and printed all the same. See failure().
    void after(std::span<const store::SliceAt> slices, std::span<const store::WriteResult> results) override;

    /// Outcomes that could not be recorded; the command prints its rows, then ends with this and sends nothing more.
    const std::optional<support::Error>& failure() const { return failure_; }

private:
    void begin();
    void record();
    void fail(const support::Failure& failure);
    void audit_all();
    void audit(const journal::Intent& intent, const std::optional<journal::Outcome>& outcome);
    void hold(std::uint64_t row, const store::WriteResult& result);

    Context& context_;
    journal::OperationHead head_;
    bool audits_ = false;
    bool begun_ = false;
    std::vector<RecordedItem> next_;
    std::deque<std::vector<RecordedItem>> begun_items_;  // of the calls that are on their way
    std::vector<journal::Intent> intents_;               // of the call that begins; its memory is used again
    bool holds_ = false;
    std::vector<journal::Outcome> held_;
    std::optional<support::Error> failure_;
};

}  // namespace ratectl::commands
