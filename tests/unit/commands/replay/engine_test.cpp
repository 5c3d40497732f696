// Waves against a limiter in memory, an independent simulation, and targets that fail.
#include "commands/replay/engine.h"
#include "schemes/book.h"

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/catch.h"
#include "support/window_look.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::commands::replay;
using domain::WriteStatus;
using support::ExitCode;
using support::from_epoch;

namespace {

constexpr std::int64_t kReplayedAt = 1'000'000;
constexpr std::int64_t kPeriod = 60;
constexpr std::int64_t kReplayLimit = 5;

struct Logged {
    std::string client;
    std::int64_t second = 0;  // of the day
    int status = 200;
};

std::string text_of(const std::vector<Logged>& lines) {
    std::string text;
    for (const auto& l : lines) {
        text += fmt::format("{} - - [17/May/2015:{:02}:{:02}:{:02} +0000] \"GET / HTTP/1.1\" {} 5\n", l.client,
                            l.second / 3600, l.second / 60 % 60, l.second % 60, l.status);
    }
    return text;
}

std::vector<Logged> random_log(test::RandomSource& random) {
    std::vector<Logged> lines;
    std::int64_t second = 40'000;
    for (auto n = random.number(1, 400); n > 0; --n) {
        second += random.one_in(3) ? random.number(-70, 70) : random.number(0, 3);
        lines.push_back({random.bytes("abc", 1, 2), second, random.one_in(3) ? 304 : 200});
    }
    return lines;
}

/// What one key should have come to, by the rules in the order of the file.
struct Expected {
    std::uint64_t counted = 0, rejected = 0, over = 0, refunded = 0, windows = 0;
    std::int64_t used = 0, reset = -1;
};

std::map<std::string, Expected> simulate(const std::vector<Logged>& lines, bool enforce, bool log_clock) {
    std::map<std::string, Expected> keys;
    for (const auto& l : lines) {
        const std::int64_t at = log_clock ? l.second - lines.front().second + kReplayedAt : kReplayedAt;
        Expected& key = keys["k:" + l.client];
        const bool open = key.reset >= at;
        if (enforce && open && key.used >= kReplayLimit) {
            ++key.rejected;
            ++key.over;
            continue;
        }
        if (!open) {
            key.used = 0;
            key.reset = at + kPeriod;
            ++key.windows;
        }
        ++key.used;
        ++key.counted;
        if (key.used > kReplayLimit) ++key.over;
        if (l.status == 304) {
            --key.used;
            ++key.refunded;
        }
    }
    return keys;
}

LogRules rules_with_clock(bool log_clock) {
    LogRules rules;
    rules.limiter = &store::limiter_of({});
    rules.key = support::value_or_throw(domain::KeyTemplate::parse("k:{client}"));
    rules.refund_status = {304};
    rules.log_clock = log_clock;
    rules.now = from_epoch(kReplayedAt);
    return rules;
}

Place on_two_shards(std::string_view key) {
    return {key.back() == 'a' ? 0U : 1U, kReplayLimit, kReplayLimit, key == "k:protected"};
}

/// One play over a text, with what it said.
struct Played {
    Played(const std::string& text, Target& target, bool enforce, bool log_clock = true, std::size_t pending = 2000)
        : rules(rules_with_clock(log_clock)),
          source(text),
          requests(source, rules, [](std::uint64_t, std::string_view, const std::string&) {}),
          engine(
              requests, target, {support::Seconds{kPeriod}, enforce, pending}, stop,
              {on_two_shards, [this](const domain::Node&, const support::Error& error) { problems.push_back(error); },
               [this] {
                   ++waves;
                   if (waves == stop_after) stop.set(SIGINT);
               }}) {}
    void play(int stop_after_waves = 0) {
        stop_after = stop_after_waves;
        engine.play();
    }

    LogRules rules;
    input::StringSource source;
    RequestSource requests;
    ExitCode gravest() const {
        auto code = ExitCode::done;
        for (const auto& problem : problems) code = support::graver(code, problem.code);
        return code;
    }
    support::StopSignal stop;
    std::vector<support::Error> problems;
    int waves = 0;
    int stop_after = 0;
    Engine engine;
};

/// Checks that no call holds a key twice, and answers from memory, except where told to fail.
class WatchedTarget : public Target {
public:
    std::vector<store::LookAnswer> look(std::span<const domain::KeyAt> keys) override {
        std::map<std::string, int> seen;
        for (const auto& at : keys) CHECK(++seen[at.key] == 1);
        ++looks;
        return memory_->look(keys);
    }
    std::vector<store::WriteResult> count(std::span<const domain::CountItem> items) override {
        std::map<std::string, int> seen;
        for (const auto& item : items) CHECK(++seen[item.at.key] == 1);
        ++counts;
        auto results = memory_->count(items);
        for (std::size_t i = 0; i < items.size(); ++i) spoil(items[i].at, counts == fail_count, results[i]);
        return results;
    }
    std::vector<store::WriteResult> refund(std::span<const domain::RefundItem> items) override {
        ++refunds;
        auto results = memory_->refund(items);
        for (std::size_t i = 0; i < items.size(); ++i) spoil(items[i].at, refunds == fail_refund, results[i]);
        return results;
    }

    int looks = 0, counts = 0, refunds = 0;
    int fail_count = 0;  // the call that fails, from 1
    int fail_refund = 0;
    std::size_t fail_shard = 0;
    WriteStatus failure = WriteStatus::unknown;
    ExitCode code = ExitCode::unknown;

private:
    void spoil(const domain::KeyAt& at, bool now, store::WriteResult& result) const {
        if (!now || at.place.shard != fail_shard) return;
        result = {};
        result.status = failure;
        result.error = support::Error{code, "spoiled", ""};
    }
    std::unique_ptr<Target> memory_ = make_memory_target(schemes::scheme_of({"window", ":exp"}));
};

bool adds_up(const Counts& c) { return c.requests == c.counted + c.rejected + c.refused + c.unknown + c.not_attempted; }

}  // namespace

TEST_CASE("A replay equals a simulation request by request") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (int run = 0; run < 300; ++run) {
        const auto lines = random_log(random);
        const bool enforce = random.one_in(2);
        const bool log_clock = !random.one_in(3);
        WatchedTarget target;
        Played played(text_of(lines), target, enforce, log_clock, static_cast<std::size_t>(random.number(1, 50)));
        played.play();
        const auto expected = simulate(lines, enforce, log_clock);
        CHECK(played.problems.empty());
        CHECK(played.engine.ledger().keys() == expected.size());
        for (const auto& [key, e] : expected) {
            CAPTURE(key, enforce, log_clock);
            auto& ledger = const_cast<Ledger&>(played.engine.ledger());
            const KeyRecord* record = ledger.find(key);
            REQUIRE(record != nullptr);
            CHECK(record->counts.counted == e.counted);
            CHECK(record->counts.rejected == e.rejected);
            CHECK(record->counts.over == e.over);
            CHECK(record->counts.refunded == e.refunded);
            CHECK(record->counts.windows == e.windows);
            if (e.counted > 0) CHECK(record->reset_at == from_epoch(e.reset));
            CHECK(record->is_notable() == (e.over > 0));
        }
        CHECK(adds_up(played.engine.ledger().total()));
        CHECK((target.looks > 0) == enforce);
    }
}

TEST_CASE("A replay counts on in windows that are there already") {
    WatchedTarget target;
    const domain::CountItem before{{"k:a", 0}, 4, from_epoch(kReplayedAt + 10), from_epoch(kReplayedAt)};
    target.count(std::span(&before, 1));
    Played played(text_of({{"a", 100}, {"a", 101}, {"a", 111}}), target, false);
    played.play();
    const Counts total = played.engine.ledger().total();
    CHECK(total.counted == 3);
    CHECK(total.over == 1);
    CHECK(total.windows == 2);
    const auto notable = played.engine.ledger().notable();
    REQUIRE(notable.size() == 1);
    CHECK(notable[0]->first_over_line == 2);
}

TEST_CASE("A lost reply ends the work of its shard and is never sent again") {
    WatchedTarget target;
    target.fail_count = 2;
    Played played(text_of({{"a", 1}, {"b", 1}, {"a", 2, 304}, {"b", 2}, {"a", 3}, {"a", 4}, {"b", 3}}), target, false);
    played.play();
    const Counts total = played.engine.ledger().total();
    CHECK(total.counted == 4);
    CHECK(total.unknown == 1);
    CHECK(total.not_attempted == 2);
    CHECK(total.refunded == 0);
    CHECK(adds_up(total));
    REQUIRE(played.problems.size() == 1);
    CHECK(played.gravest() == ExitCode::unknown);
    CHECK(played.engine.failures().size() == 1);
    CHECK(target.counts == 3);
}

TEST_CASE("A dead shard does not keep the others from being counted") {
    WatchedTarget target;
    target.fail_count = 1;
    target.fail_shard = 1;
    target.failure = WriteStatus::failed;
    target.code = ExitCode::unavailable;
    Played played(text_of({{"a", 1}, {"b", 1}, {"c", 1}, {"a", 2}, {"b", 2}}), target, false, true, 3);
    played.play();
    const Counts total = played.engine.ledger().total();
    CHECK(total.counted == 2);
    CHECK(total.not_attempted == 3);
    CHECK(adds_up(total));
    CHECK(played.problems.size() == 1);
    CHECK(played.gravest() == ExitCode::unavailable);
}

TEST_CASE("A refund that is lost is neither given nor tried again") {
    WatchedTarget target;
    target.fail_refund = 1;
    Played played(text_of({{"a", 1, 304}, {"b", 1, 304}, {"a", 2, 304}, {"b", 2}}), target, false);
    played.play();
    const Counts total = played.engine.ledger().total();
    CHECK(total.refunds_unknown == 1);
    CHECK(total.refunded == 1);
    CHECK(total.counted == 3);
    CHECK(total.not_attempted == 1);
    CHECK(adds_up(total));
    CHECK(played.gravest() == ExitCode::unknown);
}

TEST_CASE("A key that is refused does not stop its shard") {
    WatchedTarget target;
    target.fail_count = 1;
    target.failure = WriteStatus::refused;
    target.code = ExitCode::guard;
    Played played(text_of({{"a", 1}, {"a", 2}, {"ba", 3}}), target, false);
    played.play();
    const Counts total = played.engine.ledger().total();
    CHECK(total.refused == 2);
    CHECK(total.counted == 1);
    CHECK(adds_up(total));
    CHECK(played.engine.failures().empty());
    CHECK(played.gravest() == ExitCode::guard);
}

TEST_CASE("A server that refuses writes is a failure of the whole shard") {
    WatchedTarget target;
    target.fail_count = 1;
    target.failure = WriteStatus::refused;
    target.code = ExitCode::write_refused;
    Played played(text_of({{"a", 1}, {"a", 2}, {"b", 3}}), target, false);
    played.play();
    const Counts total = played.engine.ledger().total();
    CHECK(total.refused == 1);
    CHECK(total.not_attempted == 1);
    CHECK(total.counted == 1);
    CHECK(played.problems.size() == 1);
}

TEST_CASE("A protected key is refused once in words and always in numbers") {
    WatchedTarget target;
    Played played(text_of({{"protected", 1}, {"a", 1}, {"protected", 2}}), target, false);
    played.play();
    const Counts total = played.engine.ledger().total();
    CHECK(total.refused == 2);
    CHECK(total.counted == 1);
    CHECK(adds_up(total));
    CHECK(played.problems.size() == 1);
    CHECK(played.gravest() == ExitCode::guard);
}

TEST_CASE("After a stop nothing new is begun and the numbers add up") {
    WatchedTarget target;
    Played played(text_of({{"a", 1}, {"b", 1}, {"a", 2}, {"a", 3}, {"b", 2}}), target, false);
    played.play(1);
    const Counts total = played.engine.ledger().total();
    CHECK(total.requests == 5);
    CHECK(total.counted == 2);
    CHECK(total.not_attempted == 3);
    CHECK(played.waves == 1);
    CHECK(target.counts == 1);
}

TEST_CASE("A log that breaks off is played up to where it broke") {
    class BreakingSource final : public input::ByteSource {
    public:
        std::size_t read(std::span<char> buffer) override {
            if (done_) throw support::Failure(ExitCode::local_io, "broken");
            done_ = true;
            return text_.copy(buffer.data(), buffer.size());
        }
        const std::string& name() const override { return text_; }

    private:
        std::string text_ = text_of({{"a", 1}, {"a", 2}, {"b", 2}});
        bool done_ = false;
    };
    BreakingSource source;
    const auto rules = rules_with_clock(true);
    RequestSource requests(source, rules, [](std::uint64_t, std::string_view, const std::string&) {});
    const auto target = make_memory_target(schemes::scheme_of({"window", ":exp"}));
    const support::StopSignal stop;
    Engine engine(requests, *target, {support::Seconds{kPeriod}, false}, stop, {on_two_shards, nullptr, [] {}});
    CHECK_THROWS_AS(engine.play(), support::Failure);
    CHECK(engine.ledger().total().counted == 3);
}

TEST_CASE("The words of a replay name what is not zero") {
    Counts counts;
    counts.requests = 3;
    counts.counted = 2;
    counts.unknown = 1;
    counts.windows = 1;
    CHECK(words(counts, 1) == "3 requests of 1 key: 2 counted, 1 unknown, 0 over the limit, 1 window");
    const auto names = named(counts, 1);
    CHECK(names.at(0) == std::pair<std::string, std::int64_t>{"requests", 3});
    CHECK(names.at(1) == std::pair<std::string, std::int64_t>{"keys", 1});
    CHECK(names.size() == 12);
}
