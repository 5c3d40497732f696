// The sweep in search of faulty windows: a cheap look at all of them, an atomic one at suspects, and the other shards'
// word on copies.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/doctor/report.h"
#include "commands/doctor/servers.h"
#include "commands/sweep/duplicate_finder.h"
#include "commands/sweep/subject.h"
#include "store/store.h"
#include "store/stranded.h"

namespace ratectl::commands::doctor {

/// How many windows of a sample.
struct Sample {
    std::optional<std::uint64_t> windows;  // over all shards
    std::optional<double> percent;         // of the keys that a server counts
};

struct WindowQuestion {
    std::optional<std::string>
        glob;  // null: what some policy's template matches; without policies: pairs, and halves with a number
    std::vector<std::size_t> shards;  // empty: all
    domain::ReadFrom scan_from;
    domain::ReadFrom verify_from;  // suspects are looked at there
    std::optional<Sample> sample;
    std::chrono::microseconds max_latency{1000};
    std::optional<std::uint64_t> ops;
    /// Dump files instead of the store: each look is full and final.
    std::function<std::unique_ptr<store::ScanStream>(store::ScanQuestion)> offline;
};

class WindowSurvey {
public:
    using Take = std::function<void(FindingRow row, std::size_t shard)>;
    /// All that is given outlives it. `take` gets each finding, wanted or not.
    WindowSurvey(WindowQuestion question, const Servers& servers, const Classes& wanted, FindingReport& report,
                 Take take, Context& context);
    /// To the end, or to the stop signal. Throws Failure where the question itself is wrong.
    void run();

    std::uint64_t windows() const { return windows_; }
    /// Keys that are none of the windows it was asked about.
    std::uint64_t left_out() const { return left_out_; }
    std::size_t shards() const { return shards_; }
    /// Shards that were not swept to their end, by name.
    const std::set<std::string>& incomplete() const { return incomplete_; }
    /// Windows that looked faulty in the sweep and could not be looked at again, by shard.
    const std::map<std::string, std::uint64_t>& unjudged() const { return unjudged_; }
    /// Primaries that did not tell of windows that no client is led to.
    std::size_t silent() const { return silent_; }
    bool sampled() const { return question_.sample.has_value(); }

private:
    /// A window that may be faulty.
    struct Suspect {
        std::string key;
        std::size_t shard = 0;
        bool misplaced = false;
        bool sighted = false;  // its key was seen before
    };
    /// The same, looked at again.
    struct Case {
        Suspect suspect;
        domain::WindowLook look;
        domain::Node node;
        support::WallTime read_at{};
        KeyMeaning meaning;
        std::vector<domain::Finding> findings;
    };

    store::ScanQuestion scan_question();
    void read(store::ScanStream& stream);
    void take(const domain::WindowLook& look, const store::ScanPage& page);
    void take_final(Case one);
    void deliver_kept();
    bool is_misplaced(std::string_view key, std::size_t found_on) const {
        // A Redis Cluster leads every client to where the key is.
        const auto home = directory_.leads_to_keys() ? std::nullopt : directory_.place_of(key);
        return home && home->shard != found_on;
    }
    bool sample_is_full(std::size_t shard) const;
    bool whole_sample_is_full(const store::ScanStream& stream) const;
    void set_quotas();
    void examine();
    void diagnose(Case& one) const;
    void leave_out_clashes(std::vector<Case>& cases);
    void find_copies(std::vector<Case>& cases);
    void name_copies(Case& one, std::span<const store::LookAnswer> answers);
    void deliver(const Case& one);
    void find_stranded();
    void report_stranded();
    void after_page(const store::ScanStream& stream);
    void note_end(const store::ScanStream& stream);
    void count_masked(const store::ScanStream& stream);

    WindowQuestion question_;
    const Servers& servers_;
    const Classes& wanted_;
    FindingReport& report_;
    Take take_;
    Context& context_;
    const config::Settings& settings_;
    const store::Directory& directory_;
    Filter everything_;
    SweepSubject subject_;
    Surroundings surroundings_;
    bool compares_ = false;     // without a map, or offline: copies are found by their second sighting
    bool only_copies_ = false;  // a second sweep, for keys that memory had no room for
    DuplicateFilter filter_;
    std::vector<Suspect> suspects_;
    std::size_t suspect_bytes_ = 0;                // of their keys
    std::vector<Case> kept_;                       // offline: what may turn out to be a clash of suffixes
    std::set<std::string> clashing_;               // offline: keys that are both a counter and an expiry half
    std::map<std::size_t, std::uint64_t> quotas_;  // of a sample, by shard; empty: none
    std::map<std::size_t, std::uint64_t> taken_;   // of a sample, by shard
    std::uint64_t windows_ = 0;
    std::uint64_t left_out_ = 0;
    std::size_t shards_ = 0;
    std::set<std::string> incomplete_;
    std::map<std::string, std::uint64_t> unjudged_;
    store::StrandedWindows stranded_;
    std::size_t silent_ = 0;
    support::WallTime started_{};
    support::WallTime last_progress_{};
};

}  // namespace ratectl::commands::doctor
