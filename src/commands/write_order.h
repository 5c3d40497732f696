// How a change is carried out: under which operation id, recorded where, waiting for whom. The flags, and what they come to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/consent.h"
#include "commands/context.h"
#include "journal/journal.h"
#include "store/store.h"

namespace CLI {
class App;
}

namespace ratectl::commands {

/// As given.
struct OrderFlags {
    std::optional<std::string> op_id;          // --op-id ID
    std::optional<std::string> plan;           // --plan FILE
    bool no_op_key = false;                    // --no-op-key
    std::optional<std::string> wait_replicas;  // --wait-replicas N
    std::optional<std::string> wait_timeout;   // --wait-timeout D
    bool show_replicas = false;                // --show-replicas
};
/// --op-id: for commands that begin an operation.
void bind_op_id(CLI::App& app, OrderFlags& flags);
/// --plan: for commands that choose what is changed.
void bind_plan(CLI::App& app, OrderFlags& flags);
/// --no-op-key.
void bind_op_keys(CLI::App& app, OrderFlags& flags);
/// That and the rest: for every command that writes named windows.
void bind_delivery(CLI::App& app, OrderFlags& flags);

/// The same, checked.
struct Orders {
    journal::OperationHead head;
    bool repeatable = false;  // the id was named: an earlier attempt may have done some of it
    bool op_keys = true;
    int wait_replicas = 0;
    support::Milliseconds wait_timeout{1000};
    bool show_replicas = false;
    bool dry = false;                 // nothing is written
    std::optional<std::string> plan;  // dry, and what would be done goes there

    const std::string& id() const { return head.operation.id; }
    /// For one call to the store.
    store::WriteOrder order(std::vector<store::Slice> slices, store::WriteObserver* observer) const;
};
/// `command`: the word that people typed. Throws Failure (usage).
Orders orders_of(const OrderFlags& flags, const ConsentFlags& consent, domain::WriteKind kind, std::string_view command,
                 Context& context);

}  // namespace ratectl::commands
