// ratectl apply: carries a plan file's keys, amounts and guards out, by the run that the other changing commands use.
#include "commands/all_commands.h"

#include "commands/change/changes.h"
#include "commands/report/pasted_flags.h"
#include "commands/report/row_writer.h"
#include "commands/request/refused_flags.h"
#include "commands/write/change.h"
#include "commands/write/pins.h"
#include "commands/write/write_run.h"
#include "config/url_deployment.h"
#include "input/plan_file.h"

namespace ratectl::commands {

namespace {

using support::Failure;

constexpr std::uint64_t kMostChunk = 100'000;

struct ApplyRequest {
    std::string file;
    bool strict = false;
    ConsentFlags consent;
    OrderFlags order;
};

void bind_apply(Syntax syntax, ApplyRequest& request) {
    syntax.add_option("plan", request.file, "a file that --plan made").type_name("FILE").required();
    syntax
        .add_flag("--strict", request.strict, "of a reset: only windows with exactly as many requests used as planned")
        .group("Safety");
    bind_consent(syntax, request.consent);
    bind_delivery(syntax, request.order);
    refuse_guards(syntax, "a plan names the window of each of its rows",
                  "give it to the command that makes the plan, beside --plan");
}

/// The rows of a plan as planned keys, each pinned to the window that the plan saw.
class PlannedInFile final : public PlannedKeys {
public:
    PlannedInFile(input::PlanReader reader, domain::WriteKind kind, bool strict, Context& context)
        : reader_(std::move(reader)), kind_(kind), strict_(strict), directory_(context.directory()) {
        const auto patience = context.patience();
        const auto names = context.directory().names();
        for (std::size_t i = 0; i < names.size(); ++i) shards_[names[i]] = i;
        while (const auto row = reader_.next()) {
            patience.require(input::kReadingPlan);
            const auto key = planned(*row);
            ++counts_.keys;
            ++counts_.per_shard[key.shard];
            if (counts_.first_keys.size() < kShownKeys) counts_.first_keys.push_back(key.key);
        }
        reader_.rewind();
    }

    std::vector<PlannedKey> next(std::size_t most) override {
        std::vector<PlannedKey> keys;
        while (keys.size() < most) {
            const auto row = reader_.next();
            if (!row) break;
            keys.push_back(planned(*row));
        }
        return keys;
    }
    std::optional<KeyCounts> counted() const override { return counts_; }

private:
    PlannedKey planned(const input::PlanRow& row) const {
        // A slot may be on another shard by now.
        const auto shard = directory_.has_slots() ? shards_.begin() : shards_.find(row.shard);
        if (shard == shards_.end()) {
            throw Failure(
                ExitCode::guard,
                "the plan names shard '" + row.shard + "', which this deployment does not have; nothing was written",
                "the configuration changed since the plan was made: make a new plan");
        }
        if (kind_ != domain::WriteKind::reset && !row.amount) {
            throw Failure(ExitCode::guard,
                          "row " + std::to_string(row.row) + " of the plan has no amount; nothing was written",
                          "a plan is applied as it was written, or not at all: make a new one with --plan");
        }
        PlannedKey key;
        key.key = row.key;
        key.shard = directory_.has_slots() ? directory_.place_of(row.key)->shard : shard->second;
        key.amount = row.amount;
        key.slice = row.slice;
        key.if_used_at_least = row.if_used_at_least;
        key.meant = true;
        key.may_come_again = kind_ == domain::WriteKind::count;
        key.follows = row.follows;
        key.layout = row.layout;
        if (row.follows) return key;
        if (row.period_s) key.period = support::Seconds{*row.period_s};
        // Of a count, a period is what a window needs that has to be opened: none was open.
        const domain::StoredWindow seen{row.used, row.reset_at, {}};
        const bool over = row.period_s || row.state == domain::name_of(domain::WindowState::closed);
        pin(key, seen, over, {.takes_closed = kind_ == domain::WriteKind::reset});
        if (strict_) key.if_stored = seen;
        return key;
    }

    input::PlanReader reader_;
    domain::WriteKind kind_;
    bool strict_;
    const store::Directory& directory_;
    std::map<std::string, std::size_t> shards_;
    KeyCounts counts_;
};

std::unique_ptr<Change> change_of(const input::PlanHead& head, const config::Settings& settings) {
    if (head.kind == domain::name_of(domain::WriteKind::count)) return make_increment(1, settings);
    if (head.kind == domain::name_of(domain::WriteKind::refund)) return make_refund(std::nullopt, head.clamp);
    if (head.kind == domain::name_of(domain::WriteKind::reset)) return make_reset();
    throw Failure(ExitCode::guard,
                  "the plan is about '" + head.kind + "', which nothing here can do; nothing was written");
}

void check_head(const input::PlanHead& head, const config::Settings& settings) {
    support::value_or_throw(domain::check_operation_id(head.operation));
    if (head.chunk > kMostChunk) throw Failure(ExitCode::guard, "the plan's chunks are too large; nothing was written");
    if (head.deployment == settings.deployment) return;
    throw Failure(ExitCode::guard,
                  "the plan is for deployment '" + head.deployment + "', and this is deployment '" +
                      settings.deployment + "'; nothing was written",
                  config::words_to_name(head.deployment));
}

ExitCode run_apply(const ApplyRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    const auto& settings = context.settings();
    if (!windows_need_terms(settings))
        refuse_limit(context, "a plan is applied whole; --max-keys N refuses a larger one");
    input::PlanReader reader(request.file, context.patience());
    const auto head = reader.head();
    check_head(head, settings);
    const auto change = change_of(head, settings);
    if (request.strict && change->kind() != domain::WriteKind::reset) {
        throw Failure(ExitCode::usage, "--strict compares what is used, which only resets can do safely",
                      "increments and refunds keep to the window that the plan saw");
    }
    auto order = request.order;
    order.op_id = head.operation;
    auto consent = request.consent;
    if (!consent.reason && !head.reason.empty()) consent.reason = head.reason;
    WriteTask task;
    task.orders = orders_of(order, consent, change->kind(), "apply", context);
    task.orders.guards.used_at_least = head.if_used_at_least;
    task.chunk = static_cast<std::size_t>(head.chunk);
    task.keys = std::make_unique<PlannedInFile>(std::move(reader), change->kind(), request.strict, context);
    return run_task(std::move(task), consent, *change, context);
}

}  // namespace

Command apply_command() {
    return {"apply", Group::change, "do exactly what a plan says",
            "# first look, then do that and nothing else\n"
            "ratectl reset --policy core --state exhausted --plan friday.plan\n"
            "ratectl apply friday.plan --reason 'ticket 4711'\n"
            "# what is left of it, as of now\n"
            "ratectl apply friday.plan -n",
            bind_request<ApplyRequest, bind_apply, run_apply>};
}

}  // namespace ratectl::commands
