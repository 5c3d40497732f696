// The keys of a selection with the shards to look on, for commands that look at every node of a shard: named ones, or
// what a sweep finds.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "commands/sweep/seen_keys.h"
#include "commands/sweep/subject.h"
#include "store/store.h"

namespace ratectl::commands {

/// Named keys are placed where the application looks for them; where that is not known, on every shard, which is said
/// once. With --match or --all the servers are swept as `scan` does it, and a key stands on the shard that has it.
class PlacedKeys {
public:
    /// Selection, filter and context outlive it. Throws Failure (usage) where nothing is selected.
    /// `scan_from`: the nodes that a sweep reads where --from does not say; null: as configured.
    PlacedKeys(const Selection& selection, const Filter& filter, Context& context,
               const std::optional<domain::ReadFrom>& scan_from = {});
    ~PlacedKeys();
    PlacedKeys(const PlacedKeys&) = delete;
    PlacedKeys& operator=(const PlacedKeys&) = delete;

    /// Up to `most` keys, all shards of one key together (then a few more than `most`); empty at the end and after a
    /// stop signal. Policies, classes and shards that the filter excludes are left out, which is noted of named keys; a
    /// sweep judges the rest of the filter on what it saw, so that it need not be judged again.
    std::vector<store::KeyAt> next(std::size_t most);
    bool is_sweep() const { return stream_ == nullptr; }
    /// Shards that a sweep could not, or not wholly, see.
    const std::vector<store::NodeFailure>& failures() const;
    /// Whether the filter lets the window of a named key through, which is noted; what a sweep found is judged already.
    /// The looks at one key come one after the other.
    bool lets_through(std::string_view key, const domain::Window& window, support::Moment now);
    /// These, which next() gave, were not looked at any more: the command was stopped.
    void drop(std::span<const store::KeyAt> keys);
    /// Says which of the named keys were left out, and tells the outcome; `with_names`: and names them.
    void tell_left_out(Outcome& outcome, bool with_names = true);
    /// What a look at a named key shows, for tell_untold(), which is as KeyStream has it.
    void note_meant(std::string_view key, domain::WindowState state) {
        if (stream_) stream_->meant().note(key, state);
    }
    void tell_untold(Outcome& outcome) const {
        if (stream_) stream_->tell_untold(outcome);
    }
    /// Keys that a sweep has met and no policy knows.
    std::uint64_t left_out() const { return subject_.unknown(); }

private:
    std::vector<store::KeyAt> named(std::size_t most);
    std::vector<store::KeyAt> swept(std::size_t most);
    void take(const store::ScanPage& page);

    const Filter& filter_;
    Context& context_;
    SweepSubject subject_;
    std::unique_ptr<KeyStream> stream_;        // of named keys
    std::unique_ptr<store::ScanStream> scan_;  // of a sweep
    std::uint64_t dropped_ = 0;                // named keys
    std::deque<store::KeyAt> found_;
    SeenKeys seen_;  // a node that changes in mid-sweep is swept again
};

}  // namespace ratectl::commands
