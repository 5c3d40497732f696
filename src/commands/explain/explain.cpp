// explain: keys in, paragraphs or rows out; with --redact nothing leaves that could name a client or a host.
#include "commands/all_commands.h"

#include <set>
#include <tuple>

#include "commands/explain/explain_fields.h"
#include "commands/explain/gather.h"
#include "commands/looks/placed_keys.h"
#include "commands/outcome.h"
#include "commands/report/row_writer.h"
#include "commands/report/window_report.h"
#include "commands/request/refused_flags.h"
#include "output/printable.h"

namespace ratectl::commands {
namespace {

using explain::Explainer;
using explain::Redaction;
using explain::WindowFacts;

constexpr std::string_view kExplanationsSchema = "ratectl.explanations.v1";
constexpr std::size_t kExplainedAtOnce = 50;

struct ExplainRequest {
    Selection selection;
    bool redact = false;
    bool exit_status = false;
    ColumnOrder order;
};

void bind_explain(Syntax syntax, ExplainRequest& request) {
    bind_selection(syntax, request.selection);
    bind_row_order(syntax, request.order);
    syntax.add_flag(
        "--redact", request.redact,
        "name no client and no host: a digest, the same in every report, and shard and role. A reader who can "
        "list all ids can still find the one that a digest stands for");
    syntax.add_flag("--exit-status", request.exit_status,
                    "say by the exit code what was found: 1 when a client is limited, or when that cannot be told");
}

/// Paragraphs for people, rows for everything else.
class Output {
public:
    Output(const ColumnOrder& order, Context& context)
        : context_(context), options_(context.sink_options(kExplanationsSchema)), ordered_(order) {
        if (options_.format != output::Format::table || context.options().columns) {
            rows_.emplace(context, explain_fields(), kExplanationsSchema, std::string_view{}, true, order);
        } else if (ordered_.wanted()) {
            order_ = order_field(explain_fields(), *order.sort);
        }
    }

    bool for_people() const { return !rows_; }
    const std::string& zone() const { return options_.zone; }
    void write(WindowFacts facts) {
        ExplainRow row{std::move(facts), options_.zone, {}};
        row.text = explain::paragraph_of(row.facts, row.zone);
        if (rows_) return rows_->write(row);
        if (order_) return ordered_.add(order_->get(row), {output::Text{row.text}});
        write_paragraph(row.text);
    }
    void write_paragraph(const std::string& text) {
        if (begun_) context_.out().write("\n");
        begun_ = true;
        context_.out().write(output::wrap(text, options_.terminal ? options_.width : 0, 0, 0) + "\n");
    }
    void flush() { rows_ ? rows_->flush() : context_.out().flush(); }
    ExitCode end(const output::Footer& footer) {
        if (rows_) return rows_->end(footer);
        ordered_.for_each(
            [this](const output::Row& row) { write_paragraph(std::get<output::Text>(row.front()).text); });
        context_.out().flush();
        return ExitCode::done;
    }

private:
    Context& context_;
    output::SinkOptions options_;
    OrderedRows ordered_;  // paragraphs
    std::optional<output::Field<ExplainRow>> order_;
    std::optional<RowWriter<ExplainRow>> rows_;  // null: paragraphs
    bool begun_ = false;
};

class Explanation {
public:
    Explanation(const ExplainRequest& request, Output& output, Context& context)
        : request_(request),
          output_(output),
          context_(context),
          redaction_(request.redact, context.settings(), context.directory()),
          explainer_(redaction_, context),
          brought_home_(context.new_operation_id()),
          outcome_(context) {}

    ExitCode run() {
        const Filter filter(request_.selection, context_.settings(), context_.directory());
        PlacedKeys keys(request_.selection, filter, context_);
        keys.is_sweep() ? say_limit_is_no_count(context_) : say_from_is_unused(context_);
        const auto accepts = [&](const WindowViews& shown, const domain::Window& window, support::Moment now) {
            // No primary tells of it, and what a replica has is no reason to leave out what was named.
            const bool unsure = shown.divergence.standing == domain::Standing::best_replica;
            if (unsure && !keys.is_sweep()) return true;
            keys.note_meant(shown.key, window.state);
            return keys.lets_through(shown.key, window, now);
        };
        try {
            for (auto chunk = keys.next(kExplainedAtOnce); !chunk.empty(); chunk = keys.next(kExplainedAtOnce)) {
                if (keys.is_sweep()) bring_home(chunk);
                auto explained = explainer_.explain(chunk, accepts);
                if (explained.empty() && context_.stop()) keys.drop(chunk);
                for (auto& facts : explained) take(std::move(facts));
                output_.flush();
            }
        } catch (const support::Failure& failure) {
            const support::Failure shown(redaction_.error(failure.error()));
            const auto told = outcome_.broken_off(shown, explainer_.any_answer());
            finish(keys, false);
            throw support::Failure(told);
        }
        return finish(keys, !context_.stop());
    }

private:
    /// What a sweep finds where the application does not look is explained once, where it does.
    void bring_home(std::vector<store::KeyAt>& keys) {
        const auto& directory = context_.directory();
        if (!directory.knows_homes()) return;
        std::erase_if(keys, [&](store::KeyAt& one) {
            one.place = *directory.place_of(one.key);
            return !brought_home_.add(0, one.key);
        });
    }

    void take(WindowFacts facts) {
        explained_ = true;
        const auto verdict = facts.ruling.verdict;
        if (request_.exit_status && domain::calls_for_attention(verdict)) outcome_.attend();
        if (verdict == domain::Verdict::limit_unknown && !unknown_limit_key_) unknown_limit_key_ = facts.key;
        if (is_about_one_client()) return of_client_.push_back(std::move(facts));
        output_.write(std::move(facts));
    }

    /// Then people are told of the client first, and of its windows below that.
    bool is_about_one_client() const {
        const auto& [keys, clients] = std::tie(request_.selection.keys, request_.selection.clients);
        return output_.for_people() && keys.empty() && clients.size() == 1 && !is_dash(clients);
    }

    void write_client(bool whole) {
        if (of_client_.empty()) return;
        // Of a secret client no more than its windows show.
        const bool hides = redaction_.on() || context_.settings().policies.hides();
        const auto& client = hides ? of_client_.front().client : request_.selection.clients.front();
        if (whole) output_.write_paragraph(explain::client_verdict_of(of_client_, client, output_.zone()));
        for (auto& facts : of_client_) output_.write(std::move(facts));
    }

    ExitCode finish(PlacedKeys& keys, bool whole) {
        keys.tell_left_out(outcome_, !redaction_.on());
        // Both a sweep and the looks at what it finds may have met with it.
        std::set<std::tuple<std::string, std::string, std::string>> told;
        const auto fail = [&](const std::string& shard, const std::string& node, const support::Error& error) {
            if (!node.empty() && !told.emplace(shard, node, error.message).second) return;
            outcome_.fail({shard, node, static_cast<int>(error.code), error.message, error.hint});
            context_.messages().error(error, shard, node);
        };
        for (const auto& one : explainer_.silent()) fail(one.shard, one.address, one.error);
        for (const auto& one : keys.failures()) {
            const auto address = redaction_.on() ? std::string() : one.node.name();
            fail(redaction_.shard(one.node.shard), address, redaction_.error(one.error));
        }
        if (explainer_.any_answer()) outcome_.answer();
        if (request_.exit_status) tell_untold(keys);
        write_client(whole);
        outcome_.add(output_.end(outcome_.footer(whole)));
        say_rest(keys);
        return outcome_.code();
    }

    void tell_untold(const PlacedKeys& keys) {
        keys.tell_untold(outcome_);
        if (unknown_limit_key_) outcome_.cannot_tell(unknown_for_exit_status(*unknown_limit_key_));
    }

    void say_rest(const PlacedKeys& keys) {
        if (!explained_ && keys.is_sweep() && !context_.stop())
            context_.messages().notice("there was no window to explain");
        if (const auto& fault = explainer_.journal_fault()) {
            const std::string what = redaction_.on() ? "the journal cannot be read" : fault->message;
            context_.messages().warning("what this machine changed lately is not known: " + what);
        }
        if (keys.left_out() > 0) {
            context_.messages().notice(unknown_keys_are(keys.left_out(), "left out"), "--match '*' explains them too");
        }
    }

    const ExplainRequest& request_;
    Output& output_;
    Context& context_;
    Redaction redaction_;
    Explainer explainer_;
    SeenKeys brought_home_;
    bool explained_ = false;              // a window, at least
    std::vector<WindowFacts> of_client_;  // one client's, until all are known
    Outcome outcome_;
    std::optional<std::string> unknown_limit_key_;
};

/// What others say on the way, of servers and keys, is not said; errors are told without their words.
ExitCode run_redacted(const ExplainRequest& request, Output& output, Context& context) {
    auto messages = context.messages().options();
    messages.quiet = true;
    context.messages().configure(messages);
    try {
        return Explanation(request, output, context).run();
    } catch (const support::Failure& failure) {
        throw explain::without_names(failure);
    }
}

ExitCode run_explain(const ExplainRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(explain_fields()))) return ExitCode::done;
    Output output(request.order, context);
    if (request.redact) return run_redacted(request, output, context);
    return Explanation(request, output, context).run();
}

}  // namespace

Command explain_command() {
    return {"explain", Group::look, "say in words whether a client is limited, why, and what to do",
            "# one paragraph to paste into a ticket\n"
            "ratectl explain core:alice\n"
            "# every window of one client, with the customer's local time\n"
            "ratectl explain --client alice --tz Europe/Berlin\n"
            "# for a reader outside: no client ids, no host names\n"
            "ratectl explain core:alice --redact\n"
            "# why are these clients limited?\n"
            "ratectl explain --match 'core:*' --state exhausted\n"
            "# the same facts for a script\n"
            "ratectl explain core:alice -o ndjson --exit-status\n",
            bind_request<ExplainRequest, bind_explain, run_explain>};
}

}  // namespace ratectl::commands
