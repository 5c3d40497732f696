// The flags of every changing command (operation id, journal, replicas to wait for), checked.
#include "commands/write/write_order.h"

#include "commands/request/refused_flags.h"
#include "commands/write/unresolved_entries.h"
#include "commands/write/write_record.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands {

namespace {

using support::Failure;

constexpr std::uint64_t kMostReplicas = 1000;

int replicas_of(const std::string& text) {
    const auto number = support::parse_unsigned(text, kMostReplicas);
    if (!number || *number == 0) {
        throw Failure(ExitCode::usage, "--wait-replicas '" + text + "' is not a number of replicas",
                      "for example --wait-replicas 1");
    }
    return static_cast<int>(*number);
}

/// A second table can stand below a table, and nowhere else.
void check_show_replicas(Context& context) {
    const auto format = context.sink_options({}).format;
    if (format != output::Format::table && format != output::Format::wide) {
        throw Failure(ExitCode::usage, "--show-replicas prints a second table, which this output format cannot hold",
                      "`ratectl check KEY --from all` prints the same rows in every format");
    }
    if (context.options().columns) {
        throw Failure(ExitCode::usage, "--show-replicas prints two tables with different columns; --columns names one");
    }
}

std::int64_t used_of(const std::string& text) {
    const auto number = support::parse_unsigned(text, support::kMaxExactInteger);
    if (!number) {
        const bool negative = support::parse_decimal(text).value_or(0) < 0;
        throw Failure(ExitCode::usage,
                      "--if-used-at-least '" + text + "' is not a whole number from 0 to 2^53 - 1" +
                          (negative ? ": a guard below 0 would guard nothing" : ""),
                      "for example --if-used-at-least 100");
    }
    return static_cast<std::int64_t>(*number);
}

Guards guards_of(const OrderFlags& flags, support::Moment now) {
    Guards guards;
    if (flags.if_window) {
        const auto time = support::parse_time(*flags.if_window, now);
        if (!time) throw Failure(ExitCode::usage, "--if-window: " + time.error().message, time.error().hint);
        guards.window = *time;
    }
    if (flags.if_used_at_least) guards.used_at_least = used_of(*flags.if_used_at_least);
    return guards;
}

constexpr const char* kIfWindow = "--if-window";
constexpr const char* kIfUsed = "--if-used-at-least";

}  // namespace

std::string Guards::text() const {
    return (window ? " window " + std::to_string(support::epoch_seconds(*window)) : "") +
           (used_at_least ? " used at least " + std::to_string(*used_at_least) : "");
}

void bind_guards(Syntax syntax, OrderFlags& flags) {
    syntax.add_option(kIfWindow, flags.if_window, "only the window that ends then").type_name("TIME");
    syntax.add_option(kIfUsed, flags.if_used_at_least, "only a window with at least so many requests used")
        .type_name("N");
}

void refuse_guards(Syntax syntax, const std::string& why, const std::string& hint) {
    refuse_flags(syntax, {kIfWindow, kIfUsed}, why, hint);
}

void bind_op_id(Syntax syntax, OrderFlags& flags) {
    syntax.add_option("--op-id", flags.op_id, "the operation's id: repeated under the same id, a change happens once")
        .type_name("ID")
        .group("Safety");
}

void bind_plan(Syntax syntax, OrderFlags& flags) {
    syntax.add_option("--plan", flags.plan, "write nothing, but a file of what would be written, for `ratectl apply`")
        .type_name("FILE")
        .group("Safety");
}

void bind_op_keys(Syntax syntax, OrderFlags& flags) {
    syntax
        .add_flag("--no-op-key", flags.no_op_key,
                  "leave no operation keys on the servers; a reply that is lost then stays unknown")
        .group("Safety");
}

void bind_delivery(Syntax syntax, OrderFlags& flags) {
    bind_op_keys(syntax, flags);
    bind_row_order(syntax, flags.rows);
    refuse_other_nodes(syntax, "a change is made, and looked at, on primaries");
    const char* group = "Safety";
    syntax
        .add_option("--wait-replicas", flags.wait_replicas, "wait until so many replicas of each shard have the writes")
        .type_name("N")
        .group(group);
    syntax.add_option("--wait-timeout", flags.wait_timeout, "how long to wait for them (default 1s)")
        .type_name("DURATION")
        .group(group);
    syntax
        .add_flag("--show-replicas", flags.show_replicas,
                  "afterwards look at every replica, too, and print what each says (up to 100 keys)")
        .group(group);
}

std::string_view what_resumes(std::string_view command) {
    if (command == kCopyCommand) return "`ratectl rollout copy` again carries over what is left, and nothing twice";
    return "what can be resumed is a plan: `--plan FILE`, then `ratectl apply FILE`";
}

Orders orders_of(const OrderFlags& flags, const ConsentFlags& consent, domain::WriteKind kind, std::string_view command,
                 Context& context) {
    Orders orders;
    orders.head = start_operation(context, kind, command, flags.op_id, consent.reason);
    if (flags.wait_timeout && !flags.wait_replicas) {
        throw Failure(ExitCode::usage, "--wait-timeout says how long, but nothing waits", "--wait-replicas N");
    }
    orders.repeatable = orders.resumable = flags.op_id.has_value();
    // A memcached runs no scripts, and so keeps no operation key that is written with the window.
    const bool keeps_keys = context.settings().kind != config::DeploymentKind::memcached;
    orders.op_keys = orders.head.op_keys = !flags.no_op_key && keeps_keys;
    if (flags.wait_replicas) orders.wait_replicas = replicas_of(*flags.wait_replicas);
    if (flags.wait_timeout) orders.wait_timeout = support::duration_of("--wait-timeout", *flags.wait_timeout);
    orders.show_replicas = flags.show_replicas;
    if (orders.show_replicas) check_show_replicas(context);
    if (flags.plan == "-") {
        throw Failure(ExitCode::usage,
                      "--plan writes a file, whole or not at all, and '-' is none; nothing was written", "--plan FILE");
    }
    orders.plan = flags.plan;
    orders.guards = guards_of(flags, context.now());
    orders.rows = flags.rows;
    orders.dry = context.options().dry_run || flags.plan.has_value();
    return orders;
}

store::WriteOrder Orders::order(std::vector<store::Slice> slices, store::WriteObserver* observer) const {
    store::WriteOrder order;
    order.operation = head.operation;
    if (!op_keys) order.operation.id.clear();
    order.repeatable = repeatable;
    order.slices = std::move(slices);
    order.wait_replicas = wait_replicas;
    order.wait_timeout = wait_timeout;
    order.observer = observer;
    return order;
}

}  // namespace ratectl::commands
