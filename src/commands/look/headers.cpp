// headers: prints the headers of each window, ready to paste; with --verify it checks headers instead.
#include "commands/all_commands.h"

#include <set>
#include <string>

#include <fmt/format.h>

#include "commands/look/header_claims.h"
#include "commands/looks/binding_limit.h"
#include "commands/outcome.h"
#include "commands/report/fields/header_fields.h"
#include "commands/report/key_mask.h"
#include "commands/report/row_writer.h"
#include "commands/report/window_report.h"
#include "output/printable.h"
#include "support/quote.h"
#include "support/suggest.h"

namespace ratectl::commands {
namespace {

using domain::HeaderDialect;
using support::Failure;

struct HeadersRequest {
    Selection selection;
    std::string dialect = "github";
    std::optional<std::string> verify;
    ColumnOrder order;
};

void bind_headers(Syntax syntax, HeadersRequest& request) {
    bind_selection(syntax, request.selection, Sweeps::refused);
    syntax
        .add_option("--dialect", request.dialect,
                    "whose headers: github (default), legacy, draft-7, draft-8, retry-after")
        .type_name("NAME");
    syntax.add_option("--verify", request.verify, "can the headers in this file (`-`: pasted) be true of the window?")
        .type_name("FILE");
    bind_row_order(syntax, request.order);
}

HeaderDialect dialect_of(const std::string& name) {
    if (const auto dialect = domain::header_dialect_from(name)) return *dialect;
    const auto known = domain::header_dialect_names();
    const std::vector<std::string> names(known.begin(), known.end());
    std::string hint = support::did_you_mean(name, names);
    if (hint.empty()) hint = fmt::format("one of {}", fmt::join(names, ", "));
    throw Failure(ExitCode::usage, fmt::format("there is no dialect '{}'", name), std::move(hint));
}

/// Lines as they stand in a response, or rows, which have an order that can be asked for.
class HeaderReport {
public:
    HeaderReport(HeaderDialect dialect, bool several, const ColumnOrder& order, Context& context)
        : context_(context), dialect_(dialect), several_(several), outcome_(context) {
        const auto options = context.sink_options(kSchema);
        if (options.format != output::Format::table || context.options().columns || order.sort || order.reverse)
            rows_.emplace(context, header_fields(), kSchema, std::string_view{}, true, order);
    }

    void take(const SeenLook& seen) {
        any_ = true;
        const auto& [look, meaning, node, read_at, stale] = seen;
        const auto& settings = context_.settings();
        if (meaning.exempt()) {
            outcome_.answer();
            context_.messages().notice(
                fmt::format("the client of {} is exempt: its answers have no such headers", support::quoted(look.key)));
            return;
        }
        if (stale && !rows_) say_stale(*node);
        const auto now = settings.clock_at(read_at);
        const auto told = domain::told_window(look, meaning.limit, period_of(meaning, settings), now);
        if (const auto wrong = untold(look.key, told)) return fail(*wrong, node);
        outcome_.answer();
        const std::string_view policy = resource_of(meaning);
        const auto lines = domain::header_lines(told, policy, dialect_);
        if (!rows_) return print(look.key, lines);
        const auto window = domain::judge(look, now, meaning.limit);
        for (const auto& line : lines)
            rows_->write({look.key, policy, dialect_, line, look, window, node, read_at, stale});
    }

    void fail(const domain::Node& node, const support::Error& error) { outcome_.fail_once(node, error); }

    support::Failure broken_off(const support::Failure& failure) { return outcome_.broken_off(failure, any_); }

    ExitCode end(LeftOut& left_out, bool complete = true) {
        left_out.tell(outcome_);
        if (rows_) outcome_.add(rows_->end(outcome_.footer(complete)));
        context_.out().flush();
        return outcome_.code();
    }

private:
    static constexpr std::string_view kSchema = "ratectl.headers.v1";

    static std::optional<support::Error> untold(std::string_view key, const domain::ToldWindow& told) {
        if (!told.limit)
            return support::Error{
                ExitCode::configuration,
                fmt::format("no limit is known for {}, so what its headers are is unknown", support::quoted(key)),
                "--limit N, or a policy with a limit that matches the key"};
        if (!told.used) return untold_of_corrupt(std::string(key));
        return std::nullopt;
    }

    /// The others are printed all the same.
    void fail(const support::Error& error, const domain::Node* node) {
        context_.messages().error(error);
        output::FailureRow row{{}, {}, static_cast<int>(error.code), error.message, error.hint};
        if (node != nullptr) row.shard = node->shard;
        if (node != nullptr) row.node = node->name();
        outcome_.fail(std::move(row));
    }

    /// Rows have a column for it. Once a node.
    void say_stale(const domain::Node& node) {
        if (!said_stale_.insert(node.name()).second) return;
        context_.messages().warning(fmt::format(
            "shard '{}' ({}): a replica that has lost its primary; its headers may be old", node.shard, node.name()));
    }

    void print(std::string_view key, const std::vector<domain::HeaderLine>& lines) {
        std::string text;
        if (several_)
            text =
                fmt::format("{}# {}\n", printed_ ? "\n" : "", output::printable(visible_key(key, context_.settings())));
        printed_ = true;
        for (const auto& line : lines) text += fmt::format("{}: {}\n", line.name, output::printable(line.value));
        context_.out().write(text);
    }

    Context& context_;
    HeaderDialect dialect_;
    bool several_;  // a comment names each window
    bool printed_ = false;
    bool any_ = false;                  // look
    std::set<std::string> said_stale_;  // by node
    std::optional<RowWriter<HeaderRow>> rows_;
    Outcome outcome_;
};

ExitCode print_headers(const HeadersRequest& request, Context& context) {
    const auto& settings = context.settings();
    if (settings.read_from.which == domain::ReadFrom::Which::all)
        throw Failure(ExitCode::usage, "headers are one answer, and --from all gives one a node",
                      "name one node with --from; `ratectl compare` shows all of them");
    const Filter filter(request.selection, settings, context.directory());
    KeyStream keys(request.selection, context);
    HeaderReport report(dialect_of(request.dialect), keys.count() != 1, request.order, context);
    LookReceiver receiver;
    receiver.take = [&](const SeenLook& seen) { report.take(seen); };
    receiver.fail = [&](const domain::Node& node, const support::Error& error) { report.fail(node, error); };
    receiver.idle = [&] { context.out().flush(); };
    try {
        look_at_what_is_told(request.selection, keys, question_of_named(filter, settings), filter, context, receiver);
    } catch (const support::Failure& failure) {
        const auto told = report.broken_off(failure);
        report.end(keys.left_out(), false);
        throw support::Failure(told);
    }
    return report.end(keys.left_out());
}

ExitCode run_headers(const HeadersRequest& request, Context& context) {
    if (request.verify) {
        if (answer_columns_help(context, output::columns_of(claim_fields()))) return ExitCode::done;
    } else if (answer_columns_help(context, output::columns_of(header_fields()))) {
        return ExitCode::done;
    }
    check_selection(request.selection);
    if (!names_keys(request.selection))
        throw Failure(ExitCode::usage, "headers needs a window: a KEY, `-` or --client ID",
                      "for example `ratectl headers --client alice --policy core`");
    if (request.verify) return verify_headers(request.selection, *request.verify, request.order, context);
    return print_headers(request, context);
}

}  // namespace

Command headers_command() {
    return {"headers", Group::look, "a client's rate-limit headers; can pasted ones be true",
            "# what the API answers alice beside each response\n"
            "ratectl headers --client alice --policy core\n"
            "# the same as the IETF drafts write it\n"
            "ratectl headers core:alice --dialect draft-8\n"
            "# a customer pasted the headers of a refusal: can they be true?\n"
            "ratectl headers core:alice --verify - < pasted.txt\n",
            bind_request<HeadersRequest, bind_headers, run_headers>};
}

}  // namespace ratectl::commands
