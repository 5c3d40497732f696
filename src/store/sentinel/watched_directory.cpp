// The directory of a deployment whose servers Redis Sentinel tells: asked when a place is first needed, from time to
// time, and whenever a primary turns out to be none any more.
#include <algorithm>
#include <utility>

#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <fmt/format.h>

#include "store/nodes/configured_directory.h"
#include "store/nodes/conversation.h"
#include "store/sentinel/sentinel_word.h"
#include "support/quote.h"

namespace ratectl::store {
namespace {

using sentinel::Word;
using Clock = std::chrono::steady_clock;

/// For so long what the sentinels said is taken for true, as long as the servers do not say otherwise.
constexpr std::chrono::seconds kFresh{5};
/// What sentinels that are slower than most others may take longer: that, and as long again.
constexpr support::Milliseconds kGrace{50};
/// While the sentinels are busy with a failover.
constexpr support::Milliseconds kPause{200};
constexpr std::chrono::seconds kPatience{10};

/// The sentinels while they are asked; held by every question that is under way.
struct Asked {
    explicit Asked(const std::shared_ptr<Core>& core) : changed(core->loop.executor()), begun(Clock::now()) {}

    std::size_t told() const {
        return static_cast<std::size_t>(std::ranges::count_if(words, [](const auto& word) { return word && *word; }));
    }
    bool all_ended() const {
        return std::ranges::all_of(words, [](const auto& word) { return word.has_value(); });
    }
    /// Most of them are enough, and the others get a little more time.
    Clock::time_point patient_until() {
        if (told() * 2 <= words.size()) return Clock::time_point::max();
        if (!enough_at) enough_at = Clock::now();
        return *enough_at + (*enough_at - begun) + kGrace;
    }

    std::vector<std::optional<support::Result<Word>>> words;
    asio::steady_timer changed;
    Clock::time_point begun;
    std::optional<Clock::time_point> enough_at;
};

bool is_unknown_there(const support::Error& error) { return error.code == support::ExitCode::configuration; }

support::Error no_such_master(const std::string& where, const std::string& master) {
    return {support::ExitCode::configuration,
            fmt::format("sentinel {} watches no master {}", where, support::quoted(master)),
            "`redis-cli -p 26379 sentinel masters` lists what it watches"};
}

asio::awaitable<void> ask(std::shared_ptr<Core> core, std::shared_ptr<Asked> asked, std::size_t i, domain::Node node,
                          std::string master) {
    const Talk talk = [&master, &node](
                          redis::Channel& channel,
                          support::Deadline deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
        auto replies = co_await channel.exchange(sentinel::question(master), deadline);
        if (replies && replies->front().is_error() && replies->front().text.starts_with("ERR No such master"))
            co_return redis::fault({no_such_master(node.name(), master), false, false});
        co_return replies;
    };
    auto reading = co_await read_from(core, node, "SENTINEL", talk);
    if (!reading) {
        asked->words[i] = tl::make_unexpected(std::move(reading.error().error));
    } else if (auto word = sentinel::read_word(reading->replies)) {
        asked->words[i] = std::move(*word);
    } else {
        asked->words[i] =
            support::failure(support::ExitCode::protocol, node.name() + ": does not answer like a sentinel",
                             "sentinels = [...] names sentinels, not the servers that they watch");
    }
}

class WatchedDirectory final : public ConfiguredDirectory {
public:
    WatchedDirectory(ConfiguredShards configured, Sentinels sentinels)
        : ConfiguredDirectory(std::move(configured)), sentinels_(std::move(sentinels)), learned_(places().size()) {}

    std::uint64_t epoch() const override { return epoch_; }
    bool is_known(std::size_t place, bool) const override {
        return learned_[place] && Clock::now() - *learned_[place] < kFresh;
    }
    Awaitable<void> learn(std::shared_ptr<Core> core, std::size_t place) override {
        co_await ask_all(std::move(core), place);
    }
    /// A failover that is under way is waited for.
    Awaitable<bool> redirected(std::shared_ptr<Core> core, Place place, redis::Redirect redirect) override {
        const auto before = channel_name(primary(place.shard));
        const auto until =
            std::min(Clock::now() + kPatience, core->options.deadline.value_or(support::Deadline::max()));
        while (true) {
            const auto word = co_await ask_all(core, place.shard);
            if (channel_name(primary(place.shard)) != before) co_return true;
            const bool is_busy =
                word && (word->is_down || word->is_failing_over || redirect.kind == redis::Redirect::Kind::read_only);
            if (!is_busy || core->stopping() || Clock::now() + kPause > until) co_return false;
            asio::steady_timer timer(core->loop.executor(), kPause);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

private:
    /// What counts of their words; null: there is none.
    asio::awaitable<std::optional<Word>> ask_all(std::shared_ptr<Core> core, std::size_t place) {
        const auto asked = std::make_shared<Asked>(core);
        asked->words.resize(sentinels_.endpoints.size());
        for (std::size_t i = 0; i < sentinels_.endpoints.size(); ++i) {
            const domain::Node node{"", domain::Role::primary, sentinels_.endpoints[i]};
            const auto ended = [asked, i](const std::exception_ptr&) {
                if (!asked->words[i]) asked->words[i] = support::failure(support::ExitCode::bug, "was not asked", "");
                asked->changed.cancel();
            };
            core->loop.spawn(ended, ask, core, asked, i, node, sentinels_.masters[place]);
        }
        while (!core->stopping() && !asked->all_ended() && Clock::now() < asked->patient_until()) {
            asked->changed.expires_at(asked->patient_until());
            std::error_code woken;
            co_await asked->changed.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        }
        auto word = newest(*asked);
        if (word) {
            tell_of_disagreement(*core, *asked, place, *word);
            take(place, *word);
        } else if (!core->stopping()) {
            tell_of_silence(*core, *asked, place);
        }
        co_return word;
    }

    static std::optional<Word> newest(const Asked& asked) {
        std::optional<Word> newest;
        for (const auto& word : asked.words) {
            if (word && *word && (!newest || (*word)->epoch > newest->epoch)) newest = **word;
        }
        return newest;
    }

    void take(std::size_t place, const Word& word) {
        const auto before = primary(place);
        std::vector<domain::Node> nodes{node_at(before, word.primary, domain::Role::primary)};
        for (const auto& replica : word.replicas) {
            auto node = node_at(before, replica, domain::Role::replica);
            if (node.name() != nodes.front().name()) nodes.push_back(std::move(node));
        }
        if (channel_name(nodes.front()) != channel_name(before)) ++epoch_;
        set_nodes(place, std::move(nodes));
        learned_[place] = Clock::now();
    }

    void tell_of_disagreement(Core& core, const Asked& asked, std::size_t place, const Word& taken) const {
        std::string words;
        bool differ = false;
        for (std::size_t i = 0; i < asked.words.size(); ++i) {
            const auto& word = asked.words[i];
            if (!word || !*word) continue;
            const auto primary = (*word)->primary.text();
            differ = differ || primary != taken.primary.text();
            words += fmt::format("{}{} says {}", words.empty() ? "" : ", ", sentinels_.endpoints[i].address(), primary);
        }
        if (!differ) return;
        core.notice({support::ExitCode::unavailable,
                     fmt::format("the sentinels disagree about the primary of shard '{}': {}; the word of the latest "
                                 "failover counts, {}",
                                 name_of(place), words, taken.primary.text()),
                     "they agree again when a failover is over; if not, they do not watch the same servers"});
    }

    void tell_of_silence(Core& core, const Asked& asked, std::size_t place) const {
        std::string whys;
        for (const auto& word : asked.words) {
            if (!word || *word) continue;
            if (std::ranges::all_of(asked.words,
                                    [](const auto& each) { return each && !*each && is_unknown_there(each->error()); }))
                throw support::Failure(word->error());
            whys += (whys.empty() ? "" : "; ") + word->error().message;
        }
        core.notice({support::ExitCode::unavailable,
                     fmt::format("no sentinel tells where shard '{}' is: {}", name_of(place), whys),
                     learned_[place] ? "what they said last is taken for true" : ""});
    }

    Sentinels sentinels_;
    std::vector<std::optional<Clock::time_point>> learned_;
    std::uint64_t epoch_ = 0;
};

}  // namespace

std::shared_ptr<Directory> watched_directory(ConfiguredShards configured, Sentinels sentinels) {
    return std::make_shared<WatchedDirectory>(std::move(configured), std::move(sentinels));
}

}  // namespace ratectl::store
