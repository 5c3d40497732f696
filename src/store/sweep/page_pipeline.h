// One channel's share of a sweep: SCANs and looks in one stream of commands, so that the server always has the next one
// at hand.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include "redis/channel.h"
#include "store/cursor_guard.h"
#include "store/sweep/page_size.h"
#include "store/sweep/sweep_page.h"
#include "support/hash_set.h"

namespace ratectl::store {

/// Remembers 64 bits a window, at most 8 MiB; what comes when it is full is not remembered, and costs a question later.
class PairFilter {
public:
    /// True when the other half was seen before (it is forgotten then); else this half is remembered. The same half
    /// seen again counts as the other one, which is right for a caller that has asked for the other half of the first.
    bool pairs(std::string_view window) {
        const auto hash = std::hash<std::string_view>{}(window);
        if (alone_.erase(hash)) return true;
        alone_.insert(hash);
        return false;
    }

private:
    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 20U;

    support::HashSet alone_{kFirstSlots, kMostSlots};
};

/// A page goes through SCAN, perhaps the counters alone, and the looks. The SCAN of the next page leaves as soon as its
/// cursor is known, the commands about what the last one found as soon as those before them are answered: while the
/// server is at the one, the other arrives, and it looks at its other clients in between. Replies come in the order of
/// the commands, pages are handed over in the order of their cursors.
class PagePipeline {
public:
    using Done = redis::Outcome<void>;
    using Clock = std::chrono::steady_clock;

    /// What the pipeline needs of the sweep that it belongs to.
    class Owner {
    public:
        virtual ~Owner() = default;
        /// Takes a page whose looks are all there.
        virtual void deliver(std::unique_ptr<SweepPage> page) = 0;
        /// Whether a window whose counter is this (null: there is none) is worth a look at both halves.
        virtual bool wants(std::string_view key, std::string_view counter) = 0;
        /// By name: whether a window, found by its expiry half, is worth a look if it has no counter.
        virtual bool wants_without_counter(std::string_view key, std::string_view expiry) = 0;
        /// Wanted, and lost with the connection before it could be looked at. `expiry`: by wants_without_counter().
        virtual void carry_over(std::string_view key, bool expiry) = 0;
        /// Pages that have not been taken yet.
        virtual std::size_t waiting() const = 0;
        /// Something has to be known before the next request may leave: ask() finds it out.
        virtual bool has_to_ask() const = 0;
        virtual asio::awaitable<void> ask() = 0;
        /// The looks at this page are about to leave.
        virtual void leaves(SweepPage& page) = 0;
        /// Whether the server has to say with each step of a page whose data it shows; its answer to INFO replication.
        virtual bool wants_history() const = 0;
        virtual void hear_history(std::string_view info) = 0;
        /// Until then at the latest; also when a page is taken, or the sweep is over.
        virtual asio::awaitable<void> sleep_until(Clock::time_point latest) = 0;
    };

    /// `pace` is null where nothing limits us. All of them outlive the pipeline.
    PagePipeline(ScanState& state, redis::Channel& channel, PageSize& page_size, CursorGuard& guard, Pace* pace,
                 Owner& owner);

    /// From this cursor to the end, to the first fault, or until the sweep is over. `again`: the first page was too
    /// much for the time that there is; the server need not compare its names, which may be what takes so long.
    asio::awaitable<Done> run(const std::string& cursor, bool again);
    /// The same over every window's counter first.
    static bool has_two_phases(const ScanQuestion& question) {
        return question.worth_a_look && !question.orphan_counters && question.depth == domain::LookDepth::light;
    }
    /// Replies are still on their way: the channel is of no other use.
    bool is_dry() const { return awaited_.empty(); }

private:
    using Stage = SweepPage::Stage;
    enum class Kind { history, size, clock_before, clock_after, scan, counters, partners, looks };
    /// A reply, or those of one group of windows, that the server owes us.
    struct Awaited {
        Kind kind = Kind::scan;
        SweepPage* page = nullptr;
        std::size_t first = 0;  // window of the page
        std::size_t count = 0;
    };

    bool may_scan() const;
    bool is_free() const { return pace_ == nullptr || pace_->free_at() <= Clock::now(); }
    void ask_scan();
    void ask_next_stage();
    void ask_stage(SweepPage& page);
    void ask_group(SweepPage& page, std::size_t first, std::size_t count);
    std::size_t windows_together(const SweepPage& page, std::size_t first, std::size_t most,
                                 std::optional<std::uint16_t>& slot) const;
    bool is_left_for_later(const redis::Fault& refusal, const Awaited& awaited);
    bool is_scattered(std::string_view window);
    void ask_clock(SweepPage& page, Kind kind, std::size_t count);
    void ask_history(SweepPage& page);
    asio::awaitable<Done> send();
    asio::awaitable<Done> step();
    asio::awaitable<Done> send_all_that_may_go();
    asio::awaitable<void> rest();
    asio::awaitable<Done> receive();
    asio::awaitable<Done> receive_found(SweepPage& page);
    asio::awaitable<Done> receive_looks(const Awaited& awaited);
    asio::awaitable<Done> receive_light_looks(schemes::Scheme::LightLooks& values);
    Done judge_light_looks(const schemes::Scheme::LightLooks& values) const;
    asio::awaitable<Done> receive_all_looks(std::span<const std::string> keys, std::span<domain::WindowLook> looks);
    Done take(const Awaited& awaited);
    Done take_found(SweepPage& page);
    void leave_out_long_names(SweepPage& page) const;
    Done take_size();
    bool is_asked_about(std::string_view scanned, std::string_view window, bool scan_key);
    Done take_counters(const Awaited& awaited);
    Done take_partners(const Awaited& awaited);
    void put_anchors_first(SweepPage& page);
    void take_clock(const Awaited& awaited);
    bool is_answered(SweepPage& page);
    void next_stage(SweepPage& page, Stage stage);
    void hand_over();
    void keep_promises();
    redis::Fault refused(const redis::Reply& reply, std::string_view command) const;
    redis::Fault odd_reply(std::string_view command) const;

    ScanState& state_;
    redis::Channel& channel_;
    PageSize& page_size_;
    CursorGuard& guard_;
    Pace* pace_;
    Owner& owner_;
    bool two_phases_;
    bool by_name_;
    bool matches_ = true;  // the server is told the pattern
    bool measures_;
    std::string cursor_;  // of the next SCAN
    bool scan_wanted_ = true;
    std::size_t scans_ = 0;
    std::deque<std::unique_ptr<SweepPage>> pages_;  // by cursor
    std::deque<SweepPage*> to_ask_;                 // whose stage has not been asked for
    std::size_t stages_asked_ = 0;                  // pages whose stage has been asked for and is not answered
    std::deque<Awaited> awaited_;
    Clock::time_point next_send_{};
    redis::Request request_;
    redis::Reply scan_reply_;
    redis::Reply facts_reply_;
    redis::Reply counters_reply_;
    redis::Reply partners_reply_;
    PairFilter pairs_;
    redis::Reply values_reply_;
    std::vector<redis::Reply> look_replies_;
    std::chrono::microseconds clock_before_{};
};

}  // namespace ratectl::store
