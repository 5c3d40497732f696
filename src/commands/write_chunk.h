// One chunk of planned keys on its way to rows: refused unseen, known from before, looked at, sent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "commands/change.h"
#include "commands/consent.h"
#include "commands/earlier_writes.h"
#include "commands/plan_output.h"
#include "commands/planned_slices.h"
#include "commands/write_order.h"
#include "commands/write_record.h"

namespace ratectl::commands {

class ChunkWriter {
public:
    /// All that is given outlives it. `states`: those that were named.
    ChunkWriter(const Orders& orders, const Consent& consent, std::vector<domain::WindowState> states, Change& change,
                Context& context);

    /// One row a key, in order; numbered on from the chunk before. Throws Failure where nothing of this chunk was sent.
    std::vector<WriteRow> write(std::span<const PlannedKey> chunk);
    /// The outcomes that could not be recorded: nothing more may be sent.
    const std::optional<support::Error>& record_failure() const { return record_.failure(); }
    /// Ends the plan, if one is written.
    void finish();
    /// Rows of the plan so far.
    std::uint64_t planned() const { return plan_ ? plan_->rows() : 0; }

private:
    WriteRow fresh_row(const PlannedKey& planned, std::uint64_t row) const;
    std::optional<Refusal> refuse_unseen(const PlannedKey& planned) const;
    void check_cut(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices) const;
    /// False where the key needs no look any more.
    bool take_earlier(const PlannedKey& planned, const EarlierWrite& earlier, WriteRow& row) const;
    void look_and_prepare(std::span<const PlannedKey> chunk, const std::vector<std::size_t>& to_look,
                          std::vector<WriteRow>& rows);
    void take_lost_look(WriteRow& row, const support::Error& error) const;
    bool prepare(const PlannedKey& planned, const domain::WindowLook& look, support::Instant now, WriteRow& row,
                 bool left_out);
    std::optional<Refusal> refuse_unsound(const Subject& subject) const;
    void take_forecast(const Subject& subject, WriteRow& row);
    void send(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices, std::vector<WriteRow>& rows);
    void take_result(WriteRow& row, store::WriteResult result) const;

    const Orders& orders_;
    const Consent& consent_;
    std::vector<domain::WindowState> states_;
    Change& change_;
    Context& context_;
    const config::Settings& settings_;
    bool opens_;
    Slicer slicer_;
    WriteRecord record_;
    std::optional<EarlierWrites> earlier_;
    std::optional<PlanOutput> plan_;
    std::uint64_t rows_ = 0;
    std::vector<std::size_t> taken_;  // of this chunk: what the change has collected, in its order
    std::vector<bool> left_out_;      // of this chunk: its call was carried out without it
};

}  // namespace ratectl::commands
