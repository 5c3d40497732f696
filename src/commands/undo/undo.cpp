// undo: finds what is to be taken back, asks for consent, and takes it back batch by batch.
#include "commands/all_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/report/pasted_flags.h"
#include "commands/request/feature_context.h"
#include "commands/request/operation_ref.h"
#include "commands/request/refused_flags.h"
#include "commands/undo/undo_source.h"
#include "commands/undo/undo_writer.h"
#include "commands/write/previous_attempt.h"
#include "commands/write/write_report.h"
#include "support/fnv.h"

namespace ratectl::commands {

namespace {

using support::Failure;

struct UndoRequest {
    std::vector<std::string> operations;
    bool merge = false;
    bool force = false;
    std::vector<std::string> clients;
    ConsentFlags consent;
    OrderFlags order;
};

void bind_undo(Syntax syntax, UndoRequest& request) {
    syntax.add_option("operation", request.operations, "an operation, or some of its rows: OP/1 OP/7")
        .type_name("OP[/ROW]")
        .expected(0, -1);
    syntax.add_flag("--merge", request.merge,
                    "where a newer window stands, leave what would be there if the old one had not been removed");
    syntax
        .add_flag("--force", request.force,
                  "go on although the deployment, a server, a limit or a window is not the one that it was, or a "
                  "reshard has copied the windows elsewhere")
        .group("Safety");
    syntax
        .add_option("--client", request.clients,
                    "whose windows they are, where a secret policy keeps that out of the journal; repeatable")
        .type_name("ID");
    bind_consent(syntax, request.consent);
    bind_op_id(syntax, request.order);
    bind_delivery(syntax, request.order);
    refuse_guards(syntax, "an operation is taken back only from the windows that it changed, as it left them",
                  "OP/ROW names single rows of it");
}

/// One operation, and the rows of it that are meant; none: all.
struct Meant {
    std::string id;
    std::set<std::uint64_t> rows;
};

Meant meant_by(const std::vector<std::string>& operations) {
    Meant meant;
    bool whole = false;
    for (const auto& text : operations) {
        const auto ref = parse_operation_ref(text);
        if (!ref)
            throw Failure(ExitCode::usage, "'" + text + "' is not an operation",
                          "OP or OP/3, as `ratectl history` has it");
        if (!meant.id.empty() && ref->id != meant.id) {
            throw Failure(ExitCode::usage,
                          "one undo takes back one operation, not '" + meant.id + "' and '" + ref->id + "'",
                          "undo the newer one first");
        }
        meant.id = ref->id;
        whole = whole || !ref->row;
        if (ref->row) meant.rows.insert(*ref->row);
    }
    if (meant.id.empty()) {
        throw Failure(ExitCode::usage, "which operation? none was named",
                      "every change prints its operation; `ratectl history` lists them");
    }
    if (whole) meant.rows.clear();
    return meant;
}

/// The same for every user and machine that takes this operation back, so that it happens once; of a long id, its
/// beginning and a digest of all of it.
std::string undo_id(const std::string& operation) {
    constexpr std::string_view end = "-undo";
    constexpr std::size_t kept = 40;
    std::string id = operation + std::string(end);
    if (domain::check_operation_id(id)) return id;
    return fmt::format("{}-{:016x}{}", operation.substr(0, kept), support::fnv1a_64(operation), end);
}

std::string verb_for(domain::WriteKind kind) {
    switch (kind) {
        case domain::WriteKind::count: return "give back what was counted in";
        case domain::WriteKind::refund: return "count again what was given back in";
        case domain::WriteKind::repair: return "put the earlier expiries back on";
        case domain::WriteKind::put: return "put back what was stored in";
        default: return "put back";
    }
}

Orders orders_for(const UndoRequest& request, const journal::OperationHead& undone, Context& context) {
    auto flags = request.order;
    if (!flags.op_id) flags.op_id = undo_id(undone.operation.id);
    auto orders = orders_of(flags, request.consent, opposite_of(undone.kind), "undo", context);
    orders.head.undoes = undone.operation.id;
    orders.repeatable = request.order.op_id.has_value();
    orders.resumable = true;
    return orders;
}

/// The keys of result rows, for a look at their replicas.
std::vector<PlannedKey> keys_of(const std::vector<WriteRow>& rows, const store::Directory& directory) {
    std::vector<PlannedKey> keys(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        keys[i].key = rows[i].key;
        keys[i].shard = directory.find(rows[i].shard).value_or(0);
    }
    return keys;
}

void write_all(UndoSource& source, UndoWriter& writer, WriteReport& report, ReplicaTable& replicas, Context& context) {
    while (!context.stop()) {
        const auto batch = source.next();
        if (batch.empty()) return;
        const auto rows = writer.write(batch);
        replicas.note(keys_of(rows, context.directory()), rows);
        report.take(rows);
        if (writer.record_failure()) throw Failure(*writer.record_failure());
        report.progress(source.count());
    }
    // A second signal leaves them counted.
    while (context.stop().count() < 2) {
        const auto batch = source.next();
        if (batch.empty()) return;
        std::vector<WriteRow> rows;
        rows.reserve(batch.size());
        for (const auto& entry : batch) rows.push_back(writer.fresh_row(entry));
        report.take(rows);
    }
}

/// An id that was chosen may stand for something else, on whatever shard. Each operation has a call of the number 1,
/// unless only rows of another one were taken back.
void check_own_id(const UndoSource& source, const Orders& orders, Context& context) {
    if (!orders.repeatable) return;
    const auto& undone = source.head().operation.id;
    auto* journal = context.existing_journal();
    const auto head = journal == nullptr ? std::nullopt : journal->find(orders.id());
    if (head && head->undoes != undone) refuse_used_id(orders, "in the journal: " + head->command, true);
    if (!orders.op_keys) return;
    const bool by_slot = context.directory().has_slots();
    auto ids = first_calls(orders.id(), by_slot);
    for (const auto number : source.calls())
        if (std::ranges::find(ids, number, &domain::SliceId::number) == ids.end()) ids.push_back({orders.id(), number});
    const auto shards = by_slot ? 1 : context.directory().places().size();
    for (std::size_t shard = 0; shard < shards && !context.stop(); ++shard) {
        const auto records = context.store().recall(shard, ids);
        if (!records) continue;  // a shard that is not written to need not answer
        const bool is_another = std::ranges::any_of(
            *records, [&undone](const auto& record) { return record && !is_undo_of(*record, undone); });
        if (is_another) refuse_used_id(orders, "on shard '" + context.directory().name_of(shard) + "'");
    }
}

/// A call that changed nothing leaves no record, either. If the last ones are missing, nothing shows it.
void tell_missing_calls(const UndoSource& source, Outcome& outcome, Context& context) {
    const auto calls = source.missing_calls();
    if (calls.empty()) return;
    const auto& [id, actor, host, reason] = source.head().operation;
    context.messages().error({ExitCode::partial,
                              "the servers have no record of calls of operation '" + id + "' before its last one (" +
                                  calls + "): either those changed nothing, or their records are gone, and then " +
                                  "their windows are left out here and stay as they are",
                              "where it was made ('" + host + "') the journal knows all its windows: undo it there"});
    outcome.add(ExitCode::partial);
}

/// What is not known as long as servers are not asked is no answer: their failures are, as in every other document.
ExitCode end_unknown(const PerhapsUnknown& unknown, const UndoRequest& request, Context& context) {
    RowWriter<WriteRow> writer(context, write_fields(), "ratectl.writes.v1", kWriteTable, true, request.order.rows);
    Outcome outcome(context);
    outcome.answer();  // of the journal, and of the servers that do not fail
    for (const auto& [node, error] : unknown.failures) outcome.fail(node, error);
    context.messages().error(unknown.error());
    outcome.add(writer.end(outcome.footer()));
    context.out().flush();
    return outcome.code();
}

ExitCode take_back(const UndoRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    if (!windows_need_terms(context.settings())) refuse_limit(context, "OP/ROW names single rows of an operation");
    const auto meant = meant_by(request.operations);
    Consent consent(request.consent, context);
    UndoSource source(context, meant.id, meant.rows, request.force, request.clients);
    const auto orders = orders_for(request, source.head(), context);
    if (request.merge && source.head().kind != domain::WriteKind::reset) {
        throw Failure(ExitCode::usage,
                      "--merge is about windows that were removed, and operation '" + meant.id + "' is a " +
                          source.head().command,
                      "leave it out");
    }
    check_own_id(source, orders, context);
    WriteReport report(orders, context);
    tell_missing_calls(source, report.outcome(), context);
    auto plan = source.plan();
    plan.verb = verb_for(source.head().kind);
    consent.require(plan);
    UndoWriter writer(orders, consent, {request.merge, request.force, source.is_whole(), &context.settings()},
                      source.head(), context);
    ReplicaTable replicas(orders.show_replicas);
    try {
        write_all(source, writer, report, replicas, context);
    } catch (const Failure& failure) {
        report.break_off(failure.error(), source.count());
    }
    report.take_blind(source.failures());
    report.finish(source.count(), true);
    report.outcome().add(replicas.print(context));
    return report.outcome().code();
}

ExitCode run_undo(const UndoRequest& request, Context& context) {
    try {
        return take_back(request, context);
    } catch (const PerhapsUnknown& unknown) {
        return end_unknown(unknown, request, context);
    } catch (const TurnedFeature&) {
        // Found before anything was written. Of features it is none.
        FeatureContext features(context);
        return take_back(request, features);
    }
}

}  // namespace

Command undo_command() {
    return {"undo", Group::change, "take an operation back",
            "# put back what a reset removed, unless something newer is there\n"
            "ratectl undo 01JD0W3V5M7Q9R2T4X6Z8B1C3D\n"
            "# two of its windows only, shown first\n"
            "ratectl undo my-reset/1 my-reset/7 -n\n"
            "# requests were counted since: removed and newer ones together\n"
            "ratectl undo 01JD0W3V5M7Q9R2T4X6Z8B1C3D --merge",
            bind_request<UndoRequest, bind_undo, run_undo>};
}

}  // namespace ratectl::commands
