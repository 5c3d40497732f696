// One chunk of planned keys on its way to rows: refused unseen, known from before, looked at, sent.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/write/change.h"
#include "commands/write/consent.h"
#include "commands/write/operation_writer.h"
#include "commands/write/plan_output.h"
#include "commands/write/planned_keys.h"
#include "commands/write/previous_attempt.h"
#include "commands/write/rows_before.h"
#include "domain/write.h"

namespace ratectl::commands {

/// A chunk with what became of it: a row a key.
struct WrittenChunk {
    std::vector<PlannedKey> keys;
    std::vector<WriteRow> rows;
};

/// Chunk behind chunk, overlapping: while the servers work on one, the next is planned and recorded, and the one before
/// is printed.
class ChunkWriter {
public:
    /// All that is given outlives it. `states`: those that were named.
    ChunkWriter(const Orders& orders, const Consent& consent, std::vector<domain::WindowState> states, Change& change,
                Context& context);

    /// Sends what is to be sent of it, and does not wait. Rows are numbered on from the chunk before. Throws Failure
    /// where nothing of this chunk was sent; take() knows nothing of it then.
    void submit(std::vector<PlannedKey> chunk);
    /// The oldest chunk, as soon as all of it is answered.
    WrittenChunk take();
    /// How many take() has not given yet.
    std::size_t pending() const { return pending_.size(); }
    /// Waits until the oldest chunk is answered; its outcomes go into the journal with the intents of the next
    /// submit().
    void await();
    /// Waits for the oldest, of which there is one, and records all that is known.
    void await_oldest();
    /// Waits for all, and records all that is known.
    void await_all();
    /// Lets the servers' answers in, without waiting.
    void poll() const;

    /// One chunk alone, from submit() to take() and into the journal.
    std::vector<WriteRow> write(std::span<const PlannedKey> chunk);
    /// A row a key of what is not sent any more, numbered on: not attempted.
    std::vector<WriteRow> fresh_rows(std::span<const PlannedKey> keys);
    /// The outcomes that could not be recorded: nothing more may be sent.
    const std::optional<support::Error>& record_failure() const { return writer_.record_failure(); }
    /// As PreviousAttempt has it.
    TakenBack taken_back() const { return earlier_ ? earlier_->taken_back() : TakenBack(); }
    /// Ends the plan, if one is written.
    void finish();
    /// Rows of the plan so far.
    std::uint64_t planned() const { return plan_ ? plan_->rows() : 0; }

private:
    struct Chunk {
        WrittenChunk written;
        std::uint64_t first_row = 1;
        std::vector<std::size_t> taken;  // what the change has collected, in its order
        std::vector<bool> left_out;      // its call was carried out without it
        bool on_its_way = false;
    };

    void begin_row(const PlannedKey& planned, std::uint64_t row, WriteRow& fresh) const;
    void guard(PlannedKey& planned) const;
    std::optional<Refusal> refuse_unseen(const PlannedKey& planned) const;
    std::optional<support::Error> seen_otherwise(const PlannedKey& planned) const;
    void check_cut(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices) const;
    /// False where the key needs no look any more.
    bool take_earlier(const PlannedKey& planned, const EarlierWrite& earlier, WriteRow& row);
    std::vector<std::size_t> prepare_unseen(Chunk& chunk, std::span<const PlannedSlice> slices);
    void look_and_prepare(Chunk& chunk, const std::vector<std::size_t>& to_look);
    void take_lost_look(WriteRow& row, const store::LookAnswer& answer) const;
    bool prepare(PlannedKey& planned, store::LookAnswer answer, support::Moment now, WriteRow& row, bool left_out);
    bool end_moves(const PlannedKey& planned) const { return limiter_of(settings_).of(planned.key).end_moves(); }
    std::optional<Refusal> go_on(PlannedKey& planned, domain::WindowLook& look, support::Moment now) const;
    void note_for_rows_behind(const Subject& subject, const domain::StoredWindow& after);
    std::optional<Refusal> refuse_unsound(const Subject& subject) const;
    void take_forecast(const Subject& subject, WriteRow& row);
    void send(Chunk& chunk, std::span<const PlannedSlice> slices);

    const Orders& orders_;
    const Consent& consent_;
    std::vector<domain::WindowState> states_;
    Change& change_;
    Context& context_;
    const config::Settings& settings_;
    const store::Directory& directory_;
    PlanRules rules_;
    OperationWriter writer_;
    std::unique_ptr<store::WriteStream> stream_;
    std::optional<PreviousAttempt> earlier_;
    std::optional<PlanOutput> plan_;
    RowsBefore before_;
    store::OpenSlots open_slots_;         // of a dry run: a plan is carried out when they have arrived
    std::vector<std::string> addresses_;  // of the primaries, shard by shard
    std::uint64_t rows_ = 0;
    std::deque<Chunk> pending_;
};

}  // namespace ratectl::commands
