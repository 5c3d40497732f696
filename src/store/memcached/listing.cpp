// Reads the names that a server's crawler comes to, and looks at the windows among them, page by page.
#include "store/memcached/answers.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "domain/cluster/slot_faults.h"
#include "domain/key_template.h"
#include "domain/operation.h"
#include "memcached/commands.h"
#include "store/memcached/looks.h"
#include "store/sweep/key_ring.h"
#include "store/tasks.h"

namespace ratectl::store::memcached {
namespace {

constexpr std::size_t kWindowsAPage = 200;
constexpr std::size_t kNamesAPage = 5'000;  // so that progress can be told where no window is among them
constexpr support::Milliseconds kBusyPause{100};
// By the hash table: the crawl of the LRU lists passes over what was used just now. Older servers know that alone.
constexpr std::string_view kList = "lru_crawler metadump hash\r\n";
constexpr std::string_view kListOfOld = "lru_crawler metadump all\r\n";
constexpr std::string_view kListWord = "lru_crawler metadump";

std::vector<std::size_t> all_or(std::span<const std::size_t> shards, const Directory& directory) {
    std::vector<std::size_t> asked(shards.begin(), shards.end());
    for (std::size_t i = 0; shards.empty() && i < directory.places().size(); ++i) asked.push_back(i);
    return asked;
}

/// Begins a listing; what it names is to be received. Another one that is under way is waited for.
asio::awaitable<Outcome<std::unique_ptr<protocol::Connection>>> begin_list(std::shared_ptr<Servers> servers,
                                                                           std::size_t server,
                                                                           std::vector<std::string>& names) {
    const auto core = servers->shared_core();
    const auto deadline = core->exchange_deadline();
    bool is_old = false;
    for (;;) {
        auto connection = co_await servers->open(server, deadline);
        if (!connection) co_return redis::fault(std::move(connection.error()));
        auto first = co_await (*connection)->ask(std::string(is_old ? kListOfOld : kList), deadline);
        if (!first) co_return redis::fault(std::move(first.error()));
        if (auto name = protocol::listed_in(first->line)) {
            names.push_back(std::move(*name));
            co_return std::move(*connection);
        }
        if (first->line == "END") {
            servers->give_back(server, std::move(*connection));
            co_return std::unique_ptr<protocol::Connection>();
        }
        if (first->line.starts_with("BADCLASS") && !is_old) {
            is_old = true;
            servers->give_back(server, std::move(*connection));
            continue;
        }
        auto refused = protocol::fault_in(*first, (*connection)->where(), kListWord);
        if (!refused) co_return redis::fault(protocol::unexpected((*connection)->where(), kListWord));
        const auto wake = std::chrono::steady_clock::now() + kBusyPause;
        if (!first->line.starts_with("BUSY") || wake >= deadline || core->stopping())
            co_return redis::fault(std::move(*refused));
        asio::steady_timer pause(core->loop.executor(), wake);
        co_await pause.async_wait(asio::use_awaitable);
    }
}

/// The next name; empty: there are no more.
asio::awaitable<Outcome<std::string>> next_name(std::shared_ptr<Servers> servers, protocol::Connection& connection) {
    const auto answer = co_await connection.receive(servers->core().exchange_deadline());
    if (!answer) co_return redis::fault(answer.error());
    if (answer->line == "END") co_return std::string();
    if (auto name = protocol::listed_in(answer->line)) co_return std::move(*name);
    connection.close();
    co_return redis::fault(protocol::unexpected(connection.where(), kListWord));
}

/// What the stream and its coroutine share.
struct Listing {
    std::shared_ptr<Servers> servers;
    ScanQuestion question;
    std::set<std::size_t> wanted;         // shards whose windows are meant
    std::vector<ShardProgress> progress;  // of the servers to be read, one after the other
    std::size_t at = 0;                   // in progress
    std::unique_ptr<protocol::Connection> connection;
    std::vector<std::string> first_names;
    std::vector<NodeFailure> failures;
    std::deque<ScanPage> pages;
    KeyRing known{65'536};
    bool cancelled = false;

    Core& core() const { return servers->core(); }
    bool over() const { return cancelled || core().stopping(); }
};

/// The window that this name is of, if it is to be looked at.
std::optional<KeyAt> window_behind(Listing& listing, const std::string& name, std::size_t server) {
    const auto& question = listing.question;
    if (domain::is_reserved_key(name)) return std::nullopt;
    const auto part = listing.core().scheme->of(name).part_of(name);
    if (!part && !(question.orphan_counters && question.orphan_counters(name))) return std::nullopt;
    KeyAt at{part ? part->key() : name, Place(server)};
    if (!domain::glob_matches(question.glob, at.key)) return std::nullopt;
    if (const auto home = listing.core().directory->place_of(at.key)) at.place = *home;
    if (!listing.wanted.contains(at.place.shard) || !listing.known.insert(at.key)) return std::nullopt;
    if (!part) return at;
    if (question.by_name) return question.by_name->expiry_found(at.key) ? std::optional(at) : std::nullopt;
    return question.is_meant && !question.is_meant(at.key) ? std::nullopt : std::optional(at);
}

void note_failure(Listing& listing, std::size_t server, const support::Error& error) {
    const auto& node = listing.servers->node(server);
    const auto is_same = [&](const NodeFailure& failure) { return failure.node.name() == node.name(); };
    if (std::ranges::none_of(listing.failures, is_same)) listing.failures.push_back({node, error});
    // What names a window may be on any of them.
    for (auto& progress : listing.progress) progress.complete = false;
}

void take_page(Listing& listing, LookJob& job) {
    std::map<std::size_t, ScanPage> pages;
    for (std::size_t i = 0; i < job.keys.size(); ++i) {
        auto& look = job.looks[i];
        const auto shard = job.keys[i].place.shard;
        if (!look) {
            if (!domain::is_bad_key(look.error())) note_failure(listing, job.servers[i], look.error());
            continue;
        }
        if (is_absent(*look)) continue;
        const auto& used = stored_used(*look).value;
        if (listing.question.worth_a_look &&
            !listing.question.worth_a_look(look->key, used ? std::string_view(*used) : std::string_view()))
            continue;
        pages[shard].looks.push_back(std::move(*look));
    }
    for (auto& [shard, page] : pages) {
        page.shard = shard;
        page.node = listing.servers->node(shard);
        page.read_at = job.read_at;
        listing.progress[listing.at].windows += page.looks.size();
        listing.pages.push_back(std::move(page));
    }
}

void fail_here(Listing& listing, const redis::Fault& fault) {
    note_failure(listing, listing.progress[listing.at].shard, fault.error);
    listing.connection.reset();
    ++listing.at;
}

asio::awaitable<void> wait_for_turn(std::shared_ptr<Listing> listing) {
    if (!listing->question.ops || *listing->question.ops == 0) co_return;
    const auto pause = std::chrono::microseconds(1'000'000 / *listing->question.ops);
    asio::steady_timer timer(listing->core().loop.executor(), pause);
    co_await timer.async_wait(asio::use_awaitable);
}

/// Opens the next server's listing. False: it has failed, or has nothing.
asio::awaitable<bool> open_next(std::shared_ptr<Listing> listing) {
    auto& progress = listing->progress[listing->at];
    progress.node = listing->servers->node(progress.shard);
    if (const auto self = co_await listing->servers->ask_self(progress.shard)) progress.run_id = self->run_id;
    std::vector<std::string> names;
    auto begun = co_await begin_list(listing->servers, progress.shard, names);
    if (listing->over()) co_return false;
    if (!begun) {
        fail_here(*listing, begun.error());
        co_return false;
    }
    listing->connection = std::move(*begun);
    listing->first_names = std::move(names);
    if (listing->connection) co_return true;
    progress.complete = listing->failures.empty();
    ++listing->at;
    co_return false;
}

/// One page's worth of names, and the looks at what is behind them.
asio::awaitable<void> advance(std::shared_ptr<Listing> listing) {
    if (!listing->connection) {
        const bool opened = co_await open_next(listing);
        if (!opened) co_return;
    }
    const auto at = listing->at;
    const auto server = listing->progress[at].shard;
    auto job = std::make_shared<LookJob>();
    job->depth = listing->question.depth;
    bool ended = false;
    auto names = std::exchange(listing->first_names, {});
    for (std::size_t n = 0; n < kNamesAPage && job->keys.size() < kWindowsAPage && !ended; ++n) {
        if (names.empty()) {
            auto name = co_await next_name(listing->servers, *listing->connection);
            if (listing->over()) co_return;
            if (!name) co_return fail_here(*listing, name.error());
            ended = name->empty();
            names.push_back(std::move(*name));
        }
        if (!ended) {
            ++listing->progress[at].keys;
            if (auto window = window_behind(*listing, names.back(), server)) job->keys.push_back(std::move(*window));
        }
        names.pop_back();
    }
    co_await wait_for_turn(listing);
    co_await look_at(listing->servers, job);
    if (listing->over()) co_return;
    take_page(*listing, *job);
    if (!ended) co_return;
    listing->servers->give_back(server, std::move(listing->connection));
    listing->connection.reset();
    listing->progress[at].complete = listing->failures.empty();
    ++listing->at;
}

class Listed final : public ScanStream {
public:
    explicit Listed(std::shared_ptr<Listing> listing) : listing_(std::move(listing)) {}
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;
    ~Listed() override {
        listing_->cancelled = true;
        listing_->question = ScanQuestion();  // its functions may refer to the caller
        listing_->connection.reset();
    }

    const ScanPage* next() override {
        if (!listing_->pages.empty()) listing_->pages.pop_front();
        if (!listing_->pages.empty()) return &listing_->pages.front();
        while (listing_->at < listing_->progress.size()) {
            Tasks tasks(listing_->servers->shared_core());
            tasks.add(advance, listing_);
            if (!tasks.finish_or_stop() || listing_->core().stopping()) return nullptr;
            if (!listing_->pages.empty()) return &listing_->pages.front();
        }
        return nullptr;
    }
    bool ready() const override {
        return listing_->pages.size() > 1 || listing_->at >= listing_->progress.size() || listing_->core().stopping();
    }
    const std::vector<NodeFailure>& failures() const override { return listing_->failures; }
    const std::vector<ShardProgress>& progress() const override { return listing_->progress; }

private:
    std::shared_ptr<Listing> listing_;
};

asio::awaitable<void> sample(std::shared_ptr<Servers> servers, std::shared_ptr<NameSample> taken, std::size_t most) {
    std::vector<std::string> names;
    auto begun = co_await begin_list(servers, taken->shard, names);
    if (!begun) {
        taken->failure = NodeFailure{servers->node(taken->shard), begun.error().error};
        co_return;
    }
    while (*begun && names.size() < most) {
        auto name = co_await next_name(servers, **begun);
        if (!name) {
            taken->failure = NodeFailure{servers->node(taken->shard), name.error().error};
            break;
        }
        if (name->empty()) break;
        names.push_back(std::move(*name));
    }
    taken->names = std::move(names);
}

}  // namespace

std::unique_ptr<ScanStream> list_windows(const std::shared_ptr<Servers>& servers, ScanQuestion question) {
    check_source(servers->core(), question.from, question.shards);
    auto listing = std::make_shared<Listing>();
    const auto& directory = *servers->core().directory;
    const auto wanted = all_or(question.shards, directory);
    listing->servers = servers;
    listing->wanted.insert(wanted.begin(), wanted.end());
    // The second key of a window, which names it, may be on any of them.
    for (const auto shard : directory.knows_homes() ? all_or({}, directory) : wanted) {
        ShardProgress progress;
        progress.shard = shard;
        listing->progress.push_back(std::move(progress));
    }
    listing->question = std::move(question);
    return std::make_unique<Listed>(std::move(listing));
}

std::vector<NameSample> sample_names(const std::shared_ptr<Servers>& servers, std::span<const std::size_t> shards,
                                     std::size_t most) {
    std::vector<std::shared_ptr<NameSample>> taken;
    Tasks tasks(servers->shared_core());
    for (const auto shard : all_or(shards, *servers->core().directory)) {
        taken.push_back(std::make_shared<NameSample>());
        taken.back()->shard = shard;
        tasks.add(sample, servers, taken.back(), most);
    }
    std::vector<NameSample> samples;
    samples.reserve(taken.size());
    const bool finished = tasks.finish_or_stop();
    for (const auto& each : taken) samples.push_back(finished ? std::move(*each) : NameSample{each->shard, {}, {}});
    return samples;
}

}  // namespace ratectl::store::memcached
