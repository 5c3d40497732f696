// Workers write through the link, and ask the server itself what came of it.
#include "fault/exactly_once.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/store.h"
#include "support/configured_topology.h"
#include "support/link_gauge.h"
#include "support/plain_client.h"
#include "support/redis_server.h"
#include "support/wall_now.h"

namespace ratectl::test {
namespace {

using domain::WriteKind;
using store::WriteResult;
using store::WriteStatus;
using Clock = std::chrono::steady_clock;

const std::string kHot = "hot";
// No half there, as stored() shows it.
const std::vector<std::string> kNoHalves{"(nil)", "-2", "(nil)", "-2"};

/// How long the calling thread has waited for a processor since it began; 0 where the system does not say.
std::chrono::nanoseconds waited_by_this_thread() {
    std::ifstream file("/proc/thread-self/schedstat");
    std::int64_t running = 0;
    std::int64_t waiting = 0;
    file >> running >> waiting;
    return std::chrono::nanoseconds(waiting);
}

/// Shared by all workers of a trial.
struct Trial {
    explicit Trial(const LossyTrial& from)
        : wanted(from), proxy(server.endpoint()), until(support::to_instant(wall_now()) + support::Seconds(3600)) {
        proxy.choose(from.chooser ? from.chooser
                                  : seeded_mix({.seed = from.seed,
                                                .share = from.share,
                                                .beyond = from.timeout * 3 / 2,
                                                .within = from.timeout / 5}));
        // A server that has been in use: where none was ever deleted, no store leaves a key that tells its own were
        // not.
        server.command({"DEL", "before"});
    }
    void contradiction(std::string words) {
        const std::lock_guard lock(mutex);
        report.contradictions.push_back(std::move(words));
    }
    store::Topology topology_of(const domain::Endpoint& primary) const {
        ConfiguredTopology topology;
        topology.shards.push_back({"alpha", primary, {}, false});
        topology.limiter = &limiter;
        return topology;
    }
    /// What is done past the link shall not fail, however long the machine stands still.
    static store::Options patient() {
        store::Options options;
        options.timeout = std::chrono::minutes(2);
        options.wall_clock = wall_now;
        return options;
    }
    /// Windows as an application left them, when refunds need them.
    void fill(const std::vector<std::string>& keys) const {
        store::Store direct(topology_of(server.endpoint()), patient());
        std::vector<store::CountItem> items;
        for (const auto& key : keys) items.push_back({{key, 0}, wanted.full, until, support::to_instant(wall_now())});
        for (const auto& result : direct.count(items, store::WriteOrder{})) {
            if (result.status != WriteStatus::applied) throw std::runtime_error("a window could not be made");
        }
    }
    /// How many requests are used there, as a look past the link shows.
    std::int64_t used_in(const std::string& key) const {
        store::Store direct(topology_of(server.unix_endpoint()), patient());
        const domain::KeyAt at{key, 0};
        const auto answers = direct.look({{&at, 1}, {domain::ReadFrom::Which::primary, {}}});
        if (!answers.at(0).look) return -1;
        return std::stoll(domain::stored_window(*answers[0].look).used.value_or("0"));
    }

    const LossyTrial& wanted;
    const domain::Limiter& limiter = wanted.limiter != nullptr ? *wanted.limiter : store::limiter_of({});
    RedisServer server;
    FaultProxy proxy;
    LinkGauge gauge{proxy.endpoint()};
    const support::Instant until;  // when every window ends
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;  // guards the rest
    TrialReport report;
    std::vector<std::int64_t> hot_values;
};

std::string without_numbers(std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
}

bool has_counters(WriteKind kind) { return kind == WriteKind::count || kind == WriteKind::refund; }

enum class Verdict { applied, not_applied, unknown };

Verdict verdict_of(const WriteResult& result) {
    switch (result.status) {
        case WriteStatus::applied:
        case WriteStatus::already_applied: return Verdict::applied;
        case WriteStatus::unknown: return Verdict::unknown;
        default: return Verdict::not_applied;
    }
}

class Worker {
public:
    Worker(Trial& trial, std::size_t number)
        : trial_(&trial),
          wanted_(&trial.wanted),
          number_(number),
          dice_(trial.wanted.seed * 1000 + number),
          direct_(trial.server.unix_endpoint(), Trial::patient().timeout) {
        connect();
        const std::int64_t begin = wanted_->kind == WriteKind::refund ? wanted_->full : 0;
        own_.assign(wanted_->calls, PossibleCounters(begin));
    }

    void run() {
        for (std::size_t i = trial_->next++; i < wanted_->operations; i = trial_->next++) {
            waited_before_ = waited();
            if (wanted_->kind == WriteKind::reset) {
                remove(i);
            } else if (wanted_->kind == WriteKind::restore) {
                put_back(i);
            } else {
                change(i);
            }
        }
    }
    /// When nothing is on its way any more.
    void look_again() {
        for (std::size_t c = 0; c < own_.size() && has_counters(wanted_->kind); ++c) compare(c, "at the end");
        for (const auto& [key, window] : kept_) {
            if (stored(key) != window)
                trial_->contradiction(key + ": not written, as reported, and yet it changed later");
        }
    }
    void end_store() { store_.reset(); }

private:
    using Window = std::vector<std::string>;

    // A store remembers for a while that a server was gone, and says so at once: the next operation shall meet the
    // server itself.
    void connect() {
        store::Options options;
        options.timeout = wanted_->timeout;
        options.wall_clock = wall_now;
        store_ = std::make_unique<store::Store>(trial_->topology_of(trial_->proxy.endpoint()), std::move(options));
    }
    std::chrono::nanoseconds waited() const { return waited_by_this_thread() + trial_->gauge.late(); }

    std::string own_key(std::size_t call) const { return fmt::format("own:{}:{}", number_, call); }
    store::WriteOrder order_of(std::size_t operation, std::size_t windows_a_call) const {
        store::WriteOrder order;
        if (wanted_->operation_keys) {
            order.operation = {fmt::format("T{}-{}", wanted_->seed, operation), "tester", "here", ""};
        }
        for (std::size_t c = 0; c < wanted_->calls; ++c) {
            store::Slice slice{c + 1, fmt::format("print-{}-{}", operation, c), {}};
            for (std::size_t w = 0; w < windows_a_call; ++w) slice.items.push_back(c * windows_a_call + w);
            order.slices.push_back(std::move(slice));
        }
        return order;
    }
    void say(std::size_t operation, std::size_t call, const WriteResult& result, const std::string& words) const {
        trial_->contradiction(fmt::format("operation {} call {} ({}{}): {}", operation, call,
                                          store::name_of(result.status), result.resolved ? ", resolved" : "", words));
    }
    void tally(const WriteResult& result) {
        const bool starved = waited() - waited_before_ > wanted_->timeout / 2;
        if (verdict_of(result) != Verdict::applied) connect();
        const std::lock_guard lock(trial_->mutex);
        auto& report = trial_->report;
        ++(verdict_of(result) == Verdict::applied       ? report.applied
           : verdict_of(result) == Verdict::not_applied ? report.not_applied
                                                        : report.unknown);
        report.starved += starved ? 1 : 0;
        report.unknown_starved += starved && verdict_of(result) == Verdict::unknown ? 1 : 0;
        report.resolved += result.resolved ? 1 : 0;
        report.sent_again += result.attempts > 1 ? 1 : 0;
        if (result.error) ++report.reasons[without_numbers(result.error->message)];
    }

    // ---- counters
    void change(std::size_t operation) {
        std::vector<std::int64_t> amounts;
        for (std::size_t c = 0; c < wanted_->calls; ++c) amounts.push_back(static_cast<std::int64_t>(dice_() % 5) + 1);
        const auto results = wanted_->kind == WriteKind::count ? count(operation, amounts) : refund(operation, amounts);
        const std::int64_t sign = wanted_->kind == WriteKind::count ? 1 : -1;
        for (std::size_t c = 0; c < wanted_->calls; ++c) {
            const auto& own = results.at(2 * c);
            const auto& hot = results.at(2 * c + 1);
            tally(own);
            if (verdict_of(own) != verdict_of(hot))
                say(operation, c, own, "one call, and its windows fared differently");
            judge(operation, c, own, sign * amounts[c]);
            compare(c, fmt::format("after operation {} ({})", operation, store::name_of(own.status)));
            if (verdict_of(hot) != Verdict::applied) continue;
            const auto after = std::stoll(hot.after.used.value_or("0"));
            if (std::stoll(hot.before.used.value_or("0")) + sign != after) say(operation, c, hot, "the shared counter");
            const std::lock_guard lock(trial_->mutex);
            trial_->hot_values.push_back(after);
        }
    }
    std::vector<WriteResult> count(std::size_t operation, const std::vector<std::int64_t>& amounts) {
        std::vector<store::CountItem> items;
        const auto now = support::to_instant(wall_now());
        for (std::size_t c = 0; c < amounts.size(); ++c) {
            items.push_back({{own_key(c), 0}, amounts[c], trial_->until, now});
            items.push_back({{kHot, 0}, 1, trial_->until, now});
        }
        return store_->count(items, order_of(operation, 2));
    }
    std::vector<WriteResult> refund(std::size_t operation, const std::vector<std::int64_t>& amounts) {
        std::vector<store::RefundItem> items;
        const auto now = support::to_instant(wall_now());
        for (std::size_t c = 0; c < amounts.size(); ++c) {
            items.push_back({{own_key(c), 0}, amounts[c], trial_->until, false, now});
            items.push_back({{kHot, 0}, 1, trial_->until, false, now});
        }
        return store_->refund(items, order_of(operation, 2));
    }
    void judge(std::size_t operation, std::size_t call, const WriteResult& result, std::int64_t change) {
        if (verdict_of(result) == Verdict::unknown) return own_[call].unknown(change);
        if (verdict_of(result) != Verdict::applied) return;
        const auto before = std::stoll(result.before.used.value_or("0"));
        const auto after = std::stoll(result.after.used.value_or("0"));
        if (!own_[call].has(before)) {
            say(operation, call, result, fmt::format("found {}, possible were {}", before, own_[call].shown()));
        }
        if (before + change != after) say(operation, call, result, fmt::format("{} to {}", before, after));
        own_[call].applied(after);
    }
    void compare(std::size_t call, const std::string& when) {
        const auto value = trial_->used_in(own_key(call));
        if (own_[call].has(value)) return;
        trial_->contradiction(
            fmt::format("{} {}: is {}, possible are {}", own_key(call), when, value, own_[call].shown()));
    }

    // ---- removals
    void remove(std::size_t operation) {
        std::vector<store::ResetItem> items;
        std::vector<Window> windows;
        for (std::size_t c = 0; c < wanted_->calls; ++c) {
            items.push_back({{fmt::format("gone:{}:{}", operation, c), 0}, std::nullopt, std::nullopt});
            windows.push_back(make_window(items.back().at.key, dice_()));
        }
        const auto results = store_->reset(items, order_of(operation, 1));
        for (std::size_t c = 0; c < wanted_->calls; ++c) {
            const auto& result = results.at(c);
            const auto& key = items[c].at.key;
            tally(result);
            const auto there = stored(key);
            const bool gone = there == kNoHalves;
            if (!gone && there != windows[c]) say(operation, c, result, key + ": half removed, or changed");
            if (verdict_of(result) == Verdict::applied) {
                if (!gone) say(operation, c, result, key + ": still there");
                if (told(result.before) != windows[c])
                    say(operation, c, result,
                        fmt::format("{}: removed {}, and {} was there", key, fmt::join(told(result.before), " "),
                                    fmt::join(windows[c], " ")));
            } else if (verdict_of(result) == Verdict::not_applied) {
                if (gone) say(operation, c, result, key + ": gone");
                kept_.emplace_back(key, windows[c]);
            }
        }
    }
    // ---- undo
    void put_back(std::size_t operation) {
        std::vector<store::RestoreItem> items;
        std::vector<Window> windows;
        for (std::size_t c = 0; c < wanted_->calls; ++c) {
            store::RestoreItem item;
            item.at = {fmt::format("back:{}:{}", operation, c), 0};
            windows.push_back(make_window(item.at.key, dice_()));
            item.window = window_of(windows.back());
            item.now = support::to_instant(wall_now());
            direct({"DEL", item.at.key, item.at.key + ":exp"});
            items.push_back(std::move(item));
        }
        const auto results = store_->restore(items, order_of(operation, 1));
        for (std::size_t c = 0; c < wanted_->calls; ++c) {
            const auto& result = results.at(c);
            const auto& key = items[c].at.key;
            tally(result);
            const auto there = stored(key);
            const auto verdict = verdict_of(result);
            if (there != kNoHalves && there != windows[c])
                say(operation, c, result, key + ": half put back, or changed");
            if (verdict == Verdict::applied && there != windows[c]) say(operation, c, result, key + ": not there");
            if (verdict == Verdict::not_applied && there != kNoHalves) say(operation, c, result, key + ": there");
            if (verdict == Verdict::not_applied) kept_.emplace_back(key, kNoHalves);
        }
    }
    static store::StoredWindow window_of(const Window& shown) {
        store::StoredWindow window;
        const auto half = [](const std::string& text) {
            return text == "(nil)" ? std::nullopt : std::optional<std::string>(text);
        };
        const auto life = [](const std::string& text) {
            return text.front() == '-' ? std::nullopt : std::optional<std::int64_t>(std::stoll(text));
        };
        window.used = half(shown[0]);
        window.reset_at = half(shown[2]);
        window.expires[0] = life(shown[1]);
        window.expires[1] = life(shown[3]);
        return window;
    }

    /// Whole ones, ones without a lifetime, counters alone; as stored() shows them.
    Window make_window(const std::string& key, std::uint64_t random) {
        const auto ends = (support::epoch_seconds(trial_->until) + 1) * 1000 + static_cast<std::int64_t>(random % 1000);
        const auto used = std::to_string(random % 5000);
        const auto reset = std::to_string(support::epoch_seconds(trial_->until));
        const bool lasting = random % 7 == 0;
        const bool alone = random % 11 == 0;
        for (const auto& [name, value] : {std::pair{key, used}, std::pair{key + ":exp", reset}}) {
            if (alone && name != key) continue;
            direct({"SET", name, value});
            if (!lasting) direct({"PEXPIREAT", name, std::to_string(ends)});
        }
        const auto life = lasting ? std::string("-1") : std::to_string(ends);
        return alone ? Window{used, life, "(nil)", "-2"} : Window{used, life, reset, life};
    }
    // In one step: what is on its way may be carried out between two.
    Window stored(const std::string& key) {
        const auto shown = direct({"EVAL",
                                   "local reply = {} for _, key in ipairs(KEYS) do "
                                   "reply[#reply + 1] = redis.call('GET', key) or '(nil)' "
                                   "reply[#reply + 1] = tostring(redis.call('PEXPIRETIME', key)) end return reply",
                                   "2", key, key + ":exp"});
        Window window;
        std::istringstream lines(shown);
        for (std::string line; std::getline(lines, line);) window.push_back(line);
        return window;
    }
    static Window told(const store::StoredWindow& window) {
        const auto life = [](const std::optional<std::string>& value, const std::optional<std::int64_t>& at) {
            return !value ? "-2" : at ? std::to_string(*at) : "-1";
        };
        return {window.used.value_or("(nil)"), life(window.used, window.expires[0]), window.reset_at.value_or("(nil)"),
                life(window.reset_at, window.expires[1])};
    }
    std::string direct(const std::vector<std::string>& words) {
        auto reply = direct_.command(words);
        return reply ? reply->shown() : throw std::runtime_error(reply.error().message);
    }

    Trial* trial_;
    const LossyTrial* wanted_;
    std::size_t number_;
    std::mt19937_64 dice_;
    test::PlainClient direct_;
    std::unique_ptr<store::Store> store_;
    std::vector<PossibleCounters> own_;
    std::vector<std::pair<std::string, Window>> kept_;
    std::chrono::nanoseconds waited_before_{0};
};

void in_parallel(Trial& trial, std::vector<std::unique_ptr<Worker>>& workers,
                 const std::function<void(Worker&)>& what) {
    std::vector<std::thread> threads;
    for (auto& worker : workers) {
        threads.emplace_back([&trial, &what, &worker] {
            try {
                what(*worker);
            } catch (const std::exception& error) {
                trial.contradiction(std::string("a worker broke off: ") + error.what());
            }
        });
    }
    for (auto& thread : threads) thread.join();
}

void judge_shared(Trial& trial) {
    auto& report = trial.report;
    const bool counts = trial.wanted.kind == WriteKind::count;
    const auto value = trial.used_in(kHot);
    const auto changed = counts ? value : trial.wanted.full - value;
    const auto least = static_cast<std::int64_t>(report.applied);
    if (changed < least || changed > least + static_cast<std::int64_t>(report.unknown)) {
        report.contradictions.push_back(
            fmt::format("the shared counter changed by {}, reported were {} applied and {} unknown", changed,
                        report.applied, report.unknown));
    }
    auto& values = trial.hot_values;
    std::sort(values.begin(), values.end());
    if (std::adjacent_find(values.begin(), values.end()) != values.end()) {
        report.contradictions.emplace_back("two operations were told the same value of the shared counter");
    }
}

}  // namespace

void PossibleCounters::unknown(std::int64_t change) {
    std::set<std::int64_t> more = values_;
    for (const auto value : values_) more.insert(value + change);
    values_ = std::move(more);
}

std::string PossibleCounters::shown() const {
    std::string text;
    for (const auto value : values_) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
}

std::string TrialReport::shown(const LossyTrial& trial) const {
    std::string text = fmt::format(
        "{} with seed {}: {} applied, {} not, {} unknown; {} resolved, {} sent again; {} writes on the "
        "wire, {} connections, {} ms; starved {}, {} of the unknown; hit:",
        domain::name_of(trial.kind), trial.seed, applied, not_applied, unknown, resolved, sent_again, link.writes,
        link.connections, wall.count(), starved, unknown_starved);
    for (const auto& [mode, count] : link.faults) text += fmt::format(" {} {}", name_of(mode), count);
    for (const auto& [words, count] : reasons) text += fmt::format("\n  {} x {}", count, words);
    for (const auto& words : contradictions) text += "\n  " + words;
    return text;
}

TrialReport run_trial(const LossyTrial& wanted) {
    Trial trial(wanted);
    if (wanted.kind == WriteKind::refund) {
        std::vector<std::string> keys{kHot};
        for (std::size_t w = 0; w < wanted.workers; ++w) {
            for (std::size_t c = 0; c < wanted.calls; ++c) keys.push_back(fmt::format("own:{}:{}", w, c));
        }
        trial.fill(keys);
    }
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::size_t w = 0; w < wanted.workers; ++w) workers.push_back(std::make_unique<Worker>(trial, w));
    const auto begin = Clock::now();
    in_parallel(trial, workers, [](Worker& worker) { worker.run(); });
    trial.report.wall = std::chrono::floor<std::chrono::milliseconds>(Clock::now() - begin);
    trial.gauge.stop();
    // Requests that the link still holds reach the server after their clients have gone.
    in_parallel(trial, workers, [](Worker& worker) { worker.end_store(); });
    for (int i = 0; i < 300 && trial.proxy.counts().open > 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    in_parallel(trial, workers, [](Worker& worker) { worker.look_again(); });
    if (has_counters(wanted.kind)) judge_shared(trial);
    trial.report.link = trial.proxy.counts();
    return trial.report;
}

}  // namespace ratectl::test
