// Where the named keys of a selection come from: arguments, clients, standard input.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <utility>

#include "commands/outcome.h"
#include "commands/report/key_mask.h"
#include "commands/request/client_keys.h"
#include "commands/request/doubtful_names.h"
#include "commands/request/plain_lines.h"
#include "commands/request/selection.h"
#include "config/url_deployment.h"
#include "input/key_rows.h"
#include "output/row_sink.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kFormatsRead = "-o name, json, ndjson, csv and tsv print what `-` reads";
/// Keys and clients given as arguments, then the records of standard input, as one queue.
class KeySource {
public:
    KeySource(const Selection& selection, LeftOut& left_out, MeantInstead& meant, Context& context, bool read_whole)
        : bad_key_(read_whole ? ExitCode::usage : ExitCode::local_io),
          settings_(context.settings()),
          messages_(context.messages()),
          format_(key_format_of(context)),
          own_policy_(selection.clients_or_keys ? settings_.policies.find(selection.policies.front()) : nullptr),
          actor_(selection.actor),
          beside_(selection.beside) {
        const bool keys_from_input = is_dash(selection.keys);
        const bool clients_from_input = is_dash(selection.clients);
        lines_are_clients_ = clients_from_input;
        if (!keys_from_input) {
            for (const std::string& key : selection.keys) {
                waiting_.push_back({support::value_or_throw(output::decode_key(format_, key)), std::nullopt, {}});
            }
        }
        const bool organisation_only = names_organisation(selection);
        if (!selection.clients.empty() || organisation_only) clients_.emplace(selection, left_out, context);
        if (organisation_only) clients_->append_organisation(waiting_);
        if (!clients_from_input) append_clients(selection.clients, meant);
        for (const NamedKey& named : waiting_) refuse_fingerprint(named.key);
        for (const std::string& key : selection.exact.value_or(std::vector<std::string>()))
            waiting_.push_back({key, std::nullopt, {}});
        if (!keys_from_input && !clients_from_input) return;
        const auto rows = input::row_format_from(selection.input.empty() ? "keys" : selection.input);
        if (!rows) throw support::Failure(ExitCode::usage, "--input knows no format '" + selection.input + "'", {});
        refuse_rows_for_clients(*rows);
        reads_input_ = true;
        input_ = &context.in();
        format_said_ = !selection.input.empty() || context.options().nul;
        open_ = [this, format = *rows, separator = context.options().nul ? '\0' : '\n'] {
            source_ = input::borrow(*input_);
            open_reader(format_said_ ? format : recognise(), separator);
        };
        expand_ = [this, &selection, &left_out, &context](const std::string& client, const NamedKey& beside) {
            if (!clients_) clients_.emplace(selection, left_out, context);
            clients_->append(waiting_, client, beside);
        };
    }

    /// How many there are now at the beginning of `keys`.
    std::size_t next(std::size_t most, std::vector<NamedKey>& keys) {
        if (broke_off_) std::rethrow_exception(broke_off_);
        std::size_t count = 0;
        try {
            for (; count < most; ++count) {
                if (keys.size() == count) keys.emplace_back();
                const bool may_wait = count == 0;
                if (!(may_wait || ready()) || !next_key(keys[count])) break;
            }
        } catch (const support::Failure&) {
            if (count == 0) throw;
            broke_off_ = std::current_exception();  // what came before is good
        }
        return count;
    }

    /// Standard input was read to its end, and there was nothing in it.
    bool named_nothing() const { return said_nothing_; }

    bool ready() {
        if (!waiting_.empty() || !reads_input_ || broke_off_) return true;
        return reader_ ? reader_->ready() : input_->ready();
    }

    std::optional<std::size_t> count() const { return reads_input_ ? std::nullopt : std::optional{waiting_.size()}; }

private:
    void append_clients(const std::vector<std::string>& clients, MeantInstead& meant) {
        for (const std::string& client : clients) {
            const std::size_t before = waiting_.size();
            clients_->append(waiting_, client, {});
            std::vector<std::string> keys(waiting_.size() - before);
            std::transform(waiting_.end() - std::ssize(keys), waiting_.end(), keys.begin(),
                           [](const NamedKey& one) { return one.key; });
            meant.note_client(client, std::move(keys));
        }
    }

    /// Only its first line shows it, and that may take a while to come: asked when the first record is.
    input::RowFormat recognise() {
        auto peeked = input::peek_line(std::move(source_), input::kRecognisable);
        source_ = std::move(peeked.source);
        const auto format = input::recognise_rows(peeked.first);
        if (!format) {
            throw support::Failure(ExitCode::local_io,
                                   "standard input holds a table, which is for people: keys in it may be shortened",
                                   std::string(kFormatsRead));
        }
        refuse_rows_for_clients(*format);
        return *format;
    }

    void refuse_rows_for_clients(input::RowFormat format) const {
        if (!lines_are_clients_ || own_policy_ != nullptr || format == input::RowFormat::keys) return;
        throw support::Failure(ExitCode::usage,
                               "--client - reads one id a line; rows of json, ndjson, csv and tsv name their clients "
                               "themselves",
                               "give `-` as the key instead");
    }

    void open_reader(input::RowFormat format, char separator) {
        if (format == input::RowFormat::keys && separator != '\0')
            lines_.emplace(settings_, messages_,
                           PlainLines::Kind{lines_are_clients_, format_said_, format_ == output::KeyFormat::raw});
        reads_rows_ = format != input::RowFormat::keys;
        reader_.emplace(*source_, format, separator);
    }

    bool next_key(NamedKey& key) {
        while (waiting_.empty()) {
            if (!reads_input_) return false;
            if (!reader_) open_();
            input::KeyRow* row = reader_->next();
            if (row == nullptr) {
                say_nothing_named();
                return false;
            }
            any_row_ = true;
            if (!take(*row, key)) continue;
            refuse_fingerprint(key.key);
            return true;
        }
        key = std::move(waiting_.front());
        waiting_.pop_front();
        if (reader_) refuse_fingerprint(key.key);
        return true;
    }

    void refuse_fingerprint(std::string_view key) const {
        auto fault = fingerprint_fault(key, settings_);
        if (!fault && beside_ != nullptr) fault = fingerprint_fault(key, *beside_);
        if (!fault) return;
        if (reader_) throw_bad_line(reader_->line(), fault->message, fault->hint, bad_key_);
        fault->message += "; nothing was done";
        throw support::Failure(*std::move(fault));
    }

    /// The same name in another deployment is another window.
    void refuse_other_deployment(input::KeyRow& row) const {
        if (!row.deployment) return;
        if (row.escaped) undo(output::KeyFormat::escaped, *row.deployment);
        if (*row.deployment == settings_.deployment) return;
        if (beside_ != nullptr) return take_beside(row);
        throw_bad_line(reader_->line(),
                       fmt::format("this row is of deployment {}, and the one in use is {}",
                                   support::quoted(*row.deployment), support::quoted(settings_.deployment)),
                       config::words_to_name(*row.deployment) + "; rows without a deployment are taken for any",
                       ExitCode::usage);
    }

    /// A window of the same key: what was seen of it is nothing that was seen here.
    void take_beside(input::KeyRow& row) const {
        row.seen = {};
        if (*row.deployment == beside_->deployment) return;
        throw_bad_line(reader_->line(),
                       fmt::format("this row is of deployment {}, and those in use are {} and {}",
                                   support::quoted(*row.deployment), support::quoted(settings_.deployment),
                                   support::quoted(beside_->deployment)),
                       "rows without a deployment are taken for any", ExitCode::usage);
    }

    void say_nothing_named() {
        if (any_row_ || std::exchange(said_nothing_, true)) return;
        messages_.notice(fmt::format("standard input names no {}", lines_are_clients_ ? "client" : "key"),
                         "a command before the pipe that failed prints nothing, either: `set -o pipefail` shows it");
    }

    /// False when the row names a client, whose keys wait now.
    bool take(input::KeyRow& row, NamedKey& key) {
        refuse_other_deployment(row);
        key.amount = row.amount;
        key.client.clear();
        key.seen = std::move(row.seen);
        key.is_request = key.seen.names_nothing();
        if (row.escaped) {
            for (auto* text : {&key.seen.layout, &key.seen.shard}) undo(output::KeyFormat::escaped, *text);
        }
        if (row.escaped && key.seen.stored) {
            for (auto* text : {&key.seen.stored->used, &key.seen.stored->reset_at}) {
                if (*text) undo(output::KeyFormat::escaped, **text);
            }
        }
        if (row.key) {
            decode(row, key.key);
            if (row.actor) key.client = client_in(*row.actor).value_or("");
            if (!lines_are_clients_ || is_own_key(key.key)) return true;
            expand_(key.key, NamedKey{{}, row.amount, key.seen, key.is_request});
        } else {
            auto& client = row.client ? *row.client : *row.actor;
            if (row.escaped) undo(output::KeyFormat::escaped, client);
            expand_(row.client ? client : client_of(client), key);
        }
        return false;
    }

    /// Of a line: a name that looks so would be taken for another's key.
    bool is_own_key(std::string_view text) const {
        if (own_policy_ == nullptr) return false;
        if (reads_rows_) return true;
        const auto match = settings_.policies.match(text);
        return match && match->policy == own_policy_ && own_policy_->key.glob() != "*";
    }

    std::string client_of(const std::string& actor) const {
        if (actor_.empty())
            throw_bad_line(reader_->line(), "this row names an actor of a feature, and neither a key nor a client",
                           "`rollout compare` and `rollout copy` read such rows");
        auto client = client_in(actor);
        if (!client)
            throw_bad_line(reader_->line(),
                           fmt::format("actor {} is no {}", support::quoted(actor), support::quoted(actor_)),
                           "--actor says what the application calls a client: 'User;{client}'");
        return *std::move(client);
    }

    /// Null: its name is of another template.
    std::optional<std::string> client_in(const std::string& actor) const {
        if (actor_.empty()) return std::nullopt;
        const std::size_t before = actor_.find(kClientHole);
        const auto behind = std::string_view(actor_).substr(before + kClientHole.size());
        const bool is_of_template = actor.size() > actor_.size() - kClientHole.size() && actor.ends_with(behind) &&
                                    actor.starts_with(std::string_view(actor_).substr(0, before));
        if (!is_of_template) return std::nullopt;
        return actor.substr(before, actor.size() - (actor_.size() - kClientHole.size()));
    }

    /// Into a string whose memory is used again.
    void decode(const input::KeyRow& row, std::string& key) {
        if (lines_) lines_->check(*row.key, reader_->line());
        key.assign(*row.key);
        if (row.key_exact) return;
        if (row.escaped) undo(output::KeyFormat::escaped, key);
        if (format_ != output::KeyFormat::raw) undo(format_, key);
    }

    void undo(output::KeyFormat format, std::string& text) const {
        auto decoded = output::decode_key(format, text);
        if (!decoded) throw_bad_line(reader_->line(), decoded.error().message, decoded.error().hint);
        text = *std::move(decoded);
    }

    ExitCode bad_key_;  // of a line that no key can be: what was printed before it is no wrong command line's
    const config::Settings& settings_;
    output::Diagnostics& messages_;
    output::KeyFormat format_;
    const domain::Policy* own_policy_;  // Selection::clients_or_keys
    std::string actor_;                 // Selection::actor
    const config::Settings* beside_;    // Selection::beside
    bool lines_are_clients_ = false;
    bool format_said_ = false;
    bool reads_rows_ = false;
    std::optional<PlainLines> lines_;  // where they are no rows
    std::optional<ClientKeys> clients_;
    bool reads_input_ = false;
    bool any_row_ = false;
    bool said_nothing_ = false;
    input::ByteSource* input_ = nullptr;
    std::function<void()> open_;
    std::unique_ptr<input::ByteSource> source_;
    std::optional<input::KeyRowReader> reader_;
    std::function<void(const std::string& client, const NamedKey& beside)> expand_;
    std::deque<NamedKey> waiting_;
    std::exception_ptr broke_off_;
};

}  // namespace

output::KeyFormat key_format_of(Context& context) {
    if (!context.options().key_format) return output::KeyFormat::raw;
    return support::value_or_throw(output::parse_key_format(*context.options().key_format));
}

KeyStream::KeyStream(const Selection& selection, Context& context, bool read_whole)
    : left_out_(std::make_shared<LeftOut>(context)),
      meant_(std::make_shared<MeantInstead>(context, selection.clients_or_keys)) {
    check_selection(selection);
    say_doubtful_name(selection, context);
    const auto source = std::make_shared<KeySource>(selection, *left_out_, *meant_, context, read_whole);
    count_ = source->count();
    pull_ = [source](std::size_t most, std::vector<NamedKey>& keys) { return source->next(most, keys); };
    ready_ = [source] { return source->ready(); };
    named_nothing_ = [source] { return source->named_nothing(); };
}

std::vector<NamedKey> KeyStream::next(std::size_t most) {
    std::vector<NamedKey> keys;
    keys.resize(next(most, keys).size());
    return keys;
}

std::span<NamedKey> KeyStream::next(std::size_t most, std::vector<NamedKey>& memory) {
    const std::size_t count = pull_(most, memory);
    given_ += count;
    return std::span(memory).first(count);
}

void KeyStream::note_untried(std::uint64_t keys) const {
    left_out_->note_untried(keys + (count_ ? *count_ - given_ : 0), !count_);
}

bool KeyStream::ready() { return ready_(); }

void KeyStream::tell_untold(Outcome& outcome) const {
    if (named_nothing_())
        outcome.cannot_tell({ExitCode::usage, "nothing was named, so --exit-status has nothing to tell of", ""});
    meant_->tell_untold(outcome);
    left_out_->tell_unbuilt(outcome);
}

}  // namespace ratectl::commands
