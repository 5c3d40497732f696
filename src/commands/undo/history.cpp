// history: lists this machine's journal, and what the servers still know of changes from all machines.
#include "commands/all_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "commands/outcome.h"
#include "commands/report/row_writer.h"
#include "commands/request/operation_ref.h"
#include "commands/request/refused_flags.h"
#include "commands/request/selection.h"
#include "commands/request/write_amount.h"
#include "commands/undo/later_changes.h"
#include "commands/undo/recorded_keys.h"
#include "commands/write/unresolved_entries.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

using support::Failure;

constexpr std::size_t kRowsAtOnce = 5000;
constexpr std::uint64_t kAll = UINT64_MAX;

struct HistoryRequest {
    std::vector<std::string> subjects;
    std::optional<std::string> since;
    std::optional<std::string> until;
    std::optional<std::string> op;
    std::optional<std::string> last;
    std::vector<std::string> clients;
    std::optional<std::string> match;
    bool on_servers = false;
    ColumnOrder order;
};

void bind_history(Syntax syntax, HistoryRequest& request) {
    syntax.add_option("subject", request.subjects, "keys, or operations: OP, or one row of it, OP/3")
        .type_name("KEY|OP")
        .expected(0, -1);
    syntax.add_option("--since", request.since, "only operations that began then or later").type_name("TIME");
    syntax.add_option("--until", request.until, "only operations that began then or earlier").type_name("TIME");
    syntax.add_option("--op", request.op, "only this operation, whatever its id looks like").type_name("OP");
    syntax.add_option("--last", request.last, "only the last rows, so many").type_name("N");
    syntax.add_option("--client", request.clients, "keys of this client, too; repeatable").type_name("ID");
    syntax.add_option("--match", request.match, "only keys that match this pattern").type_name("GLOB");
    syntax.add_flag("--on-servers", request.on_servers,
                    "what the servers' operation keys say, from whatever machine it came");
    bind_row_order(syntax, request.order);
    refuse_other_nodes(syntax, "the journal is read, and with --on-servers the primaries");
    refuse_flags(syntax, {"--first", "--top"}, "the newest rows are the last", "--last N shows the last N rows");
}

support::WallTime time_of(const std::string& text, const char* flag, Context& context) {
    const auto time = support::parse_time(text, context.now());
    if (!time) throw Failure(ExitCode::usage, std::string(flag) + ": " + time.error().message, time.error().hint);
    return *time;
}

journal::Question question_of(const HistoryRequest& request, Context& context) {
    journal::Question question;
    if (request.since) question.since = time_of(*request.since, "--since", context);
    // What began within that second is meant, too.
    if (request.until) question.until = time_of(*request.until, "--until", context) + support::Milliseconds{999};
    question.deployment = context.options().overrides.deployment;
    return question;
}

std::string decoded(const std::string& key, Context& context) {
    return support::value_or_throw(output::decode_key(key_format_of(context), key));
}

class HistoryRun {
public:
    HistoryRun(const HistoryRequest& request, Context& context)
        : request_(request),
          context_(context),
          question_(question_of(request, context)),
          last_(request.last ? count_of("--last", *request.last, "rows") : kAll),
          keys_(request.clients, request.match, context),
          open_(context),
          writer_(context, history_fields(), "ratectl.history.v1", kHistoryTable, true, request.order),
          outcome_(context) {
        if (!request_.on_servers) outcome_.answer();  // the journal
        if (!request_.op) return;
        const auto ref = parse_operation_ref(*request_.op);
        if (!ref) throw Failure(ExitCode::usage, "--op '" + *request_.op + "' is not an operation", "OP or OP/3");
        operations_.push_back(*ref);
    }

    ExitCode run() {
        context_.page_output();
        for (const auto& subject : request_.subjects) sort_in(subject);
        if (!request_.on_servers && !either_.empty()) sort_in_by(find_on_servers(either_));
        check_one_question();
        if (request_.on_servers) {
            print_servers();
        } else if (operations_.empty()) {
            print_journal();
        } else {
            for (const auto& ref : operations_) print_operation(ref);
        }
        return finish();
    }

private:
    void check_one_question() const {
        if (operations_.empty() || !keys_.any_named() || request_.op) return;
        throw Failure(ExitCode::usage, "history shows changes of keys or rows of operations, and both are named",
                      "ask for one, then for the other; --op narrows keys to an operation");
    }

    /// A key may be called anything; what the journal has under that name, or what we alone would name so, is an
    /// operation. Of a name that it does not have the servers have to tell.
    void sort_in(const std::string& subject) {
        if (subject.empty()) throw_empty("key or operation");
        const auto ref = request_.op ? std::nullopt : parse_operation_ref(subject);
        if (ref && (looks_made(*ref) || (!request_.on_servers && recorded(ref->id))))
            return operations_.push_back(*ref);
        const bool is_key = !ref || (!request_.on_servers && keys_.has_record_of(decoded(subject, context_), context_));
        is_key ? name_key(subject) : either_.push_back(subject);
    }

    void name_key(const std::string& subject) {
        keys_.name(decoded(subject, context_));
        if (const auto ref = parse_operation_ref(subject)) id_like_ = ref->id;
    }

    void sort_in_by(const OperationsOnServers& found) {
        take_failures(found.failures);
        for (const auto& subject : either_) {
            const auto ref = parse_operation_ref(subject);
            const auto is_of = [&](const HistoryRow& row) { return row.head.operation.id == ref->id; };
            std::ranges::any_of(found.rows, is_of) ? operations_.push_back(*ref) : name_key(subject);
        }
        check_one_question();
    }

    /// Nothing where it is not said which servers there are.
    OperationsOnServers find_on_servers(const std::vector<std::string>& operations) {
        const auto ref = operations.size() == 1 ? parse_operation_ref(operations.front()) : std::nullopt;
        try {
            return operations_on_servers(context_, ref ? std::optional{ref->id} : std::nullopt);
        } catch (const Failure& failure) {
            if (failure.error().code != ExitCode::configuration && failure.error().code != ExitCode::usage) throw;
            return {};
        }
    }

    /// Asking what was done leaves no journal behind where there was none.
    std::optional<journal::OperationHead> recorded(const std::string& id) {
        auto* journal = context_.existing_journal();
        return journal == nullptr ? std::nullopt : journal->find(id);
    }

    bool accepts(const HistoryRow& row) const {
        const auto at = row.head.started_at;
        return keys_.accept(row.intent.key) && (!question_.since || at >= *question_.since) &&
               (!question_.until || at <= *question_.until);
    }

    /// The last rows are known at the end only.
    void print(const HistoryRow& row) {
        ++printed_;
        keys_.note_shown(row.intent.key);
        if (!request_.last) return writer_.write(row);
        kept_.push_back(row);
        if (kept_.size() > last_) kept_.pop_front();
    }

    void print_journal() {
        auto* journal = context_.existing_journal();
        if (journal == nullptr) return;
        auto question = question_;
        question.key = keys_.only();
        question.newest_first = request_.last.has_value();  // so that the walk may end with the last of them
        bool open = false;
        LaterUndos undos(*journal);
        journal->entries(question, [&](const journal::Entry& entry) {
            if (printed_ >= last_ || context_.stop()) return false;
            if (!keys_.accept(entry.intent.key)) return true;
            open = open || !entry.outcome;
            print(undos.told(history_row(entry)));
            return true;
        });
        if (question.newest_first) std::ranges::reverse(kept_);
        if (open) {
            context_.messages().notice("some changes have no outcome here: the command was stopped, or still runs",
                                       "`ratectl history OP` asks the servers what became of them");
        }
        if (printed_ > 0 || keys_.are_all() || !id_like_) return;
        if (!journal->operations_like(*id_like_, 1).empty()) unknown(*id_like_);
    }

    void print_operation(const OperationRef& ref) {
        const auto head = recorded(ref.id);
        if (!head) return print_from_servers(ref);
        auto question = question_;
        question.operation = ref.id;
        question.from_row = question.to_row = ref.row;
        question.deployment.reset();
        const bool servers = may_ask(*head);
        const auto before = printed_;
        OperationUndos undos(context_);
        for (auto batch = next_batch(question); !batch.empty(); batch = next_batch(question)) {
            if (servers) open_.resolve(batch);
            if (servers) open_.doubt_lost(batch);
            undos.tell(batch, servers && head->op_keys);
            print_all(batch, undos);
        }
        if (printed_ == before) say_empty(ref, *head);
        undos.say(ref.row);
    }

    void print_all(const std::vector<HistoryRow>& rows, OperationUndos& undos) {
        for (const auto& row : rows) {
            if (!accepts(row)) continue;
            undos.note(row);
            print(row);
        }
    }

    /// The journal is not read while what the servers know is written into it. Moves the question on to the rows after
    /// these.
    std::vector<HistoryRow> next_batch(journal::Question& question) {
        std::vector<HistoryRow> batch;
        if (context_.stop()) return batch;
        context_.journal().entries(question, [&](const journal::Entry& entry) {
            batch.push_back(history_row(entry));
            return batch.size() < kRowsAtOnce;
        });
        if (!batch.empty()) question.from_row = batch.back().intent.row + 1;
        return batch;
    }

    /// Is the operation's deployment the one that is configured? If not, that is said.
    bool may_ask(const journal::OperationHead& head) {
        try {
            if (context_.settings().deployment == head.deployment) return true;
        } catch (const Failure& failure) {
            if (failure.error().code == ExitCode::usage && context_.options().overrides.deployment) throw;
        }
        context_.messages().notice(
            fmt::format("operation '{}' is of deployment {}, whose servers were not asked for it", head.operation.id,
                        support::quoted(head.deployment)),
            "say which deployment that is: -c FILE, -d NAME");
        return false;
    }

    void say_empty(const OperationRef& ref, const journal::OperationHead& head) {
        if (question_.since || question_.until || !keys_.are_all()) return;
        const std::string what = ref.row ? "row " + std::to_string(*ref.row) : std::string("a window");
        context_.messages().error(
            {ExitCode::attention, "operation '" + ref.id + "' (" + head.command + ") sent nothing for " + what, ""});
        outcome_.attend();
    }

    void print_from_servers(const OperationRef& ref) {
        auto found = find_on_servers({ref.id});
        const auto before = printed_;
        if (print_found(found, ref) && printed_ == before) unknown(ref.id);
    }

    void print_servers() {
        const bool is_one = operations_.size() == 1 && either_.empty();
        auto found = operations_on_servers(context_, is_one ? std::optional{operations_.front().id} : std::nullopt);
        mark_undone(found.rows, found.rows, context_);
        if (found.failures.size() < context_.directory().places().size()) outcome_.answer();
        sort_in_by(found);
        OperationUndos untold(context_);  // of several operations
        if (operations_.empty()) print_all(found.rows, untold);
        for (const auto& ref : operations_) {
            OperationsOnServers part;
            for (const auto& row : found.rows)
                if (row.head.operation.id == ref.id) part.rows.push_back(row);
            print_found(part, ref);
        }
        take_failures(found.failures);
    }

    /// False where a row is meant: which window that is, servers do not know; that is said then.
    bool print_found(OperationsOnServers& found, const OperationRef& ref) {
        take_failures(found.failures);
        if (ref.row && !found.rows.empty()) {
            const auto error = unknown_rows(found.rows.front().head);
            context_.messages().error(error);
            outcome_.add(error.code);
            return false;
        }
        OperationUndos undos(context_);
        undos.tell(found.rows, true);
        print_all(found.rows, undos);
        undos.say({});
        return true;
    }

    void unknown(const std::string& id) {
        context_.messages().error(unknown_operation(id, context_));
        outcome_.attend();
    }

    void take_failures(const std::vector<store::NodeFailure>& failures) {
        for (const auto& [node, error] : failures) outcome_.fail_once(node, error);
    }

    /// What was named and is not there. Once --last has its rows, nothing tells.
    void say_missing() {
        const auto& [names, clients] = keys_.missing();
        if (outcome_.code() != ExitCode::done || (request_.last && printed_ >= last_)) return;
        const std::string place = request_.on_servers ? "the servers' operation keys have " : words_of_journal();
        const std::string change = request_.op || is_narrowed() ? "such change" : "change";
        const auto say = [&](const std::string& what) {
            const std::string hint = "`ratectl history --on-servers` lists what other machines did lately";
            context_.messages().error({ExitCode::attention, place + what, request_.on_servers ? "" : hint});
            outcome_.attend();
        };
        for (const auto& name : names) {
            const bool may_be_id = !request_.op && parse_operation_ref(name);
            const auto any = request_.op || is_narrowed() ? "such a change" : "a change";
            say(may_be_id ? fmt::format("neither an operation {} nor {} of such a key", support::quoted(name), any)
                          : fmt::format("no {} of key {}", change, support::quoted(name)));
        }
        const bool hides = !clients.empty() && context_.settings_without_servers().policies.hides();
        for (const auto& client : clients)
            say(fmt::format("no {} of {}", change, hides ? "that client" : "client " + support::quoted(client)));
    }

    bool is_narrowed() const { return request_.since || request_.until || context_.options().overrides.deployment; }

    /// An empty table could also mean the wrong machine, user or deployment.
    void say_nothing_found() {
        const bool narrowed = !request_.subjects.empty() || !keys_.are_all() || request_.op || is_narrowed();
        const std::string what = narrowed ? "nothing of that" : "nothing";
        if (request_.on_servers) {
            context_.messages().notice("the servers have " + what + " among their operation keys",
                                       "they keep an operation for 24 hours at most, and what a rollout copied as long "
                                       "as its windows");
        } else {
            context_.messages().notice(words_of_journal() + what,
                                       "`ratectl history --on-servers` lists what other machines did lately");
        }
    }

    std::string words_of_journal() {
        if (auto* journal = context_.existing_journal()) return "the journal '" + journal->path() + "' has ";
        const auto& named = context_.options().journal;
        return named ? "there is no journal '" + *named + "', so it has " : "there is no journal yet, so it has ";
    }

    ExitCode finish() {
        take_failures(open_.failures());
        say_missing();
        if (printed_ == 0 && outcome_.code() == ExitCode::done) say_nothing_found();
        for (const auto& row : kept_) writer_.write(row);
        outcome_.add(writer_.end(outcome_.footer()));
        context_.out().flush();
        return outcome_.code();
    }

    const HistoryRequest& request_;
    Context& context_;
    journal::Question question_;
    std::uint64_t last_;
    RecordedKeys keys_;
    UnresolvedEntries open_;
    RowWriter<HistoryRow> writer_;
    std::vector<OperationRef> operations_;
    std::vector<std::string> either_;     // keys or operations: the servers have to tell
    std::deque<HistoryRow> kept_;         // of --last
    std::optional<std::string> id_like_;  // a key that might have been meant as an operation
    std::uint64_t printed_ = 0;
    Outcome outcome_;
};

ExitCode run_history(const HistoryRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(history_fields()))) return ExitCode::done;
    refuse_limit(context, "--last N shows the last N rows");
    return HistoryRun(request, context).run();
}

}  // namespace

Command history_command() {
    return {"history", Group::change, "who changed what, before and after",
            "# what this machine has changed today\n"
            "ratectl history --since -24h\n"
            "# everything that was done to one key\n"
            "ratectl history core:42\n"
            "# what became of one operation, even if its command was killed\n"
            "ratectl history 01JD0W3V5M7Q9R2T4X6Z8B1C3D\n"
            "# what all machines did lately, as long as the servers keep it\n"
            "ratectl history --on-servers",
            bind_request<HistoryRequest, bind_history, run_history>};
}

}  // namespace ratectl::commands
