// The columns of a sandbox's servers: shard, role, address, pid, state.
#include "commands/report/fields/sandbox_fields.h"

namespace ratectl::commands {

namespace {

using output::Cell;
using output::Column;
using output::Tone;
using sandbox::MemberStatus;
using Shown = Column::Shown;

Cell shard_of(const MemberStatus& one) {
    if (one.member.shard.empty()) return {};
    return output::Text{one.member.shard};
}

Cell state_of(const MemberStatus& one) {
    if (one.answers) return output::Word{"running", Tone::good};
    if (one.running) return output::Word{"silent", Tone::bad};
    return output::Word{"gone", Tone::bad};
}

}  // namespace

std::span<const output::Field<MemberStatus>> sandbox_fields() {
    static const output::Field<MemberStatus> list[] = {
        {{"shard", output::CellType::text, "SHARD", "the shard's name; none: a sentinel", Shown::table}, shard_of},
        {{"role", output::CellType::word, "ROLE", "primary, replica or sentinel, as it was started", Shown::table},
         [](const MemberStatus& one) -> Cell {
             return output::Word{sandbox::name_of(one.member.part), Tone::plain};
         }},
        {{"address", output::CellType::text, "ADDRESS", "where it listens", Shown::table},
         [](const MemberStatus& one) -> Cell { return output::Text{one.member.endpoint().address()}; }},
        {{"pid", output::CellType::integer, "PID", "its process", Shown::table},
         [](const MemberStatus& one) -> Cell { return std::int64_t{one.member.mark.pid}; }},
        {{"state", output::CellType::word, "STATE", "running, silent (no answer within 500ms) or gone", Shown::table},
         state_of},
    };
    return list;
}

}  // namespace ratectl::commands
