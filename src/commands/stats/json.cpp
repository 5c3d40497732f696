// Statistics as one JSON document.
#include <fmt/format.h>

#include "commands/stats/figures.h"
#include "output/formats/json_row.h"
#include "output/formats/json_writer.h"

namespace ratectl::commands::stats {
namespace {

using output::JsonWriter;

void write_used(JsonWriter& out, const domain::Distribution& used) {
    const bool any = used.count() > 0;
    out.name("used_sum").raw(domain::digits_of(used.sum()));
    out.member("used_min", any ? std::optional{used.min()} : std::nullopt);
    out.member("used_p50", used.percentile(50));
    out.member("used_p90", used.percentile(90));
    out.member("used_p99", used.percentile(99));
    out.member("used_max", any ? std::optional{used.max()} : std::nullopt);
}

void write_group(JsonWriter& out, const Group& group, const Group& total) {
    out.member("windows", group.windows());
    out.member("live", group.live());
    out.member("live_percent", percent_of(group.live(), total.live()));
    out.member("exhausted", group.exhausted());
    out.member("limit_unknown", group.in(domain::LimitBand::unknown));
    write_used(out, group.used);
}

void write_bins(JsonWriter& out, const Group& total) {
    out.name("used_bins").open('[');
    for (const auto& bin : total.used.bins()) {
        out.open('{');
        out.member("from", bin.from);
        out.member("to", bin.to);
        out.member("windows", bin.count);
        out.close('}');
    }
    out.close(']');
}

template <class Names, class Counts>
void write_named(JsonWriter& out, std::string_view list, std::string_view key, const Names& names,
                 const Counts& counts) {
    out.name(list).open('[');
    for (std::size_t i = 0; i < counts.size(); ++i) {
        out.open('{');
        out.member(key, names(i));
        out.member("windows", counts[i]);
        out.close('}');
    }
    out.close(']');
}

void write_resets(JsonWriter& out, const Figures& figures, const Group& total) {
    out.member("reset_resolution_s", figures.resets.resolution().count());
    out.name("resets_busiest").open('[');
    for (const auto& moment : figures.resets.busiest(10)) {
        out.open('{');
        out.member("at", moment.begin);
        out.member("windows", moment.windows);
        out.member("percent", percent_of(moment.windows, total.live()));
        out.close('}');
    }
    out.close(']');
    const auto ahead = figures.resets.ahead(figures.now, 60);
    out.member("resets_step_s", ahead.step.count());
    out.name("resets_ahead").open('[');
    for (std::size_t i = 0; i < ahead.windows.size(); ++i) {
        out.open('{');
        out.member("from_s", static_cast<std::int64_t>(i) * ahead.step.count());
        out.member("windows", ahead.windows[i]);
        out.close('}');
    }
    out.close(']');
    out.member("resets_later", ahead.later);
}

void write_shards(JsonWriter& out, const Figures& figures, const Group& total) {
    const domain::Balance balance = figures.balance();
    constexpr std::string_view verdicts[] = {"one-shard", "too-few", "even", "uneven", "very-uneven"};
    out.member("shard_ratio", balance.ratio);
    out.member("shard_balance", verdicts[static_cast<std::size_t>(balance.verdict)]);
    out.name("shards").open('[');
    for (std::size_t i = 0; i < figures.shards.size(); ++i) {
        out.open('{');
        out.member("shard", figures.shards[i].name);
        out.member("weight", figures.shards[i].weight);
        out.member("complete", figures.shards[i].complete());
        out.member("stale", figures.shards[i].stale);
        write_group(out, figures.of_shard(i), total);
        out.close('}');
    }
    out.close(']');
}

void write_policy_name(JsonWriter& out, const std::string& name) {
    name.empty() ? out.null("policy") : out.member("policy", name);
}

void write_policies(JsonWriter& out, const Figures& figures, const Group& total) {
    out.name("policies").open('[');
    for (const std::size_t i : figures.shown_policies()) {
        out.open('{');
        write_policy_name(out, figures.policies[i]);
        write_group(out, figures.of_policy(i), total);
        out.close('}');
    }
    out.close(']');
}

void write_trial(JsonWriter& out, const Figures& figures, std::size_t trial, std::optional<std::size_t> policy) {
    const auto count = policy ? figures.of_policy(*policy).trials[trial] : figures.total().trials[trial];
    out.open('{');
    out.member("limit", figures.trials[trial].name);
    out.member("all_policies", !policy);
    write_policy_name(out, policy ? figures.policies[*policy] : std::string());
    out.member("windows", count.windows);
    out.member("limited", count.limited);
    out.name("requests_over").raw(domain::digits_of(count.over));
    out.member("limit_unknown", count.unknown);
    out.close('}');
}

void write_trials(JsonWriter& out, const Figures& figures) {
    out.name("at_limit").open('[');
    for (std::size_t trial = 0; trial < figures.trials.size(); ++trial) {
        write_trial(out, figures, trial, std::nullopt);
        for (const std::size_t policy : figures.shown_policies()) write_trial(out, figures, trial, policy);
    }
    out.close(']');
}

/// Rows as items of a JSON array.
template <class Value>
class Items {
public:
    Items(Context& context, std::span<const output::Field<Value>> fields) : fields_(fields.begin(), fields.end()) {
        auto options = context.sink_options("");
        options.format = output::Format::ndjson;
        rows_ = output::make_row_sink(options, output::columns_of(fields), out_);
    }

    void add(const Value& value) {
        output::fill_row(fields_, value, cells_);
        rows_->row(cells_);
        if (!out_.text.empty()) out_.text.back() = ',';
    }
    std::string take() {
        if (!out_.text.empty()) out_.text.pop_back();
        return std::move(out_.text);
    }

private:
    output::Fields<Value> fields_;
    output::StringSink out_;
    std::unique_ptr<output::RowSink> rows_;
    output::Row cells_;
};

/// The figures by name, the same as rows, and the heaviest windows as scan has them.
class JsonPrinter final : public Printer {
public:
    explicit JsonPrinter(Context& context)
        : context_(context), rows_(context, stats_fields()), heaviest_(context, window_fields()) {}

    void take_heaviest(const WindowRow& row, const Figures&) override { heaviest_.add(row); }

    void print(const Figures& figures) override {
        write_rows(figures, [this](const StatsRow& row) { rows_.add(row); });
        std::string text = "{\"schema\":\"ratectl.stats.v1\"," + json_members(figures);
        text += ",\"heaviest\":[" + heaviest_.take() + "],\"rows\":[" + rows_.take() + "],\"failures\":[";
        for (const output::FailureRow& failure : figures.footer.failures) {
            if (text.back() != '[') text += ',';
            output::append_json_failure(text, failure);
        }
        text += figures.footer.complete ? "],\"complete\":true}\n" : "],\"complete\":false}\n";
        context_.out().write(text);
        context_.out().flush();
    }

private:
    Context& context_;
    Items<StatsRow> rows_;
    Items<WindowRow> heaviest_;
};

}  // namespace

std::string json_members(const Figures& figures) {
    const Group total = figures.total();
    JsonWriter out;
    out.member("deployment", figures.deployment);
    out.member("now", figures.now);
    out.member("windows", total.windows());
    out.member("live", total.live());
    out.member("exhausted", total.exhausted());
    write_named(
        out, "states", "state", [](std::size_t i) { return domain::name_of(kStates[i]); }, total.states);
    write_used(out, total.used);
    write_bins(out, total);
    write_named(
        out, "bands", "percent_of_limit",
        [](std::size_t i) { return domain::name_of(static_cast<domain::LimitBand>(i)); }, total.bands);
    write_resets(out, figures, total);
    write_shards(out, figures, total);
    write_policies(out, figures, total);
    write_trials(out, figures);
    return out.take();
}

std::unique_ptr<Printer> make_json_printer(Context& context) { return std::make_unique<JsonPrinter>(context); }

}  // namespace ratectl::commands::stats
