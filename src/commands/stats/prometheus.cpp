// Statistics as metrics of the text format that Prometheus reads (version 0.0.4): aggregates only, never a label per
// key, no timestamps.
#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "commands/stats/figures.h"
#include "output/formats/machine_text.h"
#include "output/printable.h"

namespace ratectl::commands::stats {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// Bins that end at 0, 1, 2, 5 ... 1,000,000: as many in every run, whatever is there.
constexpr std::size_t kFirstBin = 1;
constexpr std::size_t kLastBin = 20;
constexpr std::array<std::int64_t, 14> kResetEdges{10,   30,   60,    120,   300,   600,     1800,
                                                   3600, 7200, 21600, 43200, 86400, 604'800, 2'592'000};

/// Backslash, quote and line break are the only bytes that mean something there; names of a configuration may have them
/// all.
std::string escaped(std::string_view value) {
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        c == '\n' ? void(text += "\\n") : void(text += c);
    }
    return text;
}

class Metrics {
public:
    explicit Metrics(std::string deployment) : deployment_(std::move(deployment)) {}
    const std::string& text() const { return text_; }

    void family(const std::string& name, std::string_view type, std::string_view help) {
        name_ = "ratectl_" + name;
        text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name_, help, name_, type);
    }
    template <class Number>
    void sample(const Labels& labels, Number value, std::string_view suffix = {}) {
        text_ += fmt::format("{}{}{{deployment=\"{}\"", name_, suffix, escaped(deployment_));
        for (const auto& [label, content] : labels) text_ += fmt::format(",{}=\"{}\"", label, escaped(content));
        text_ += fmt::format("}} {}\n", value);
    }
    /// Cumulative, as histograms are.
    void bucket(Labels labels, const std::string& end, std::uint64_t count) {
        labels.emplace_back("le", end);
        sample(labels, count, "_bucket");
    }

private:
    std::string deployment_;
    std::string name_;
    std::string text_;
};

void write_windows(Metrics& out, const Figures& figures) {
    out.family("windows", "gauge", "Windows by state, as one sweep found them.");
    for (std::size_t shard = 0; shard < figures.shards.size(); ++shard) {
        for (const std::size_t policy : figures.shown_policies()) {
            const Group& group = figures.cell(shard, policy);
            for (std::size_t i = 0; i < kStates.size(); ++i)
                out.sample({{"shard", figures.shards[shard].name},
                            {"policy", figures.policies[policy]},
                            {"state", std::string(domain::name_of(kStates[i]))}},
                           group.states[i]);
        }
    }
    out.family("used_requests", "gauge", "Requests counted in live windows.");
    for (std::size_t shard = 0; shard < figures.shards.size(); ++shard) {
        for (const std::size_t policy : figures.shown_policies())
            out.sample({{"shard", figures.shards[shard].name}, {"policy", figures.policies[policy]}},
                       figures.cell(shard, policy).used.sum());
    }
}

void write_used(Metrics& out, const Figures& figures) {
    out.family("window_used_requests", "histogram", "Live windows by requests used; a picture of one moment.");
    for (const std::size_t policy : figures.shown_policies()) {
        const domain::Distribution used = figures.of_policy(policy).used;
        const Labels labels{{"policy", figures.policies[policy]}};
        for (std::size_t bin = kFirstBin; bin <= kLastBin; ++bin)
            out.bucket(labels, fmt::to_string(domain::Distribution::end_of(bin)), used.count_up_to(bin));
        out.bucket(labels, "+Inf", used.count());
        out.sample(labels, used.sum(), "_sum");
        out.sample(labels, used.count(), "_count");
    }
    out.family("window_limit_share", "gauge", "Live windows by share of their limit used, in percent.");
    for (const std::size_t policy : figures.shown_policies()) {
        const Group group = figures.of_policy(policy);
        for (std::size_t i = 0; i < domain::kLimitBands; ++i)
            out.sample({{"policy", figures.policies[policy]},
                        {"share", std::string(domain::name_of(static_cast<domain::LimitBand>(i)))}},
                       group.bands[i]);
    }
}

void write_resets(Metrics& out, const Figures& figures) {
    out.family("window_reset_in_seconds", "histogram",
               "Live windows by time until they reset; a picture of one moment.");
    for (const std::int64_t edge : kResetEdges)
        out.bucket({}, fmt::to_string(edge), figures.resets.count_up_to(figures.now + support::Seconds{edge}));
    out.bucket({}, "+Inf", figures.resets.count());
    double seconds = 0;
    for (const auto& moment : figures.resets.busiest(SIZE_MAX))
        seconds += static_cast<double>((moment.begin - figures.now).count()) * static_cast<double>(moment.windows);
    out.sample({}, seconds, "_sum");
    out.sample({}, figures.resets.count(), "_count");
    out.family("busiest_reset_windows", "gauge", "Live windows that reset in the busiest second ahead.");
    const auto busiest = figures.resets.busiest(1);
    out.sample({}, busiest.empty() ? std::uint64_t{0} : busiest.front().windows);
}

void write_trials(Metrics& out, const Figures& figures) {
    if (figures.trials.size() < 2) return;
    out.family("windows_limited_at", "gauge", "Live windows that would be limited at this limit.");
    for (std::size_t trial = 0; trial < figures.trials.size(); ++trial) {
        for (const std::size_t policy : figures.shown_policies())
            out.sample({{"policy", figures.policies[policy]}, {"limit", figures.trials[trial].name}},
                       figures.of_policy(policy).trials[trial].limited);
    }
}

void write_completeness(Metrics& out, const Figures& figures) {
    out.family("shard_complete", "gauge", "1 where all of a shard could be read from where it should be, else 0.");
    for (const SweptShard& shard : figures.shards) out.sample({{"shard", shard.name}}, shard.complete() ? 1 : 0);
    out.family("complete", "gauge", "1 where all shards could be read from where they should be, else 0.");
    out.sample({}, figures.footer.complete ? 1 : 0);
}

class PrometheusPrinter final : public Printer {
public:
    explicit PrometheusPrinter(Context& context) : context_(context) {}
    void take_heaviest(const WindowRow&, const Figures&) override {}
    void print(const Figures& figures) override {
        Metrics out(figures.deployment);
        write_windows(out, figures);
        write_used(out, figures);
        write_resets(out, figures);
        write_trials(out, figures);
        write_completeness(out, figures);
        context_.out().write(out.text());
        context_.out().flush();
    }

private:
    Context& context_;
};

}  // namespace

std::unique_ptr<Printer> make_prometheus_printer(Context& context) {
    return std::make_unique<PrometheusPrinter>(context);
}

}  // namespace ratectl::commands::stats
