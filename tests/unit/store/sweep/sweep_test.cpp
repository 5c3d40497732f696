// Sweeps over a pretended server with windows of its own and a clock that only its commands move.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/cursor_guard.h"
#include "store/sweep/page_size.h"
#include "store/sweep/sweep_page.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/store/pretended_shards.h"

namespace ratectl::test {
namespace {

using store::PageSize;
using store::ScanQuestion;
using store::SweepPage;

class WindowServer {
public:
    /// Counters k0, k1 ... with these values; null: the expiry half alone.
    WindowServer(PretendedShards& shards, std::vector<std::optional<int>> counters)
        : shards_(shards), node_(shards.node()), counters_(std::move(counters)) {
        shards.server().tells_time = false;
        node_.always(first_word_is("SCAN"), [this](const Command& c) -> Answer { return scan(c); });
        node_.always(first_word_is("MGET"), [this](const Command& c) -> Answer { return get(c); });
    }

    /// As the clock stands.
    void tell_time() {
        shards_.server().time_of_its_own = [this] {
            return array({text(std::to_string(clock / 1'000'000)), text(std::to_string(clock % 1'000'000))});
        };
    }
    std::vector<std::size_t> page_sizes() const {
        std::vector<std::size_t> sizes;
        for (const auto& command : node_.asked()) {
            if (command.front() == "SCAN") sizes.push_back(std::stoul(command.back()));
        }
        return sizes;
    }
    std::vector<Command> looks() const {
        std::vector<Command> looks;
        for (const auto& command : node_.asked()) {
            if (command.front() == "MGET") looks.push_back(command);
        }
        return looks;
    }

    double per_key = 0;  // microseconds that SCAN takes
    int breaks_at_look = 0;
    std::int64_t clock = 1'790'000'000'000'000;

private:
    Answer scan(const Command& command) {
        const std::size_t first = std::stoul(command.at(1));
        const std::size_t count = std::stoul(command.back());
        clock += static_cast<std::int64_t>(per_key * static_cast<double>(count));
        const std::size_t end = std::min(first + count, counters_.size());
        redis::Reply found = array({});
        for (std::size_t i = first; i < end; ++i) {
            if ((command.at(2) != "MATCH" || command.at(3) == "*") && counters_[i])
                found.elements.push_back(text("k" + std::to_string(i)));
            found.elements.push_back(text("k" + std::to_string(i) + ":exp"));
        }
        return array({text(end == counters_.size() ? "0" : std::to_string(end)), found});
    }
    Answer get(const Command& command) {
        if (breaks_at_look > 0 && --breaks_at_look == 0) return broken(true);
        redis::Reply values = array({});
        for (std::size_t i = 1; i < command.size(); ++i) {
            const auto& key = command[i];
            const auto& counter = counters_.at(std::stoul(key.substr(1)));
            if (key.ends_with(":exp")) {
                values.elements.push_back(text("2000000000"));
            } else {
                values.elements.push_back(counter ? text(std::to_string(*counter)) : nil());
            }
        }
        return values;
    }

    PretendedShards& shards_;
    FakeNode& node_;
    std::vector<std::optional<int>> counters_;
};

/// The windows that are shown, and how often.
std::map<std::string, int> sweep(PretendedShards& shards, ScanQuestion question) {
    question.from = {domain::ReadFrom::Which::primary, {}};
    std::map<std::string, int> shown;
    const auto stream = shards.store().scan(std::move(question));
    while (const auto* page = stream->next()) {
        for (const auto& look : page->looks) ++shown[look.key];
    }
    CHECK(stream->failures().empty());
    CHECK(stream->progress().at(0).complete);
    return shown;
}

TEST_CASE("A sweep shows each window once and asks only what it has to") {
    PretendedShards shards;
    shards.node().facts.clock.reset();
    WindowServer windows(shards, std::vector<std::optional<int>>(650, 7));
    const auto shown = sweep(shards, {});
    CHECK(shown.size() == 650);
    CHECK(std::all_of(shown.begin(), shown.end(), [](const auto& each) { return each.second == 1; }));
    CHECK(windows.page_sizes() == std::vector<std::size_t>{300, 300, 300});
    CHECK(windows.looks().size() == 7);
    CHECK(shards.asked("TIME") == 0);
}

TEST_CASE("A server that will not tell the time is asked once and gets pages of one size") {
    PretendedShards shards;
    WindowServer windows(shards, std::vector<std::optional<int>>(3000, 7));
    CHECK(sweep(shards, {}).size() == 3000);
    CHECK(windows.page_sizes() == std::vector<std::size_t>(10, PageSize::kFirst));
    CHECK(shards.asked("TIME") <= 4);
}

TEST_CASE("Pages follow what the server says that they take and not how long the answers are under way") {
    // The clock of the server moves by what its commands cost; how long it all takes here is nothing to it.
    for (const double per_key : {1.0, 20.0}) {
        PretendedShards shards;
        WindowServer windows(shards, std::vector<std::optional<int>>(20'000, 7));
        windows.per_key = per_key;
        windows.tell_time();
        ScanQuestion question;
        question.max_latency = std::chrono::milliseconds(5);
        CHECK(sweep(shards, question).size() == 20'000);
        const auto sizes = windows.page_sizes();
        CHECK(sizes.front() == PageSize::kFirst);
        INFO(per_key << " microseconds a key, last page " << sizes.back());
        CHECK(static_cast<double>(sizes.back()) * per_key <= 5000);
        CHECK(static_cast<double>(sizes.back()) * per_key >= (per_key == 1.0 ? 1000 : 2000));
    }
}

TEST_CASE("Counters are looked at first and both halves only of those that are worth it") {
    PretendedShards shards;
    shards.node().facts.clock.reset();
    WindowServer windows(shards, {5, 100, std::nullopt, 50, 49});
    std::map<std::string, int> times;
    std::vector<std::string> without;
    ScanQuestion question;
    question.worth_a_look = [&](std::string_view key, std::string_view counter) {
        ++times[std::string(key)];
        if (counter.data() == nullptr) without.emplace_back(key);
        return counter.size() > 2 || counter == "50";
    };
    CHECK(sweep(shards, question) == std::map<std::string, int>{{"k1", 1}, {"k3", 1}});
    CHECK(times == std::map<std::string, int>{{"k0", 1}, {"k1", 1}, {"k2", 1}, {"k3", 1}, {"k4", 1}});
    CHECK(without == std::vector<std::string>{"k2"});
    CHECK(windows.looks() ==
          std::vector<Command>{{"MGET", "k0", "k1", "k2", "k3", "k4"}, {"MGET", "k1", "k1:exp", "k3", "k3:exp"}});
}

TEST_CASE("A window that was worth a look is shown although the connection broke in between") {
    // The counters, the pairs of the first page, and those of the second: whatever is lost is made up for.
    for (int breaks_at = 1; breaks_at <= 6; ++breaks_at) {
        PretendedShards shards;
        shards.node().facts.clock.reset();
        std::vector<std::optional<int>> counters(700, 1);
        counters[3] = counters[299] = counters[300] = counters[650] = 9;
        WindowServer windows(shards, counters);
        windows.breaks_at_look = breaks_at;
        std::map<std::string, int> times;
        ScanQuestion question;
        question.worth_a_look = [&](std::string_view key, std::string_view counter) {
            ++times[std::string(key)];
            return counter == "9";
        };
        INFO(breaks_at);
        CHECK(sweep(shards, question) == std::map<std::string, int>{{"k3", 1}, {"k299", 1}, {"k300", 1}, {"k650", 1}});
        CHECK(times.size() == 700);
        CHECK(std::all_of(times.begin(), times.end(), [](const auto& each) { return each.second == 1; }));
        CHECK(shards.node().opened() == 2);
    }
}

TEST_CASE("Where names tell windows a counter is asked for when it is found and the connection may break in between") {
    for (int breaks_at = 0; breaks_at <= 6; ++breaks_at) {
        PretendedShards shards;
        shards.node().facts.clock.reset();
        std::vector<std::optional<int>> counters(700, 1);
        counters[3] = counters[299] = counters[300] = counters[650] = 9;
        counters[5] = counters[6] = std::nullopt;
        WindowServer windows(shards, counters);
        windows.breaks_at_look = breaks_at;
        std::map<std::string, int> found;
        std::map<std::string, int> times;
        ScanQuestion question;
        question.worth_a_look = [&](std::string_view key, std::string_view counter) {
            ++times[std::string(key)];
            return counter == "9";
        };
        question.by_name.emplace();
        question.by_name->expiry_found = [&](std::string_view key) {
            ++found[std::string(key)];
            return key == "k3" || key == "k5" || key == "k7";  // without a counter; these two have one
        };
        question.by_name->counter_found = [](std::string_view key) { return key != "k300"; };
        INFO(breaks_at);
        CHECK(sweep(shards, question) == std::map<std::string, int>{{"k3", 1}, {"k5", 1}, {"k299", 1}, {"k650", 1}});
        CHECK(found.size() == 700);
        CHECK(times.size() == 697);
        for (const auto* each : {&found, &times}) {
            CHECK(std::all_of(each->begin(), each->end(), [](const auto& one) { return one.second == 1; }));
        }
        CHECK(shards.node().opened() == (breaks_at == 0 ? 1 : 2));
        if (breaks_at == 0) CHECK(windows.looks().front().size() == 201);
    }
}

TEST_CASE("A sweep that finds nothing still tells how far it is") {
    PretendedShards shards;
    shards.node().facts.clock.reset();
    WindowServer windows(shards, std::vector<std::optional<int>>(1500, 7));
    ScanQuestion question;
    question.from = {domain::ReadFrom::Which::primary, {}};
    question.ops = 40;
    question.worth_a_look = [](std::string_view, std::string_view) { return false; };
    const auto stream = shards.store().scan(std::move(question));
    bool told = false;
    while (const auto* page = stream->next()) {
        CHECK(page->looks.empty());
        const auto& progress = stream->progress().at(0);
        told = told || (progress.cursor != "0" && progress.keys > 0 && !progress.complete);
    }
    CHECK(told);
    CHECK(stream->progress().at(0).complete);
}

TEST_CASE("A sweep sends no more commands than it may") {
    PretendedShards shards;
    shards.node().facts.clock.reset();
    WindowServer windows(shards, std::vector<std::optional<int>>(1500, 7));
    ScanQuestion question;
    question.ops = 200;
    const auto started = std::chrono::steady_clock::now();
    CHECK(sweep(shards, question).size() == 1500);
    const auto took = std::chrono::steady_clock::now() - started;
    // 5 SCANs and 15 looks; those of the last page leave at once, and are not paid for any more.
    CHECK(shards.asked("SCAN") + shards.asked("MGET") == 20);
    CHECK(took >= std::chrono::milliseconds(17 * 5));
}

/// What a sweep of a server with such an answer to SCAN ends with.
std::vector<store::NodeFailure> failures_of_sweep(PretendedShards& shards,
                                                  std::function<Answer(const Command&)> answer) {
    shards.server().tells_time = false;
    shards.node().always(first_word_is("SCAN"), std::move(answer));
    ScanQuestion question;
    question.from = {domain::ReadFrom::Which::primary, {}};
    const auto stream = shards.store().scan(std::move(question));
    while (stream->next() != nullptr) {
    }
    CHECK_FALSE(stream->progress().at(0).complete);
    return stream->failures();
}

TEST_CASE("A sweep whose cursors go round in a circle ends with an error after the second round") {
    PretendedShards shards;
    std::size_t asked = 0;
    const auto failures = failures_of_sweep(shards, [&](const Command&) -> Answer {
        ++asked;
        return array({text(std::to_string(asked < 20 ? 1000 + asked : 1 + asked % 7)), array({})});
    });
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].error.code == support::ExitCode::protocol);
    CHECK(contains(failures[0].error.message, "the same cursors come again and again"));
    CHECK(asked < 100);
}

TEST_CASE("A sweep whose cursors never repeat ends with an error when all keys must have come long ago") {
    PretendedShards shards;
    std::size_t asked = 0;
    shards.node().always(first_word_is("DBSIZE"), [](const Command&) -> Answer { return integer(1000); });
    const auto failures = failures_of_sweep(shards, [&](const Command&) -> Answer {
        return array({text(std::to_string(++asked)), array({})});
    });
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].error.code == support::ExitCode::protocol);
    CHECK(contains(failures[0].error.message, "never ends"));
    CHECK(contains(failures[0].error.message, "there are 1000"));
    CHECK(asked < 3 * store::CursorGuard::kPatience);
}

TEST_CASE("A cursor that comes back once and a sweep that is as long as its server is large end well") {
    PretendedShards shards;
    shards.server().tells_time = false;
    std::size_t asked = 0;
    const std::size_t pages = 3 * store::CursorGuard::kPatience;
    shards.node().always(first_word_is("DBSIZE"), [&](const Command&) -> Answer {
        return integer(static_cast<std::int64_t>(pages * PageSize::kFirst));
    });
    shards.node().always(first_word_is("SCAN"), [&](const Command&) -> Answer {
        const std::size_t at = ++asked < 1000 ? asked : asked < 1500 ? asked - 500 : asked;
        return array({text(asked == pages ? "0" : std::to_string(at)), array({})});
    });
    CHECK(sweep(shards, {}).empty());
    CHECK(asked == pages);
}

TEST_CASE("A last attempt at a page has the server compare no names") {
    PretendedShards shards;
    shards.server().tells_time = false;
    std::vector<std::string> patterns;
    shards.node().always(first_word_is("SCAN"), [&](const Command& command) -> Answer {
        patterns.push_back(command.at(2) == "MATCH" ? command.at(3) : "");
        if (patterns.size() < 3) return broken(true, "no whole reply within 2s");
        const auto foreign = array({text("a"), text("a:exp"), text("other")});
        return patterns.size() == 3 ? array({text("7"), foreign}) : array({text("0"), array({})});
    });
    shards.node().always(first_word_is("MGET"), [](const Command& command) -> Answer {
        CHECK(command == Command{"MGET", "a", "a:exp"});
        return array({text("1"), text("2000000000")});
    });
    CHECK(sweep(shards, {}) == std::map<std::string, int>{{"a", 1}});
    CHECK(patterns == std::vector<std::string>{"*:exp", "*:exp", "", "*:exp"});
}

TEST_CASE("A page of names that are too long is asked for in smaller ones, and a name that is too long left out") {
    PretendedShards shards;
    shards.server().tells_time = false;
    const std::string long_name(SweepPage::kMostNames + 1, 'k');
    std::vector<std::string> keys;
    for (int i = 0; i < 40; ++i) keys.push_back(std::to_string(i) + std::string(300'000, 'k') + ":exp");
    keys.insert(keys.begin() + 20, long_name + ":exp");
    std::vector<std::size_t> counts;
    shards.node().always(first_word_is("SCAN"), [&](const Command& command) -> Answer {
        const std::size_t first = std::stoul(command.at(1));
        counts.push_back(std::stoul(command.back()));
        const std::size_t end = std::min(first + counts.back(), keys.size());
        redis::Reply found = array({});
        for (std::size_t i = first; i < end; ++i) found.elements.push_back(text(keys[i]));
        return array({text(end == keys.size() ? "0" : std::to_string(end)), found});
    });
    shards.node().always(first_word_is("MGET"), [](const Command& command) -> Answer {
        CHECK(command.size() > 1);
        return array(std::vector<redis::Reply>(command.size() - 1, text("2000000000")));
    });
    ScanQuestion question;
    question.from = {domain::ReadFrom::Which::primary, {}};
    const auto stream = shards.store().scan(std::move(question));
    std::map<std::string, int> shown;
    while (const auto* page = stream->next()) {
        for (const auto& look : page->looks) ++shown[look.key];
    }
    CHECK(shown.size() == 40);
    CHECK(std::all_of(shown.begin(), shown.end(), [](const auto& each) { return each.second == 1; }));
    CHECK(stream->progress().at(0).complete);
    REQUIRE(stream->failures().size() == 1);
    const auto& error = stream->failures()[0].error;
    CHECK(error.code == support::ExitCode::partial);
    CHECK(contains(error.message, "key '" + std::string(32, 'k') + "..."));
    CHECK(contains(error.message, "8.0 MiB"));
    CHECK(counts.front() == PageSize::kFirst);
    CHECK(counts.at(1) == 1);
    CHECK(counts.back() > 1);
}

}  // namespace
}  // namespace ratectl::test
