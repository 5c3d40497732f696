// Finds out what became of calls whose replies were lost.
// TIME first, then the operation keys, then the witness and the marks of loss: in this order an absent key proves
// something.
#include "store/writes/lost_replies.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "redis/reply_class.h"
#include "schemes/operation_key.h"
#include "store/cluster/questions.h"

namespace ratectl::store {
namespace {

using support::ExitCode;
using support::Milliseconds;
using Clock = std::chrono::steady_clock;

// For a server's clock that is set back a little while we wait.
constexpr Milliseconds kClockMargin{20};
constexpr Milliseconds kFirstInquiryPause{10};
constexpr Milliseconds kLongestInquiryPause{200};
constexpr Milliseconds kShortestTry{30};
// A short --timeout is for answers; to call an outcome unknown takes more than one moment of silence.
constexpr Milliseconds kShortestBudget{500};
// One connection that hangs must not use up the time of those that would not.
constexpr int kTries = 4;

// It spoke Redis a moment ago; so whatever breaks now is taken for the network, unless it is plainly said.
bool worth_asking_again(const redis::Fault& fault) {
    return fault.error.code == ExitCode::unavailable || fault.error.code == ExitCode::protocol;
}

}  // namespace

class LostCallResolver {
public:
    LostCallResolver(std::shared_ptr<Core> core, const WriteTarget& target, std::span<const LostCall> calls,
                     const redis::Fault& lost)
        : core_(std::move(core)), target_(target), calls_(calls), lost_(lost) {
        findings_.of_calls.resize(calls.size());
        open_.resize(calls.size(), true);
        auto last = Clock::now();
        for (const auto& call : calls) last = std::max(last, call.end);
        budget_ = std::max(core_->options.timeout, kShortestBudget);
        give_up_ = last + budget_;
        if (core_->options.deadline) give_up_ = std::min(give_up_, *core_->options.deadline);
    }

    asio::awaitable<Findings> run() {
        if (target_.node.endpoint.proxied) give_up_on_rest("through a proxy it cannot be found out");
        Milliseconds pause = kFirstInquiryPause;
        while (left() > 0) {
            const auto asked = co_await ask_once();
            if (left() == 0) break;
            if (core_->hurried()) {
                give_up_on_rest(core_->interrupted().message);
            } else if (!asked && !worth_asking_again(asked.error())) {
                give_up_on_rest(asked.error().error.message);
            } else if (Clock::now() >= give_up_) {
                if (!asked) core_->remember_dead(target_.node, asked.error());
                give_up_on_rest(asked ? "" : "it has not answered since");
            } else {
                co_await sleep_until(std::min(give_up_, wake_for_deadlines(pause)));
                pause = std::min(pause * 2, kLongestInquiryPause);
            }
        }
        if (!sound_) findings_.channel = {};
        co_return std::move(findings_);
    }

private:
    using Done = redis::Outcome<void>;

    std::ptrdiff_t left() const { return std::count(open_.begin(), open_.end(), true); }

    support::Deadline end_of_try() const {
        auto share = std::max(budget_ / kTries, kShortestTry);
        if (round_trip_) share = std::max(share, *round_trip_ * 4);
        return std::min(Clock::now() + share, give_up_);
    }

    void give_up_on_rest(const std::string& why) {
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if (open_[i]) leave_unknown(i, why);
        }
    }

    void leave_unknown(std::size_t i, const std::string& why) {
        auto& finding = findings_.of_calls[i];
        finding.kind = Finding::Kind::unknown;
        finding.why = lost_.error;
        if (!why.empty()) finding.why.message += "; " + why;
        open_[i] = false;
        sound_ = false;
    }

    asio::awaitable<Done> ask_once() {
        const auto deadline = end_of_try();
        if (!findings_.channel) {
            node_ = core_->directory->primary(target_.shard);
            auto opened = co_await core_->connector->open(node_, deadline);
            if (!opened) {
                const bool moved = co_await has_successor(core_, target_.shard, node_, opened.error());
                if (moved)
                    give_up_ =
                        std::min(Clock::now() + budget_, core_->options.deadline.value_or(support::Deadline::max()));
                co_return redis::fault(std::move(opened.error()));
            }
            findings_.channel = Lease(core_->pool, node_, std::move(*opened));
            round_trip_ = findings_.channel->facts().round_trip;
            findings_.clock = findings_.channel->facts().clock;
        }
        change_ = changed_since(findings_.channel->facts(), target_);
        if (change_) {
            const bool elsewhere = co_await is_elsewhere();
            if (elsewhere) co_return Done{};
            sound_ = false;
            if (findings_.channel->facts().role == domain::Role::replica) {
                give_up_on_rest(*change_);
                co_return Done{};
            }
        }
        auto judged = co_await question(deadline);
        if (!judged) findings_.channel = {};
        co_return judged;
    }

    // A primary that the directory has named since then is another process by right.
    asio::awaitable<bool> is_elsewhere() {
        if (channel_name(node_) != channel_name(target_.node)) co_return false;
        const Place place{target_.shard};
        const redis::Redirect other{redis::Redirect::Kind::other_server};
        const bool again = co_await core_->directory->redirected(core_, place, other);
        if (again) findings_.channel = {};
        co_return again;
    }

    asio::awaitable<Done> question(support::Deadline deadline) {
        redis::Request request;
        request.add({"TIME"});
        std::vector<std::size_t> asked;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if (!open_[i]) continue;
            request.add({"GET", schemes::operation_key(calls_[i].id)});
            asked.push_back(i);
        }
        const auto witness = witness_there();
        if (witness) request.add({"EXISTS", schemes::operation_key(*witness)});
        ask_eviction_marks(request);
        const auto sent_at = Clock::now();
        auto replies = co_await findings_.channel->exchange(request, deadline);
        if (!replies) {
            findings_.channel->close();
            co_return redis::fault(std::move(replies.error()));
        }
        std::vector<std::size_t> gone;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto& reply = (*replies)[i + 1];
            if (!reply.is_error()) continue;
            auto fault = redis::fault_from_reply(reply.text, findings_.channel->where(), "GET");
            if (!fault.redirect) co_return redis::fault(std::move(fault));
            gone.push_back(asked[i]);
        }
        if (const auto clock = redis::read_clock((*replies)[0], sent_at, Clock::now())) findings_.clock = clock;
        const auto time = redis::parse_time((*replies)[0]);
        const auto marks = read_eviction_marks(std::span(*replies).last(kEvictionMarkReplies));
        const auto answers = std::span(*replies).subspan(1, asked.size());
        vouched_ = vouched_ || std::ranges::any_of(answers, &redis::Reply::is_text);
        const bool doubtful = witness ? (*replies)[asked.size() + 1].integer != 1 : !vouched_ && deleted_since(marks);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            if (!answers[i].is_error()) judge(asked[i], answers[i], time, marks, doubtful);
        }
        if (!gone.empty()) co_await ask_where_slots_are(std::move(gone), time);
        co_return Done{};
    }

    // An operation key goes with its slot. The node that has that now tells what was done, but not what was not: keys
    // that are deleted on the way, or there, are not known of here.
    asio::awaitable<void> ask_where_slots_are(std::vector<std::size_t> gone, std::optional<support::WallTime> time) {
        std::vector<std::string> names;
        names.reserve(gone.size());
        for (const auto i : gone) names.push_back(schemes::operation_key(calls_[i].id));
        const auto found = co_await read_keys(core_, names);
        for (std::size_t k = 0; k < gone.size(); ++k) {
            if (!found) {
                if (Clock::now() >= give_up_) leave_unknown(gone[k], "its slot has left; " + found.error().message);
            } else if ((*found)[k]) {
                take(gone[k], *(*found)[k], true);
            } else if (is_past(calls_[gone[k]], time).value_or(true)) {
                leave_unknown(gone[k],
                              "its slot is on its way to another node, or there by now, and no record of it is found");
            }
        }
    }

    // A key of ours that is still there says that keys which are deleted there are not ours; one that is gone, that
    // ours are.
    std::optional<domain::SliceId> witness_there() const {
        const auto known = core_->written.find(target_.shard);
        return known == core_->written.end() ? std::nullopt : known->second.fresh_witness();
    }

    bool deleted_since(const std::optional<EvictionMarks>& marks) const {
        return target_.marks && marks && may_have_deleted_keys(*target_.marks, *marks);
    }

    void judge(std::size_t i, const redis::Reply& stored, std::optional<support::WallTime> time,
               const std::optional<EvictionMarks>& marks, bool doubtful) {
        if (stored.is_text()) return take(i, stored.text);
        if (change_) return leave_unknown(i, *change_);
        const auto past = is_past(calls_[i], time);
        if (!past) return leave_unknown(i, "the server does not tell the time");
        if (!*past) return;
        if (may_have_lost_keys(target_.marks, marks)) {
            return leave_unknown(
                i, "the server has evicted or removed keys since, the operation's own perhaps among them");
        }
        if (doubtful) {
            return leave_unknown(i,
                                 "keys were deleted there since, or moved away (DEL, UNLINK, MIGRATE), the "
                                 "operation's own perhaps among them");
        }
        findings_.of_calls[i].kind = Finding::Kind::absent;
        open_[i] = false;
    }

    void take(std::size_t i, std::string_view stored, bool elsewhere = false) {
        auto record = schemes::decode_operation(calls_[i].id, stored);
        if (!record) return leave_unknown(i, record.error().message);
        findings_.of_calls[i] = {Finding::Kind::applied, std::move(*record), elsewhere, {}};
        open_[i] = false;
    }

    /// Its server carries it out no more; null: that does not tell the time.
    static std::optional<bool> is_past(const LostCall& call, std::optional<support::WallTime> time) {
        if (call.over) return true;
        if (!call.late_after_ms || !time) return std::nullopt;
        return time->time_since_epoch() > Milliseconds(*call.late_after_ms) + kClockMargin;
    }

    // Not later than the moment at which the server's clock has passed all deadlines.
    support::Deadline wake_for_deadlines(Milliseconds pause) const {
        auto wake = Clock::now() + pause;
        if (!findings_.clock) return wake;
        std::optional<support::Deadline> passed;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if (!open_[i] || !calls_[i].late_after_ms) continue;
            const support::WallTime late{Milliseconds(*calls_[i].late_after_ms) + kClockMargin + Milliseconds(2)};
            const auto at = findings_.clock->ours + (late - findings_.clock->server);
            passed = passed ? std::max(*passed, at) : at;
        }
        return passed && *passed > Clock::now() ? std::min(*passed, wake) : wake;
    }

    // In short steps: a second wish to stop is heeded at once.
    asio::awaitable<void> sleep_until(support::Deadline wake) {
        constexpr Milliseconds step{50};
        asio::steady_timer timer(core_->loop.executor());
        while (!core_->hurried() && Clock::now() < wake) {
            timer.expires_at(std::min(wake, Clock::now() + step));
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

    std::shared_ptr<Core> core_;
    const WriteTarget& target_;
    std::span<const LostCall> calls_;
    const redis::Fault& lost_;
    Findings findings_;
    domain::Node node_;  // that the channel leads to
    std::vector<bool> open_;
    Milliseconds budget_{0};
    support::Deadline give_up_;
    std::optional<Milliseconds> round_trip_;
    bool sound_ = true;
    std::optional<std::string> change_;  // why the server is not the process that was found fit
    bool vouched_ = false;               // an operation key of these calls was there
};

asio::awaitable<Findings> find_out(std::shared_ptr<Core> core, const WriteTarget& target,
                                   std::span<const LostCall> calls, const redis::Fault& lost) {
    LostCallResolver resolver(std::move(core), target, calls, lost);
    co_return co_await resolver.run();
}

}  // namespace ratectl::store
