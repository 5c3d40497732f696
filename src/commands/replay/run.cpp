// Runs a replay: reads ahead as far as consent needs, plays, and accounts for every request.
#include "commands/replay/run.h"

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/replay/engine.h"
#include "commands/replay/key_fields.h"
#include "commands/replay/log_file.h"
#include "commands/report/pasted_flags.h"
#include "commands/report/row_writer.h"
#include "commands/sweep/seen_keys.h"
#include "store/directory.h"

namespace ratectl::commands::replay {

namespace {

using support::Failure;

constexpr std::uint64_t kShownMalformed = 3;
constexpr std::size_t kShownLine = 160;

std::string lines_of(std::uint64_t count) { return fmt::format("{} {}", count, count == 1 ? "line" : "lines"); }

class Replay {
public:
    Replay(const Play& play, Context& context)
        : play_(play),
          context_(context),
          settings_(context.settings()),
          limiter_(limiter_of(context.settings())),
          map_(shard_map_of(context)),
          consent_(play.consent, context),
          operations_{orders_of(play.order, play.consent, domain::WriteKind::count, "replay", context),
                      orders_of(play.order, play.consent, domain::WriteKind::refund, "replay", context)},
          log_(play.log, context.in(), context.patience(), context.temporary_folder()),
          problems_(context),
          writer_(context, key_fields(), "ratectl.replay.v1",
                  play.rules.refund_status.empty() ? kKeyTable : kRefundTable, true, play.order.rows),
          outcome_(context) {}

    ExitCode run() {
        const auto to_know = consent_.keys_to_know();
        ask_consent(to_know);
        RequestSource source(
            log_.play(), play_.rules,
            [this](std::uint64_t line, std::string_view text, const std::string& why) { malformed(line, text, why); });
        const auto target =
            context_.options().dry_run ? make_memory_target(limiter_) : make_store_target(operations_, context_);
        Engine engine(source, *target, {play_.period, play_.enforce}, context_.stop(), callbacks(source));
        engine_ = &engine;
        bool whole = true;
        try {
            engine.play();
        } catch (const Failure& failure) {
            whole = false;
            if (!context_.stop()) broke_off(failure.error());
        }
        const ExitCode code = finish(source, whole && !context_.stop());
        engine_ = nullptr;
        return code;
    }

private:
    static const sharding::ShardMap& shard_map_of(Context& context) {
        const auto* map = context.directory().rule();
        if (map != nullptr) return *map;
        if (context.settings().all_shards) {
            throw Failure(ExitCode::configuration,
                          "no rule places keys on the shards (all-shards), so it is unknown where windows are to be "
                          "opened; nothing was written",
                          "--sharding PRESET counts by a rule for this once");
        }
        throw Failure(ExitCode::configuration,
                      "there are several shards, and nothing says how keys are shared out among them; nothing was "
                      "written",
                      "--sharding PRESET, or `sharding` in the configuration");
    }

    const std::string& shard_name(std::size_t shard) const { return context_.directory().name_of(shard); }

    Place place_of(std::string_view key) const {
        Place place;
        place.shard = map_.shard_of(key);
        const auto match = play_.policy.match(key);
        const auto& limiter = limiter_.of(key);
        if (limiter.end_moves()) {
            throw Failure(ExitCode::usage,
                          "policy '" + play_.rules.policy +
                              "' has no windows that a log could be counted into: each request moves their end",
                          "replay is for limiters whose windows end by themselves");
        }
        const auto quota = limiter.quota_in(key);
        if (match) place.limit = match->limit;
        if (quota && !(match && match->exempt)) place.limit = quota->limit;
        if (settings_.limit) place.limit = settings_.limit;
        if (quota && !settings_.period) place.period = quota->period;
        if (place.limit) place.most_let_through = limiter.most_let_through(*place.limit);
        place.is_protected = consent_.is_protected(key);
        return place;
    }

    /// Nothing is read where only the flags have to be right.
    void ask_consent(std::optional<std::uint64_t> to_know) {
        if (to_know == 0) {
            WritePlan unread;
            unread.more_to_come = true;
            return consent_.require(unread);
        }
        RequestSource source(log_.preview(), play_.rules, [](std::uint64_t, std::string_view, const std::string&) {});
        SeenKeys keys(context_.new_operation_id());
        WritePlan plan;
        plan.verb = "count requests in";
        plan.more_to_come = true;
        while (!context_.stop() && (!to_know || keys.size() < *to_know)) {
            const auto request = source.next();
            plan.more_to_come = request.has_value();
            if (!request) break;
            if (!keys.add(0, request->key)) continue;
            ++plan.keys_per_shard[shard_name(map_.shard_of(request->key))];
            if (plan.first_keys.size() < kShownKeys) plan.first_keys.push_back(request->key);
        }
        plan.keys = keys.size();
        if (!context_.stop()) consent_.require(plan);
    }

    Engine::Callbacks callbacks(const RequestSource& source) {
        return {[this](std::string_view key) { return place_of(key); },
                [this](const domain::Node& node, const support::Error& error) { problem(node, error); },
                [this, &source] { progress(source); }};
    }

    const std::string& log_name() const {
        static const std::string standard_input = "standard input";
        return play_.log == "-" ? standard_input : play_.log;
    }

    void malformed(std::uint64_t line, std::string_view text, const std::string& why) {
        if (++malformed_shown_ > kShownMalformed) return;
        const std::string what = fmt::format("{}, line {}: not counted", log_name(), line);
        if (context_.settings().policies.hides()) return context_.messages().warning(what);  // it may name a client
        const std::string shown = std::string(text.substr(0, kShownLine)) + (text.size() > kShownLine ? " ..." : "");
        context_.messages().warning(fmt::format("{}: {}: {}", what, why, shown));
    }

    void problem(const domain::Node& node, const support::Error& error) {
        outcome_.fail(error.code);
        problems_.tell(error, node.shard, node.shard.empty() ? "" : node.name());
    }

    void progress(const RequestSource& source) {
        const auto now = context_.wall_clock();
        if (now - last_progress_ < output::kProgressEvery) return;
        last_progress_ = now;
        context_.messages().progress(
            fmt::format("replay: {} lines, {} keys", source.lines(), engine_->ledger().keys()));
    }

    /// A log that cannot be read on: what was read has been played.
    void broke_off(const support::Error& error) {
        outcome_.fail(error.code);
        context_.messages().error(error);
    }

    ExitCode finish(const RequestSource& source, bool whole) {
        context_.messages().clear_progress();
        for (const auto& [node, error] : engine_->failures()) outcome_.fail(failure_row(node, error));
        // Told even if standard output is gone, and so is what is graver than that.
        say_summary(source);
        conclude(source);
        try {
            auto footer = outcome_.footer(whole);
            footer.not_attempted = engine_->ledger().total().not_attempted;
            print_rows(footer);
        } catch (const Failure& failure) {
            outcome_.end_by(failure.error());
        }
        return outcome_.code();
    }

    void print_rows(const output::Footer& footer) {
        for (const KeyRecord* record : engine_->ledger().notable()) {
            if (wants_no_rows(context_.options())) break;
            writer_.write({*record, settings_.deployment, shard_name(record->shard), context_.options().dry_run});
        }
        outcome_.add(writer_.end(footer));
        context_.out().flush();
    }

    void say_summary(const RequestSource& source) {
        const Counts total = engine_->ledger().total();
        const std::size_t keys = engine_->ledger().keys();
        std::string text = words(total, keys);
        if (source.malformed() > 0) text += fmt::format(", {} malformed", lines_of(source.malformed()));
        if (source.to_come() > 0) text += fmt::format(", {} of windows to come left out", lines_of(source.to_come()));
        if (source.skipped() > 0) text += fmt::format(", {} outside --since and --until", lines_of(source.skipped()));
        if (context_.options().dry_run) text += " (dry run: nothing was written, and no window was looked at)";
        auto counts = named(total, keys);
        counts.emplace_back("malformed", static_cast<std::int64_t>(source.malformed()));
        counts.emplace_back("skipped", static_cast<std::int64_t>(source.skipped()));
        std::vector<std::pair<std::string, std::string>> facts;
        if (!context_.options().dry_run && total.counted + total.unknown > 0) {
            const bool refunded = total.refunded + total.refunds_unknown > 0;
            facts.emplace_back("operation", operations_.counts.id());
            if (refunded) facts.emplace_back("refund_operation", operations_.refunds.id());
            const auto undo = [this](const std::string& id) { return pasted(context_, "undo " + id); };
            text += "; to take it back: " + (refunded ? undo(operations_.refunds.id()) + " and then " : "") +
                    undo(operations_.counts.id());
        }
        context_.messages().summary(text, counts, facts);
    }

    void conclude(const RequestSource& source) {
        if (source.to_come() > 0) {
            outcome_.leave_undone();
            context_.messages().warning(
                fmt::format(
                    "{}, from line {} on: {} a window or more after the first request: not counted, for what is "
                    "open now would be written over by windows to come",
                    log_name(), source.first_to_come(),
                    source.to_come() == 1 ? "1 request came" : fmt::format("{} requests came", source.to_come())),
                "--time now counts all of them now, --time log as if time went on; --since and --until choose");
        }
        const Counts total = engine_->ledger().total();
        // The plain code of a problem promises that nothing was written.
        if (total.counted > 0) return outcome_.answer();
        if (outcome_.code() != ExitCode::done) return;
        if (total.requests == 0 && source.malformed() > 0) {
            context_.messages().error(
                {ExitCode::local_io, fmt::format("no line of {} could be counted", log_name()),
                 "a line is CLIENT IDENT USER [TIME] \"REQUEST\" STATUS SIZE, as web servers write it"});
            return outcome_.add(ExitCode::local_io);
        }
        outcome_.attend();
    }

    const Play& play_;
    Context& context_;
    const config::Settings& settings_;
    const domain::Limiter& limiter_;
    const sharding::ShardMap& map_;
    Consent consent_;
    Operations operations_;
    LogFile log_;
    ProblemTeller problems_;
    RowWriter<KeyRow> writer_;
    const Engine* engine_ = nullptr;
    std::uint64_t malformed_shown_ = 0;
    Outcome outcome_;
    support::WallTime last_progress_{};
};

}  // namespace

ExitCode run(const Play& play, Context& context) { return Replay(play, context).run(); }

}  // namespace ratectl::commands::replay
