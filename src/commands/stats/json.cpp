// Statistics as one JSON document.
#include "commands/stats/json.h"

#include <fmt/format.h>

#include "output/formats/json_row.h"
#include "output/formats/machine_text.h"

namespace ratectl::commands::stats {
namespace {

/// Members and items with their commas.
class Writer {
public:
    std::string take() { return std::move(text_); }

    Writer& name(std::string_view name) {
        comma();
        output::append_json_string(text_, name);
        text_ += ':';
        fresh_ = true;
        return *this;
    }
    void string(std::string_view name, std::string_view value) { text(this->name(name), value); }
    void integer(std::string_view name, std::int64_t value) {
        this->name(name).comma();
        output::append_integer(text_, value);
    }
    void count(std::string_view name, std::uint64_t value) { integer(name, static_cast<std::int64_t>(value)); }
    void integer_or_null(std::string_view name, std::optional<std::int64_t> value) {
        if (value) return integer(name, *value);
        null(name);
    }
    void number_or_null(std::string_view name, std::optional<double> value) {
        if (!value) return null(name);
        this->name(name).comma();
        text_ += fmt::format("{:.2f}", *value);
    }
    void boolean(std::string_view name, bool value) {
        this->name(name).comma();
        text_ += value ? "true" : "false";
    }
    void null(std::string_view name) {
        this->name(name).comma();
        text_ += "null";
    }
    void time(std::string_view name, support::Instant t) {
        integer(name, support::epoch_seconds(t));
        this->name(std::string(name) + "_iso").comma();
        text_ += '"';
        output::append_iso(text_, t);
        text_ += '"';
    }
    void open(char bracket) {
        comma();
        text_ += bracket;
        fresh_ = true;
    }
    void close(char bracket) {
        text_ += bracket;
        fresh_ = false;
    }

private:
    static void text(Writer& writer, std::string_view value) {
        writer.comma();
        output::append_json_string(writer.text_, value);
    }
    void comma() {
        if (!fresh_) text_ += ',';
        fresh_ = false;
    }

    std::string text_;
    bool fresh_ = true;
};

void write_used(Writer& out, const domain::Distribution& used) {
    const bool any = used.count() > 0;
    out.integer("used_sum", used.sum());
    out.integer_or_null("used_min", any ? std::optional{used.min()} : std::nullopt);
    out.integer_or_null("used_p50", used.percentile(50));
    out.integer_or_null("used_p90", used.percentile(90));
    out.integer_or_null("used_p99", used.percentile(99));
    out.integer_or_null("used_max", any ? std::optional{used.max()} : std::nullopt);
}

void write_group(Writer& out, const Group& group, const Group& total) {
    out.count("windows", group.windows());
    out.count("live", group.live());
    out.number_or_null("live_percent", percent_of(group.live(), total.live()));
    out.count("exhausted", group.exhausted());
    out.count("limit_unknown", group.in(domain::LimitBand::unknown));
    write_used(out, group.used);
}

void write_bins(Writer& out, const Group& total) {
    out.name("used_bins").open('[');
    for (const auto& bin : total.used.bins()) {
        out.open('{');
        out.integer_or_null("from", bin.from);
        out.integer("to", bin.to);
        out.count("windows", bin.count);
        out.close('}');
    }
    out.close(']');
}

template <class Names, class Counts>
void write_named(Writer& out, std::string_view list, std::string_view key, const Names& names, const Counts& counts) {
    out.name(list).open('[');
    for (std::size_t i = 0; i < counts.size(); ++i) {
        out.open('{');
        out.string(key, names(i));
        out.count("windows", counts[i]);
        out.close('}');
    }
    out.close(']');
}

void write_resets(Writer& out, const Figures& figures, const Group& total) {
    out.integer("reset_resolution_s", figures.resets.resolution().count());
    out.name("resets_busiest").open('[');
    for (const auto& moment : figures.resets.busiest(10)) {
        out.open('{');
        out.time("at", moment.begin);
        out.count("windows", moment.windows);
        out.number_or_null("percent", percent_of(moment.windows, total.live()));
        out.close('}');
    }
    out.close(']');
    const auto ahead = figures.resets.ahead(figures.now, 60);
    out.integer("resets_step_s", ahead.step.count());
    out.name("resets_ahead").open('[');
    for (std::size_t i = 0; i < ahead.windows.size(); ++i) {
        out.open('{');
        out.integer("from_s", static_cast<std::int64_t>(i) * ahead.step.count());
        out.count("windows", ahead.windows[i]);
        out.close('}');
    }
    out.close(']');
    out.count("resets_later", ahead.later);
}

void write_shards(Writer& out, const Figures& figures, const Group& total) {
    const domain::Balance balance = figures.balance();
    constexpr std::string_view verdicts[] = {"one-shard", "too-few", "even", "uneven", "very-uneven"};
    out.number_or_null("shard_ratio", balance.ratio);
    out.string("shard_balance", verdicts[static_cast<std::size_t>(balance.verdict)]);
    out.name("shards").open('[');
    for (std::size_t i = 0; i < figures.shards.size(); ++i) {
        out.open('{');
        out.string("shard", figures.shards[i].name);
        out.integer("weight", figures.shards[i].weight);
        out.boolean("complete", figures.shards[i].complete());
        out.boolean("stale", figures.shards[i].stale);
        write_group(out, figures.of_shard(i), total);
        out.close('}');
    }
    out.close(']');
}

void write_policy_name(Writer& out, const std::string& name) {
    name.empty() ? out.null("policy") : out.string("policy", name);
}

void write_policies(Writer& out, const Figures& figures, const Group& total) {
    out.name("policies").open('[');
    for (const std::size_t i : figures.shown_policies()) {
        out.open('{');
        write_policy_name(out, figures.policies[i]);
        write_group(out, figures.of_policy(i), total);
        out.close('}');
    }
    out.close(']');
}

void write_trial(Writer& out, const Figures& figures, std::size_t trial, std::optional<std::size_t> policy) {
    const auto count = policy ? figures.of_policy(*policy).trials[trial] : figures.total().trials[trial];
    out.open('{');
    out.string("limit", figures.trials[trial].name);
    out.boolean("all_policies", !policy);
    write_policy_name(out, policy ? figures.policies[*policy] : std::string());
    out.count("windows", count.windows);
    out.count("limited", count.limited);
    out.integer("requests_over", count.over);
    out.count("limit_unknown", count.unknown);
    out.close('}');
}

void write_trials(Writer& out, const Figures& figures) {
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
    Writer out;
    out.string("deployment", figures.deployment);
    out.time("now", figures.now);
    out.count("windows", total.windows());
    out.count("live", total.live());
    out.count("exhausted", total.exhausted());
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
