// rollout who: who is on which side of a feature that is on for a percentage of its actors.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/report/key_mask.h"
#include "commands/request/plain_lines.h"
#include "commands/rollout/rollout_requests.h"
#include "domain/rollout.h"
#include "input/key_rows.h"
#include "input/line_reader.h"
#include "sharding/hash_functions.h"
#include "support/digest.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::rollout {
namespace {

constexpr std::string_view kRolloutSchema = "ratectl.rollout.v1";
constexpr std::string_view kOneSide = "actor,bucket,on";

class Who {
public:
    Who(const WhoRequest& request, Context& context)
        : request_(request),
          context_(context),
          format_(key_format_of(context)),
          at_(percentage_of("--at", request.at)),
          rows_(context, rollout_fields(), kRolloutSchema, request.then ? std::string_view() : kOneSide, true,
                request.order) {
        if (request.then) then_ = percentage_of("--then", *request.then);
    }

    ExitCode run() {
        Outcome outcome(context_);
        if (request_.actors == std::vector<std::string>{"-"}) {
            read_actors();
        } else {
            for (const auto& actor : request_.actors) take(support::value_or_throw(output::decode_key(format_, actor)));
        }
        outcome.add(rows_.end(outcome.footer(!context_.stop())));
        context_.messages().summary(words(), {{"actors", actors_}, {"on", on_}, {"in", in_}, {"out", out_}});
        return outcome.code();
    }

private:
    void read_actors() {
        const bool are_lines = !context_.options().nul;
        auto source = input::borrow(context_.in());
        if (are_lines) {
            auto peeked = input::peek_line(std::move(source), input::kRecognisable);
            source = std::move(peeked.source);
            const auto format = recognise(peeked.first);
            if (format != input::RowFormat::keys) return read_rows(*source, format);
        }
        input::LineReader lines(*source, are_lines ? '\n' : '\0');
        while (auto line = lines.next()) {
            if (context_.stop()) return;
            if (are_lines && line->ends_with('\r')) line->remove_suffix(1);
            if (line->empty()) continue;
            const auto actor = output::decode_key(format_, *line);
            if (!actor) throw_bad_line(lines.line(), actor.error().message, actor.error().hint);
            take(*actor);
        }
    }

    static input::RowFormat recognise(std::string_view beginning) {
        const auto format = input::recognise_rows(beginning);
        const bool is_of_no_actor = format == input::RowFormat::keys &&
                                    !header_without_key(beginning.substr(0, beginning.find_first_of("\r\n"))).empty();
        if (format && !is_of_no_actor) return *format;
        throw support::Failure(ExitCode::local_io, "standard input, line 1: that is a table, and no row of it an actor",
                               "-o json, ndjson, csv and tsv of `rollout who` and `compare` print what `-` reads");
    }

    void read_rows(input::ByteSource& source, input::RowFormat format) {
        input::KeyRowReader rows(source, format);
        while (auto* row = rows.next()) {
            if (context_.stop()) return;
            if (!row->actor)
                throw_bad_line(rows.line(), "this row names no actor",
                               "-o csv --columns client --no-header prints clients one a line");
            refuse_fingerprint(*row, rows.line());
            if (row->escaped)
                row->actor = support::value_or_throw(output::decode_key(output::KeyFormat::escaped, *row->actor));
            take(*row->actor);
        }
    }

    /// Rows may come from where there is a configuration, to where there is none.
    void refuse_fingerprint(const input::KeyRow& row, std::uint64_t line) {
        if (!row.key) return;
        if (!settings_) settings_ = context_.settings_without_servers();
        const auto fault = fingerprint_fault(*row.key, *settings_);
        if (fault) throw_bad_line(line, fault->message, fault->hint);
        if (settings_->policies.empty() && support::holds_fingerprint(*row.actor))
            throw_bad_line(line, "actor " + support::quoted(*row.actor) + " has a fingerprint where its client was",
                           "give --reveal to the command that printed it");
    }

    void take(std::string_view actor) {
        const auto crc = sharding::hashes::crc32(request_.feature + std::string(actor));
        RolloutRow row{actor, domain::rollout_bucket(crc.words.front()), false, {}};
        row.on = domain::is_on_at(row.bucket, at_);
        if (then_) row.then = domain::is_on_at(row.bucket, *then_);
        ++actors_;
        on_ += row.on ? 1 : 0;
        in_ += row.then.value_or(row.on) && !row.on ? 1 : 0;
        out_ += row.on && !row.then.value_or(true) ? 1 : 0;
        rows_.write(row);
    }

    std::string words() const {
        auto text = fmt::format("on for {} of {} at {} %", on_, actors_, without_sign(request_.at));
        if (then_) text += fmt::format("; {} move in and {} out at {} %", in_, out_, without_sign(*request_.then));
        return text;
    }

    const WhoRequest& request_;
    Context& context_;
    output::KeyFormat format_;  // of arguments and lines, as `-o name` writes them
    double at_;
    std::optional<double> then_;
    RowWriter<RolloutRow> rows_;
    std::optional<config::Settings> settings_;  // as soon as a row names a key
    std::int64_t actors_ = 0, on_ = 0, in_ = 0, out_ = 0;
};

}  // namespace

std::string without_sign(std::string text) {
    if (text.ends_with('%')) text.pop_back();
    return text;
}

double percentage_of(std::string_view what, const std::string& text) {
    const auto number = without_sign(text);
    const auto is_share = [](std::optional<double> percentage) { return percentage && *percentage <= 100; };
    if (const auto percentage = support::parse_percent(number); is_share(percentage)) return *percentage;
    constexpr std::size_t most_digits = 6;  // behind the point, as parse_percent() takes them
    const auto fraction = std::min(number.find('.'), number.size() - 1) + 1;
    const auto shorter = number.substr(0, fraction + most_digits);
    const bool has_more = shorter != number && number.find_first_not_of("0123456789", fraction) == std::string::npos;
    if (has_more && is_share(support::parse_percent(shorter)))
        throw support::Failure(ExitCode::usage,
                               fmt::format("{} takes up to {} digits behind the point, and not {}", what, most_digits,
                                           support::quoted(text)),
                               shorter);
    throw support::Failure(ExitCode::usage,
                           fmt::format("{} takes a percentage from 0 to 100, and not {}", what, support::quoted(text)),
                           "25, or 12.5");
}

ExitCode run_who(const WhoRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(rollout_fields()))) return ExitCode::done;
    if (request.feature.empty()) throw support::Failure(ExitCode::usage, "--feature names none", {});
    return Who(request, context).run();
}

}  // namespace ratectl::commands::rollout
