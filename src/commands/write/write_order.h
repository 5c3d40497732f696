// How a change is carried out: under which operation id, recorded where, waiting for whom. The flags, and what they
// come to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/report/row_writer.h"
#include "commands/request/syntax.h"
#include "commands/write/consent.h"
#include "journal/journal.h"
#include "store/store.h"

namespace ratectl::commands {

/// Of a sweep by this command, which cannot be resumed under its id: what can.
std::string_view what_resumes(std::string_view command);

/// As given.
struct OrderFlags {
    std::optional<std::string> op_id;             // --op-id ID
    std::optional<std::string> plan;              // --plan FILE
    bool no_op_key = false;                       // --no-op-key
    std::optional<std::string> wait_replicas;     // --wait-replicas N
    std::optional<std::string> wait_timeout;      // --wait-timeout D
    bool show_replicas = false;                   // --show-replicas
    ColumnOrder rows;                             // --sort, --reverse
    std::optional<std::string> if_window;         // --if-window TIME
    std::optional<std::string> if_used_at_least;  // --if-used-at-least N
};
/// --op-id: for commands that begin an operation.
void bind_op_id(Syntax syntax, OrderFlags& flags);
/// --plan: for commands that choose what is changed.
void bind_plan(Syntax syntax, OrderFlags& flags);
/// --no-op-key.
void bind_op_keys(Syntax syntax, OrderFlags& flags);
/// That and the rest: for every command that writes named windows.
void bind_delivery(Syntax syntax, OrderFlags& flags);

/// --if-window, --if-used-at-least: for commands that choose what is changed.
void bind_guards(Syntax syntax, OrderFlags& flags);
/// Where they have no meaning, that is said: `WHY`, after `--if-window has no meaning here: `.
void refuse_guards(Syntax syntax, const std::string& why, const std::string& hint);

/// What every window has to be when it is changed, beside what its own row or look demands.
struct Guards {
    std::optional<support::Instant> window;  // it ends then
    std::optional<std::int64_t> used_at_least;

    /// ` window 1767225600 used at least 5`: a part of what an operation asks. Empty without any.
    std::string text() const;
};

/// The same, checked.
struct Orders {
    journal::OperationHead head;
    bool repeatable = false;  // the id was named: an earlier attempt may have done some of it
    bool resumable = false;   // repeated under its id, it does what was left
    bool op_keys = true;
    int wait_replicas = 0;
    support::Milliseconds wait_timeout{1000};
    bool show_replicas = false;
    bool dry = false;                 // nothing is written
    std::optional<std::string> plan;  // dry, and what would be done goes there
    Guards guards;
    std::size_t named = 0;  // so many keys and clients are on the command line: with others it is another operation
    ColumnOrder rows;       // in which result rows are printed, then all at the end

    const std::string& id() const { return head.operation.id; }
    /// For one call to the store.
    store::WriteOrder order(std::vector<store::Slice> slices, store::WriteObserver* observer) const;
};
/// `command`: the word that people typed. Throws Failure (usage).
Orders orders_of(const OrderFlags& flags, const ConsentFlags& consent, domain::WriteKind kind, std::string_view command,
                 Context& context);

}  // namespace ratectl::commands
