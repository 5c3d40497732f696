// What a sweep came to in figures: groups by shard and policy, resets ahead, and the heaviest windows for printing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/report/fields/stats_fields.h"
#include "commands/report/window_report.h"
#include "domain/statistics.h"
#include "output/row_sink.h"

namespace ratectl::commands::stats {

inline constexpr std::array kStates{
    domain::WindowState::open,     domain::WindowState::exhausted,      domain::WindowState::closed,
    domain::WindowState::negative, domain::WindowState::orphan_counter, domain::WindowState::orphan_expiry,
    domain::WindowState::leaked,   domain::WindowState::corrupt,
};

/// Figures over some windows. A live one is one that counts now: what is used of it, and what follows from that, is
/// told of live ones only.
struct Group {
    std::array<std::uint64_t, kStates.size()> states{};
    domain::Distribution used;
    std::array<std::uint64_t, domain::kLimitBands> bands{};
    std::vector<domain::TrialCount> trials;  // as Figures::trials

    void add(const Group& other);
    std::uint64_t windows() const;
    std::uint64_t live() const { return used.count(); }
    std::uint64_t in(domain::LimitBand band) const { return bands[static_cast<std::size_t>(band)]; }
    std::uint64_t exhausted() const { return in(domain::LimitBand::exhausted); }
};

/// A limit that is tried: today's (the first), or one of --at-limit.
struct Trial {
    std::string name;  // `today`, `20`, `80%`
    domain::LimitTrial limit;

    /// How many requests would be let through in this window; null: a share of a limit that is unknown.
    std::optional<std::int64_t> most_let_through(const WindowRow& row) const;
};

struct SweptShard {
    std::string name;
    unsigned weight = 1;
    bool missing = false;  // something of it could not be read
    bool stale = false;    // it was read from a replica that may be behind, for want of another node

    bool complete() const { return !missing && !stale; }
};

struct Figures {
    std::string deployment;
    support::Instant now{};  // of the earliest look, on the application's clock; without any the present
    std::vector<Trial> trials;
    std::vector<SweptShard> shards;
    std::vector<std::string> policies;  // the last is empty: keys that no policy matches
    std::vector<Group> cells;           // by shard, then by policy
    domain::ResetTimes resets;          // of live windows that end
    output::Footer footer;

    const Group& cell(std::size_t shard, std::size_t policy) const { return cells[shard * policies.size() + policy]; }
    Group of_shard(std::size_t shard) const;
    Group of_policy(std::size_t policy) const;
    Group total() const;
    domain::Balance balance() const;  // of shards of which nothing is missing
    bool any_missing() const;
    bool any_stale() const;
    /// Those that have a policy's name, or windows.
    std::vector<std::size_t> shown_policies() const;
};

/// A share in percent; 0 of nothing.
double percent_of(std::uint64_t part, std::uint64_t whole);

/// A format: told of the heaviest live windows, most used first, and then of the figures.
class Printer {
public:
    virtual ~Printer() = default;
    virtual void take_heaviest(const WindowRow& row, const Figures& so_far) = 0;
    virtual void print(const Figures& figures) = 0;
};

/// Counts what the sweep shows. Memory grows with shards, policies and different reset times, not with windows.
class Collector final : public RowReceiver {
public:
    /// `shards`: indices into the places, those that are swept.
    Collector(Context& context, const std::vector<std::size_t>& shards, std::vector<Trial> trials, Printer& printer);
    void take(const WindowRow& row) override;
    void take_kept(const WindowRow& row) override;
    void finish(const output::Footer& footer, std::span<const store::ShardProgress> shards) override;

private:
    std::size_t shard_of(std::string_view name);
    std::size_t policy_of(const WindowRow& row) const;

    Context& context_;
    const config::Settings& settings_;
    Printer& printer_;
    Figures figures_;
    Group empty_;
    std::size_t last_shard_ = 0;
    bool seen_any_ = false;
};

/// Every count with the bin or the name that it belongs to.
void write_rows(const Figures& figures, const std::function<void(const StatsRow&)>& write);

/// For the format json and for the page, as members of a JSON object: `"deployment":...,...,"at_limit":[...]`. Names as
/// in the manual, numbers as numbers, unknown is null.
std::string json_members(const Figures& figures);

std::unique_ptr<Printer> make_text_printer(Context& context);
std::unique_ptr<Printer> make_json_printer(Context& context);
std::unique_ptr<Printer> make_row_printer(Context& context);
std::unique_ptr<Printer> make_prometheus_printer(Context& context);
std::unique_ptr<Printer> make_page_printer(Context& context);

}  // namespace ratectl::commands::stats
