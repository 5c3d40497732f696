// The calls of one operation: cut in the same way every time, made under one id, recorded before they are sent and
// after.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/report/fields/write_fields.h"
#include "commands/write/planned_slices.h"
#include "commands/write/write_order.h"
#include "commands/write/write_record.h"

namespace ratectl::commands {

/// Whatever writes to the store does it through one of these.
class OperationWriter {
public:
    /// `asked`: as Slicer has it. `mark`: what the fingerprints of its calls begin with. The context outlives it.
    OperationWriter(Orders orders, std::string asked, Context& context, std::string_view mark = {});

    /// The calls for these keys, whether all of them are sent or not; numbered on from those before.
    std::vector<PlannedSlice> cut(std::span<const PlannedKey> keys);
    /// The order of the next store call, whose items these are, in its order. Throws the Failure of record_failure().
    store::WriteOrder order(std::vector<RecordedItem> items, std::vector<store::Slice> slices);
    /// All of these keys in the calls that they are cut into; `rows`: the number of each.
    store::WriteOrder order(std::span<const PlannedKey> keys, std::span<const std::uint64_t> rows);

    /// Under --wait-replicas: how many have what an earlier attempt has written, which is waited for once a shard, and
    /// the word of every row that fewer have than were asked for.
    void count_replicas(std::span<WriteRow> rows);

    WriteRecord& record() { return record_; }
    /// The outcomes that could not be recorded: nothing more may be sent.
    const std::optional<support::Error>& record_failure() const { return record_.failure(); }

private:
    void await_earlier(std::span<WriteRow> rows);

    Context& context_;
    Orders orders_;
    std::string mark_;
    Slicer slicer_;
    WriteRecord record_;
    std::map<std::string, std::optional<int>> replicas_;  // by shard, of those that were waited for
};

/// The server that did it, or failed at it: its slot, or the role of the primary, may have gone elsewhere since the key
/// was placed, and a second key may lie on another one. Of an error that blames no server none.
void take_node(WriteRow& row, const domain::Node& node);
/// What became of one item of a call, in its row. `hint`: what may be done where a script gave this reason.
void take_result(WriteRow& row, store::WriteResult&& result, domain::WriteKind kind,
                 const std::function<std::string(std::string_view reason)>& hint);

}  // namespace ratectl::commands
