// rollout: who is on which side of a feature that is on for a percentage of its actors. Nothing is asked of a server.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "commands/all_commands.h"
#include "commands/outcome.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/report/row_writer.h"
#include "domain/rollout.h"
#include "input/line_reader.h"
#include "sharding/hash_functions.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kRolloutSchema = "ratectl.rollout.v1";
constexpr std::string_view kOneSide = "actor,bucket,on";

struct RolloutRequest {
    std::vector<std::string> actors;
    std::string feature;
    std::string at;
    std::optional<std::string> then;
    ColumnOrder order;
};

void bind_rollout(CLI::App& app, RolloutRequest& request) {
    auto& who =
        *app.add_subcommand("who", "for which actors the feature is on at a percentage, and who moves to another");
    who.add_option("ACTOR", request.actors, "as the application calls them: `User;42`; `-` reads them, one a line")
        ->required();
    who.add_option("--feature", request.feature, "the feature's name")->type_name("NAME")->required();
    who.add_option("--at", request.at, "the percentage of actors for which it is on")->type_name("PERCENT")->required();
    who.add_option("--then", request.then, "another percentage: who moves from the one to the other?")
        ->type_name("PERCENT");
    bind_row_order(who, request.order);
}

double percentage_of(std::string_view flag, const std::string& text) {
    const auto percentage = support::parse_percent(text);
    if (percentage && *percentage <= 100) return *percentage;
    throw support::Failure(ExitCode::usage,
                           fmt::format("{} takes a percentage from 0 to 100, and not {}", flag, support::quoted(text)),
                           "25, or 12.5");
}

class Rollout {
public:
    Rollout(const RolloutRequest& request, Context& context)
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

    const RolloutRequest& request_;
    Context& context_;
    double at_;
    std::optional<double> then_;
    RowWriter<RolloutRow> rows_;
    std::int64_t actors_ = 0, on_ = 0, in_ = 0, out_ = 0;
};

ExitCode run_rollout(const RolloutRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(rollout_fields()))) return ExitCode::done;
    if (request.feature.empty()) throw support::Failure(ExitCode::usage, "--feature names none", {});
    return Rollout(request, context).run();
}

}  // namespace

Command rollout_command() {
    return {"rollout", Group::limiters, "who is in at a percentage of actors, and who moves",
            "# is this client served by the new backend at 34 %?\n"
            "ratectl rollout who alice --feature new_limiter --at 34\n"
            "# who of these moves, from 25 to 50 %?\n"
            "ratectl rollout who - --feature new_limiter --at 25 --then 50 < keys.txt",
            bind_request<RolloutRequest, bind_rollout, run_rollout>};
}

}  // namespace ratectl::commands
