// The directory of a deployment whose servers Redis Sentinel tells: asked when a place is first needed, from time to
// time, and whenever a primary turns out to be none any more.
#include <algorithm>
#include <utility>

#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <fmt/format.h>

#include "store/nodes/channel_pool.h"
#include "store/nodes/configured_directory.h"
#include "store/sentinel/hearing.h"

namespace ratectl::store {
namespace {

using sentinel::Word;
using Clock = std::chrono::steady_clock;

/// For so long what the sentinels said is taken for true, as long as the servers do not say otherwise.
constexpr std::chrono::seconds kFresh{2};
/// What sentinels that are slower than most others may take longer: that, and as long again.
constexpr support::Milliseconds kSentinelGrace{50};
/// While the sentinels are busy with a failover.
constexpr support::Milliseconds kPause{200};
constexpr std::chrono::seconds kSentinelPatience{10};
/// Longer than that is said.
constexpr std::chrono::seconds kSilentPatience{1};

/// The sentinels while they are asked; held by every question that is under way.
struct AskedSentinels {
    explicit AskedSentinels(const std::shared_ptr<Core>& core) : changed(core->loop.executor()), begun(Clock::now()) {}

    std::size_t told() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(*heard, [](const auto& each) { return each.word.has_value(); }));
    }
    bool all_ended() const {
        return std::ranges::all_of(*heard, [](const auto& each) { return each.word || each.refusal; });
    }
    /// Most of them are enough, and the others get a little more time.
    Clock::time_point patient_until() {
        if (told() * 2 <= heard->size()) return Clock::time_point::max();
        if (!enough_at) enough_at = Clock::now();
        return *enough_at + (*enough_at - begun) + kSentinelGrace;
    }

    /// Kept when the loop, and with it the timer, is gone.
    std::shared_ptr<std::vector<sentinel::Heard>> heard = std::make_shared<std::vector<sentinel::Heard>>();
    asio::steady_timer changed;
    Clock::time_point begun;
    std::optional<Clock::time_point> enough_at;
};

asio::awaitable<void> hear(std::shared_ptr<Core> core, std::shared_ptr<AskedSentinels> asked, std::size_t i,
                           std::string master) {
    auto heard = co_await sentinel::ask(core, (*asked->heard)[i].sentinel, master);
    (*asked->heard)[i] = std::move(heard);
}

class WatchedDirectory final : public ConfiguredDirectory {
public:
    WatchedDirectory(ConfiguredShards configured, Sentinels sentinels)
        : ConfiguredDirectory(std::move(configured)),
          sentinels_(std::make_shared<const Sentinels>(std::move(sentinels))),
          known_(places().size()) {}

    std::uint64_t epoch() const override { return epoch_; }
    bool is_known(std::size_t place, bool) const override {
        return known_[place].learned && Clock::now() - *known_[place].learned < kFresh;
    }
    Awaitable<void> learn(std::shared_ptr<Core> core, std::size_t place) override {
        co_await ask_all(std::move(core), place);
    }
    std::string_view teller() const override { return "the sentinels"; }
    bool is_told() const override { return true; }
    std::optional<support::Error> silence(std::size_t place) const override { return known_[place].silence; }
    std::optional<support::Error> doubt(std::size_t place) const override { return known_[place].doubt; }
    std::vector<SentinelReport> sentinel_reports() const override {
        std::vector<SentinelReport> reports;
        for (std::size_t i = 0; i < sentinels_->endpoints.size(); ++i) reports.push_back(report_of(i));
        return reports;
    }
    /// A failover that is under way is waited for.
    Awaitable<bool> redirected(std::shared_ptr<Core> core, Place place, redis::Redirect redirect) override {
        const auto before = channel_name(primary(place.shard));
        const auto begun = Clock::now();
        const auto until =
            std::min(begun + kSentinelPatience, core->options.deadline.value_or(support::Deadline::max()));
        while (true) {
            const auto word = co_await ask_all(core, place.shard);
            if (channel_name(primary(place.shard)) != before) co_return true;
            const bool is_busy =
                word && (word->is_down || word->is_failing_over || redirect.kind == redis::Redirect::Kind::read_only);
            if (!is_busy || core->stopping() || Clock::now() + kPause > until) co_return false;
            if (Clock::now() - begun > kSilentPatience) core->notice(waiting_for(place.shard));
            asio::steady_timer timer(core->loop.executor(), kPause);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

private:
    support::Error waiting_for(std::size_t place) const {
        return {support::ExitCode::unavailable,
                fmt::format("shard '{}': {} is named as the primary, and is none or does not answer: a failover is "
                            "waited for, {} s at most",
                            name_of(place), primary(place).name(), kSentinelPatience.count()),
                "--deadline makes that shorter"};
    }

    SentinelReport report_of(std::size_t i) const {
        SentinelReport report{sentinels_->endpoints[i]};
        for (std::size_t place = 0; place < known_.size(); ++place) {
            const auto& master = sentinels_->masters[place];
            const auto* heard = known_[place].heard ? &(*known_[place].heard)[i] : nullptr;
            if (heard == nullptr || (!heard->word && !heard->refusal)) {
                report.awaited.push_back(master);
            } else if (heard->word) {
                report.told.push_back(master);
                const auto counts = sentinel::Hearing(*known_[place].heard, {}, {}).newest();
                const auto primary = heard->word->primary.text();
                if (primary != counts->primary.text())
                    report.others.push_back(
                        fmt::format("{} at {} and not at {}", master, primary, counts->primary.text()));
            } else if (heard->refusal->is_unknown) {
                report.unknown.push_back(master);
                report.watched = heard->refusal->watched;
            } else {
                report.error = heard->refusal->error;
            }
        }
        return report;
    }

    /// What counts of their words; null: there is none.
    asio::awaitable<std::optional<Word>> ask_all(std::shared_ptr<Core> core, std::size_t place) {
        const auto asked = std::make_shared<AskedSentinels>(core);
        known_[place].heard = asked->heard;
        for (const auto& endpoint : sentinels_->endpoints) asked->heard->push_back({&endpoint});
        for (std::size_t i = 0; i < asked->heard->size(); ++i) {
            const auto ended = [asked, i, held = sentinels_](const std::exception_ptr&) {
                auto& heard = (*asked->heard)[i];
                if (!heard.word && !heard.refusal) heard.refusal = {{support::ExitCode::bug, "was not asked", ""}, {}};
                asked->changed.cancel();
            };
            core->loop.spawn(ended, hear, core, asked, i, sentinels_->masters[place]);
        }
        while (!core->stopping() && !asked->all_ended() && Clock::now() < asked->patient_until()) {
            asked->changed.expires_at(asked->patient_until());
            std::error_code woken;
            co_await asked->changed.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        }
        const sentinel::Hearing hearing(*asked->heard, name_of(place), sentinels_->masters[place]);
        auto word = hearing.newest();
        if (word) {
            take(place, *word);
            weigh(*core, place, hearing);
        } else if (!core->stopping()) {
            stay_silent(*core, place, hearing);
        }
        co_return word;
    }

    void take(std::size_t place, const Word& word) {
        const auto before = primary(place);
        std::vector<domain::Node> nodes{node_at(before, word.primary, domain::Role::primary)};
        for (const auto& replica : word.replicas) {
            auto node = node_at(before, replica, domain::Role::replica);
            if (node.name() != nodes.front().name()) nodes.push_back(std::move(node));
        }
        if (!std::ranges::equal(nodes, this->nodes(place), is_same)) ++epoch_;
        set_nodes(place, std::move(nodes));
        known_[place].learned = Clock::now();
    }

    /// How far the word that was taken can be relied on.
    void weigh(Core& core, std::size_t place, const sentinel::Hearing& hearing) {
        auto& known = known_[place];
        known.silence.reset();
        known.doubt.reset();
        if (const auto disagreement = hearing.disagreement()) core.notice(*disagreement);
        if (hearing.is_majority() || core.stopping()) return;
        core.notice(hearing.minority());
        known.doubt = hearing.doubt();
    }

    void stay_silent(Core& core, std::size_t place, const sentinel::Hearing& hearing) {
        auto& known = known_[place];
        auto why = hearing.silence();
        if (known.learned) {
            known.doubt = hearing.doubt();
            auto said = why ? std::move(*why) : hearing.unknown_master();
            if (!why) said.message = fmt::format("shard '{}': {}", name_of(place), said.message);
            said.hint += std::string(said.hint.empty() ? "" : "; ") + "what they said last is taken for true";
            core.notice(said);
            return;
        }
        known.silence =
            why ? support::Error{why->code, "no sentinel has told where it is", ""} : hearing.unknown_master();
        if (why) return core.notice(*why);
        const auto is_unknown = [](const Known& each) {
            return each.silence && each.silence->code == support::ExitCode::configuration;
        };
        if (std::ranges::all_of(known_, is_unknown)) throw support::Failure(none_known());
    }

    /// One error for all places.
    support::Error none_known() const {
        auto error = *known_.front().silence;
        error.message = fmt::format("shard '{}': {}", name_of(0), error.message);
        if (known_.size() > 1) error.message += ", nor that of any other shard";
        return error;
    }

    struct Known {
        std::shared_ptr<const std::vector<sentinel::Heard>> heard = {};  // last
        std::optional<Clock::time_point> learned = {};
        std::optional<support::Error> silence = {};
        std::optional<support::Error> doubt = {};
    };

    std::shared_ptr<const Sentinels> sentinels_;  // questions that were left behind hold them, too
    std::vector<Known> known_;
    std::uint64_t epoch_ = 0;
};

}  // namespace

std::shared_ptr<Directory> watched_directory(ConfiguredShards configured, Sentinels sentinels) {
    return std::make_shared<WatchedDirectory>(std::move(configured), std::move(sentinels));
}

}  // namespace ratectl::store
