// rollout who: who is on which side of a feature that is on for a percentage of its actors.
#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/rollout/rollout_requests.h"
#include "domain/rollout.h"
#include "input/line_reader.h"
#include "sharding/hash_functions.h"
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
          at_(percentage_of("--at", request.at)),
          rows_(context, rollout_fields(), kRolloutSchema, request.then ? std::string_view() : kOneSide, true,
                request.order) {
        if (request.then) then_ = percentage_of("--then", *request.then);
    }

    ExitCode run() {
        Outcome outcome(context_);
        if (request_.actors == std::vector<std::string>{"-"}) {
            input::LineReader lines(context_.in(), context_.options().nul ? '\0' : '\n');
            while (const auto line = lines.next()) {
                if (context_.stop()) break;
                if (!line->empty()) take(*line);
            }
        } else {
            for (const auto& actor : request_.actors) take(actor);
        }
        outcome.add(rows_.end(outcome.footer(!context_.stop())));
        context_.messages().summary(words(), {{"actors", actors_}, {"on", on_}, {"in", in_}, {"out", out_}});
        return outcome.code();
    }

private:
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
        auto text = fmt::format("on for {} of {} at {} %", on_, actors_, request_.at);
        if (then_) text += fmt::format("; {} move in and {} out at {} %", in_, out_, *request_.then);
        return text;
    }

    const WhoRequest& request_;
    Context& context_;
    double at_;
    std::optional<double> then_;
    RowWriter<RolloutRow> rows_;
    std::int64_t actors_ = 0, on_ = 0, in_ = 0, out_ = 0;
};

}  // namespace

double percentage_of(std::string_view what, const std::string& text) {
    const auto percentage = support::parse_percent(text);
    if (percentage && *percentage <= 100) return *percentage;
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
