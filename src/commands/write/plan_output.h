// The plan that --plan asks for: the rows of a dry run, numbered and cut as they will be when it is applied.
#pragma once

#include <cstdint>
#include <vector>

#include "commands/write/change.h"
#include "commands/write/planned_slices.h"
#include "commands/write/write_order.h"
#include "input/plan_file.h"

namespace ratectl::commands {

class PlanOutput {
public:
    /// Opens the file; orders.plan is set. Throws Failure (local_io).
    PlanOutput(const Orders& orders, Change& change, Context& context);

    /// The number of its row in the plan.
    std::uint64_t add(const Subject& subject);
    /// From now on there is a file of that name.
    void finish();
    std::uint64_t rows() const { return rows_; }

private:
    void write_chunk();

    Context& context_;
    Change& change_;
    const config::Settings& settings_;
    const store::Directory& directory_;
    std::optional<std::int64_t> used_at_least_;  // in the head
    Slicer slicer_;
    input::PlanWriter writer_;
    std::vector<PlannedKey> keys_;  // of the chunk that is not written yet
    std::vector<input::PlanRow> waiting_;
    std::uint64_t rows_ = 0;
    std::size_t chunks_ = 0;    // that are cut
    std::uint64_t masked_ = 0;  // rows whose key is not shown elsewhere
};

}  // namespace ratectl::commands
