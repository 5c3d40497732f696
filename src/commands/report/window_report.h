// Looks on their way to rows: judged, filtered, ordered or counted if asked, and what that means for the exit code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/outcome.h"
#include "commands/report/fields/window_fields.h"
#include "commands/report/kept_rows.h"
#include "commands/report/row_writer.h"
#include "commands/request/selection.h"
#include "commands/request/syntax.h"
#include "domain/node.h"
#include "domain/window.h"
#include "store/store.h"

namespace ratectl::commands {

/// What makes figures of the rows instead of printing them.
class RowReceiver {
public:
    virtual ~RowReceiver() = default;
    /// Every window that the filter accepts, as it comes.
    virtual void take(const WindowRow& row) = 0;
    /// At the end: those that --top or --sort kept, in their order.
    virtual void take_kept(const WindowRow& row) = 0;
    /// Prints. Called once, whatever has failed. `shards`: how far each was swept; empty where the sweep was given up.
    virtual void finish(const output::Footer& footer, std::span<const store::ShardProgress> shards) = 0;
};

struct ReportOptions {
    std::optional<std::string> sort;  // a column
    bool reverse = false;
    std::optional<std::string> top;    // N, by `sort` or used, largest first
    std::optional<std::string> first;  // N
    bool count = false;
    bool exit_status = false;
    bool continues = false;           // rows were printed before, by another run: they had a header
    bool whole_pages = false;         // --first goes on to the end of the page that it ends in
    RowReceiver* receiver = nullptr;  // in the place of a printed row; outlives the report
};
/// --sort, --reverse, --exit-status.
void bind_order(Syntax syntax, ReportOptions& options);

/// What makes a command's exit code 1 under --exit-status: a window that is limited or broken, or any.
enum class Attention { limited, any_row };

/// Why --exit-status cannot answer.
support::Error unknown_for_exit_status(const std::string& key);
/// Why the client of a corrupt window is told nothing.
support::Error untold_of_corrupt(const std::string& key);

class WindowReport {
public:
    /// Throws Failure (usage) for bad columns and numbers. The filter outlives the report.
    WindowReport(Context& context, const Filter& filter, const ReportOptions& options, Attention attention,
                 std::string_view narrow = {});

    /// Where and when the looks that follow were taken; node is null for a key that no shard has when all of them were
    /// asked.
    void come_from(const domain::Node* node, support::WallTime read_at, bool stale);
    /// One look. Throws Failure (configuration) when the filter needs a limit that is unknown; finish() still has to be
    /// called.
    void take(const domain::WindowLook& look, const KeyMeaning& meaning);
    void take(const SeenLook& seen) {
        come_from(seen.node, seen.read_at, seen.stale);
        take(seen.look, seen.meaning);
    }

    /// Whether the window of this key, which comes next, is the one that binds its client (see binding_of()).
    void bind(const std::string& key, std::optional<bool> binding) { binding_[key] = binding; }

    /// Whether counters alone can ever tell that a window will not be shown.
    bool can_pass_over() const;
    /// True when no look at a window with this counter could make it a row.
    bool passes_over(std::string_view counter, const KeyMeaning& meaning) const;
    /// The same of a window that has no counter.
    bool passes_over_without_counter() const;
    /// One more window is taken, without a look at it.
    void count_taken() { ++taken_; }
    /// From now on windows are counted by count_taken() alone, those that are looked at, too.
    void count_apart() { counts_apart_ = true; }
    /// True when --first has what it wanted.
    bool satisfied() const;
    /// True when rows are held back until the end.
    bool keeps_rows() const { return kept_ != nullptr || count_ || receiver_ != nullptr; }
    /// Shows what is there so far.
    void flush();

    /// Something beside the windows themselves is to be looked at: 1 under --exit-status.
    void call_attention() {
        if (exit_status_) outcome_.attend();
    }
    /// What is counted by other names than what is shown may be less, while windows come and go.
    std::uint64_t taken() const { return std::max(taken_, shown_); }
    std::uint64_t shown() const { return shown_; }
    /// Of the whole command, which adds to it what is not about windows.
    Outcome& outcome() { return outcome_; }

    /// Prints what was held back, ends the output and says how the command ends. `complete`: nothing is missing but the
    /// failures.
    ExitCode finish(bool complete, std::span<const store::ShardProgress> shards = {});

private:
    struct Place {
        domain::Node node;
        std::string address;
        std::string stale_shard;  // how people see the shard of a stale row
        std::optional<domain::Role> role;
    };
    static constexpr std::uint32_t kNowhere = static_cast<std::uint32_t>(-1);
    /// What the looks that come share.
    struct Origin {
        std::uint32_t place = kNowhere;  // index into places_
        support::WallTime read_at{};
        bool stale = false;
        bool operator==(const Origin&) const = default;
    };
    /// What decided the columns of the row before.
    struct Written {
        Origin origin;
        domain::LookDepth depth = domain::LookDepth::light;
        const domain::Policy* policy = nullptr;
        const char* client_class = nullptr;
        const char* limit_source = nullptr;
        std::optional<std::int64_t> limit;
        domain::WindowState state{};
        bool exhausted = false;
        std::optional<support::Instant> reset_at;
        support::Instant now{};
        bool plain = false;      // a light look at a sound window, whose client's other windows were not asked for
        bool limitless = false;  // no policy, no limit
        const domain::Limiter* limiter = nullptr;

        /// What is as it was before, as window_fields() has it.
        unsigned facts_of(const Written& before) const;
    };

    std::uint32_t place_of(const domain::Node* node);
    const KeptRow* least_used_of_full() const;
    WindowRow make_row(const domain::WindowLook& look, const domain::Window& window, const KeyMeaning& meaning) const;
    void write(const WindowRow& row);
    void keep(const WindowRow& row);
    void print_kept();
    void print_count(bool complete);
    void note_attention(const domain::WindowLook& look, const domain::Window& window);

    Context& context_;
    const config::Settings& settings_;
    const Filter& filter_;
    Attention attention_kind_;
    bool exit_status_;
    bool count_;
    bool whole_pages_;
    bool descending_ = false;
    std::optional<std::uint64_t> top_;
    std::optional<std::uint64_t> first_;
    std::optional<output::Field<WindowRow>> order_;  // the column that rows are ordered by
    RowReceiver* receiver_;
    std::optional<RowWriter<WindowRow>> rows_;  // null with --count or a receiver
    bool human_ = false;

    std::deque<Place> places_;
    Origin origin_;
    support::Moment now_{};  // at the origin
    std::optional<Written> written_;
    std::unique_ptr<KeptRows> kept_;  // null: rows are written as they come
    KeptRow keeping_;
    bool by_used_ = false;  // kept_ has the rows with most used
    Outcome outcome_;
    std::uint64_t taken_ = 0;
    bool counts_apart_ = false;
    std::uint64_t shown_ = 0;
    std::map<std::string, std::optional<bool>, std::less<>> binding_;  // by key
    std::optional<std::string> unknown_limit_key_;                     // --exit-status could not tell for this one
};

}  // namespace ratectl::commands
