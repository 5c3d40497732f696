// Sweep after sweep over all windows, and looks at some of them in between: what the ranking is made of. Never waits
// for a server by itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "commands/sweep/sweep.h"
#include "commands/top/picture.h"
#include "commands/top/ranking.h"
#include "store/store.h"
#include "support/time.h"

namespace ratectl::commands::top {

/// What a sweep is to find.
struct Wanted {
    Order order;
    std::string filter;  // see View
};

class Sweeps {
public:
    /// Keeps the first `most` windows of an order. The question and the filter outlive it.
    Sweeps(const SweepQuestion& question, const Filter& filter, std::size_t most, Context& context);

    void begin(Wanted wanted);
    bool under_way() const { return stream_ != nullptr; }
    /// Looks once more at these of windows(), by their number.
    void look_at(std::span<const std::size_t> numbers);
    bool looking() const { return !asked_.empty(); }
    /// Lets the servers answer for so long, or until there is something to take.
    void wait(support::Milliseconds length);
    /// Takes what is there. True: there is more to see than before.
    bool take();

    /// Brings windows() up to what the first sweep has found so far.
    void catch_up();
    /// Those of the last sweep, or so far of the first one; as they were seen last.
    const std::vector<RankedWindow>& windows() const { return windows_; }
    /// How long the last sweep was under way.
    support::Milliseconds took() const { return last_.took; }
    SweepPicture picture(support::WallTime now) const;
    /// The application's clock at that moment.
    support::WallTime clock(support::WallTime at) const { return clock_.at(at); }

    struct Trouble {
        domain::Node node;
        support::Error error;
    };
    /// By shard: those that the last sweep could not read to the end, or the looks since.
    std::vector<Trouble> troubles() const;
    /// Whether the last sweep, or the first one so far, has read anything.
    bool has_answer() const { return answered_; }

private:
    static constexpr std::size_t kMostRemembered = 1'000'000;

    void take_page(const store::ScanPage& page);
    void take_look(const domain::WindowLook& look, const store::ScanPage& page, const domain::Node* node);
    void rank(const domain::WindowLook& look, const domain::Window& window, const store::ScanPage& page,
              const domain::Node* node);
    void remember(std::size_t hash, const domain::UseSample& sample, domain::BurnRate& use);
    void publish();
    void end();
    bool take_looks();
    void note(const domain::Node& node, const support::Error& error);
    void note_failures();
    const domain::Node* kept(const domain::Node& node);

    const SweepQuestion& question_;
    const Filter& filter_;
    std::size_t most_;
    Context& context_;
    const config::Settings& settings_;
    SweepSubject subject_;
    support::RunningClock clock_;

    std::unique_ptr<store::ScanStream> stream_;
    std::optional<Ranking> ranking_;
    Wanted wanted_;
    std::size_t failures_seen_ = 0;
    std::uint64_t found_ = 0;
    std::uint64_t exhausted_ = 0;
    support::WallTime began_{};

    SweepPicture last_;
    std::optional<support::WallTime> ended_;
    std::vector<RankedWindow> windows_;
    bool answered_ = false;
    /// Of all windows, where they are ranked by rate: what the sweep before saw, and this one.
    std::unordered_map<std::size_t, domain::UseSample> seen_before_;
    std::unordered_map<std::size_t, domain::UseSample> seen_;

    std::unique_ptr<store::LookStream> looks_;
    std::map<std::uint64_t, std::string> asked_;  // number of the question -> id of the window
    std::uint64_t questions_ = 0;
    bool looks_broken_ = false;

    std::map<std::string, Trouble> troubles_;  // of the last sweep, by shard
    std::map<std::string, Trouble> found_troubles_;
    std::map<std::string, domain::Node> nodes_;
};

}  // namespace ratectl::commands::top
