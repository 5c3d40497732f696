// Statistics as rows for ndjson, csv and tsv, and in json beside the figures: every count with the bin or the name that
// it belongs to.
#include "commands/report/row_writer.h"
#include "commands/stats/figures.h"

namespace ratectl::commands::stats {
namespace {

std::int64_t as_count(std::uint64_t count) { return static_cast<std::int64_t>(count); }

using Write = std::function<void(const StatsRow&)>;

class RowMaker {
public:
    explicit RowMaker(const Write& write) : write_(write) {}

    void make(const Figures& figures) {
        const Group total = figures.total();
        for (std::size_t i = 0; i < kStates.size(); ++i) named("state", domain::name_of(kStates[i]), total.states[i]);
        for (const auto& bin : total.used.bins()) write_({"used", {}, bin.from, bin.to, as_count(bin.count)});
        for (std::size_t i = 0; i < domain::kLimitBands; ++i)
            named("band", domain::name_of(static_cast<domain::LimitBand>(i)), total.bands[i]);
        write_resets(figures);
        for (std::size_t i = 0; i < figures.shards.size(); ++i)
            write_group("shard", "shard-used", figures.shards[i].name, figures.of_shard(i));
        for (const std::size_t i : figures.shown_policies())
            write_group("policy", "policy-used", figures.policies[i], figures.of_policy(i));
        for (std::size_t i = 0; i < figures.trials.size(); ++i)
            named("at-limit", figures.trials[i].name, total.trials[i].limited);
    }

private:
    void named(std::string_view kind, std::string_view name, std::uint64_t count) {
        write_({kind, std::string(name), std::nullopt, std::nullopt, as_count(count)});
    }
    void write_group(std::string_view kind, std::string_view used_kind, const std::string& name, const Group& group) {
        named(kind, name, group.live());
        write_({used_kind, name, std::nullopt, std::nullopt, group.used.sum()});
    }
    void write_resets(const Figures& figures) {
        const auto ahead = figures.resets.ahead(figures.now, 60);
        const auto step = ahead.step.count();
        for (std::size_t i = 0; i < ahead.windows.size(); ++i) {
            const auto begin = static_cast<std::int64_t>(i) * step;
            write_({"reset-in", {}, begin, begin + step - 1, as_count(ahead.windows[i])});
        }
        if (ahead.later > 0) write_({"reset-in", {}, 60 * step, std::nullopt, as_count(ahead.later)});
        for (const auto& moment : figures.resets.busiest(10)) {
            const auto begin = support::epoch_seconds(moment.begin);
            write_({"reset-at", {}, begin, begin + figures.resets.resolution().count() - 1, as_count(moment.windows)});
        }
    }

    const Write& write_;
};

class RowPrinter final : public Printer {
public:
    explicit RowPrinter(Context& context) : rows_(context, stats_fields(), "ratectl.stats.v1") {}

    void take_heaviest(const WindowRow&, const Figures&) override {}

    void print(const Figures& figures) override {
        write_rows(figures, [this](const StatsRow& row) { rows_.write(row); });
        rows_.end(figures.footer);
    }

private:
    RowWriter<StatsRow> rows_;
};

}  // namespace

void write_rows(const Figures& figures, const std::function<void(const StatsRow&)>& write) {
    RowMaker(write).make(figures);
}

std::unique_ptr<Printer> make_row_printer(Context& context) { return std::make_unique<RowPrinter>(context); }

}  // namespace ratectl::commands::stats
