// The loop of top with a screen and a clock of the test's: what is drawn, what is asked of the servers, and how it
// ends.
#include <deque>
#include <functional>
#include <optional>

#include "../fake_context.h"
#include "commands/all_commands.h"
#include "screen_text.h"
#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl;
using output::Key;
using support::ExitCode;
using support::Milliseconds;
using test::contains;
using test::FakeContext;

namespace {

/// What is to happen at a time of the fake clock.
struct Event {
    Milliseconds at{};
    std::optional<Key> key;
    std::function<void()> happens = {};
};

struct Stage {
    support::WallTime now{support::Seconds{1000}};
    std::deque<Event> events;
    std::vector<std::string> drawn;
    output::ScreenSize size{100, 16};
    bool closed = false;

    std::string last() const { return drawn.empty() ? "" : drawn.back(); }
    Milliseconds elapsed() const { return now - support::WallTime{support::Seconds{1000}}; }
};

/// Time passes while top waits for a key, and a little with each look for one.
class StageScreen final : public output::Screen {
public:
    explicit StageScreen(Stage& stage) : stage_(stage) {}
    StageScreen(const StageScreen&) = delete;
    StageScreen& operator=(const StageScreen&) = delete;
    ~StageScreen() override { stage_.closed = true; }
    output::ScreenSize size() override { return stage_.size; }
    void draw(std::span<const output::ScreenLine> lines) override {
        stage_.drawn.push_back(test::text_of({lines.begin(), lines.end()}));
    }
    std::optional<Key> read_key(Milliseconds patience) override {
        if (stage_.elapsed() > support::Seconds{600}) throw std::logic_error("nobody ends this");
        auto until = stage_.now + std::max(patience, Milliseconds{1});
        if (!stage_.events.empty()) {
            const auto due = support::WallTime{support::Seconds{1000}} + stage_.events.front().at;
            if (due <= until) {
                stage_.now = std::max(stage_.now, due);
                const Event event = stage_.events.front();
                stage_.events.pop_front();
                if (event.happens) event.happens();
                return event.key;
            }
        }
        stage_.now = until;
        return std::nullopt;
    }

private:
    Stage& stage_;
};

class StageContext final : public FakeContext {
public:
    explicit StageContext(std::size_t shards = 1) : FakeContext(shards) {}
    std::unique_ptr<output::Screen> open_screen() override {
        return has_screen ? std::make_unique<StageScreen>(stage) : nullptr;
    }
    support::WallTime wall_clock() override { return stage.now; }

    ExitCode top(std::vector<std::string> arguments = {}) { return run(commands::top_command(), std::move(arguments)); }
    void key(int at_ms, char32_t c) { stage.events.push_back({Milliseconds{at_ms}, Key{Key::Kind::character, c}}); }
    void press(int at_ms, Key::Kind kind) { stage.events.push_back({Milliseconds{at_ms}, Key{kind}}); }
    void then(int at_ms, std::function<void()> what) {
        stage.events.push_back({Milliseconds{at_ms}, std::nullopt, std::move(what)});
    }
    void fill() {
        put("core:alice", "7", "4600");
        put("core:bob", "20", "4600");
        put("core:old", "19", "900");
        put("search:carol", "300", "4600");
        put("other:thing", "500", "4600");
    }

    Stage stage;
    bool has_screen = true;
};

std::size_t scans_of(test::FakeNode& node) {
    return static_cast<std::size_t>(std::count_if(node.asked().begin(), node.asked().end(),
                                                  [](const auto& command) { return command.front() == "SCAN"; }));
}

std::size_t place_in(const std::string& text, const std::string& part) { return text.find(part); }

}  // namespace

TEST_CASE("top ranks the open windows of all policies and q leaves") {
    StageContext context;
    context.fill();
    context.key(1500, U'q');
    CHECK(context.top() == ExitCode::done);
    const std::string screen = context.stage.last();
    INFO(screen);
    CHECK(contains(screen, "test  3 windows  1 exhausted"));
    CHECK(contains(screen, "1 key left out: 1 closed"));
    CHECK(place_in(screen, "search:carol") < place_in(screen, "core:bob"));
    CHECK(place_in(screen, "core:bob") < place_in(screen, "core:alice"));
    CHECK_FALSE(contains(screen, "core:old"));
    CHECK_FALSE(contains(screen, "other:thing"));
    CHECK(contains(screen, "! exhausted"));
    CHECK(context.stage.closed);
    CHECK(context.output().empty());
    CHECK(context.errors().empty());
}

TEST_CASE("rows on the screen move each second and tell a rate and when they are full") {
    StageContext context;
    context.fill();
    context.then(500, [&] { context.put("core:alice", "9", "4600"); });
    context.then(1500, [&] { context.put("core:alice", "11", "4600"); });
    context.key(2600, U'q');
    CHECK(context.top({"--every=1h"}) == ExitCode::done);
    const std::string screen = context.stage.last();
    INFO(screen);
    CHECK(scans_of(context.replica(0)) == 1);
    CHECK(contains(screen, " 11 "));
    CHECK(contains(screen, "2.0"));
    CHECK(contains(screen, " 5s "));  // 9 left at 2 a second
}

TEST_CASE("the next sweep begins when it is due and finds what is new") {
    StageContext context;
    context.fill();
    context.then(3000, [&] { context.put("core:zoe", "17", "4600"); });
    context.key(4900, U'q');
    CHECK(context.top({"--every=2s"}) == ExitCode::done);
    CHECK(scans_of(context.replica(0)) == 3);
    CHECK(contains(context.stage.last(), "core:zoe"));
    CHECK(contains(context.stage.last(), "4 windows"));
}

TEST_CASE("while top is paused no server is asked for anything") {
    StageContext context;
    context.fill();
    context.key(500, U' ');
    std::size_t asked = 0;
    context.then(600, [&] { asked = context.replica(0).asked().size(); });
    context.then(9000, [&] { CHECK(context.replica(0).asked().size() == asked); });
    context.key(9100, U' ');
    context.key(9500, U'q');
    CHECK(context.top() == ExitCode::done);
    CHECK(asked > 0);
    CHECK(context.replica(0).asked().size() > asked);
}

TEST_CASE("a filter is for the rows on the screen at once and for those beyond with the next sweep") {
    StageContext context;
    context.fill();
    context.key(500, U'/');
    for (const char32_t c : U"alice") {
        if (c != 0) context.key(500, c);
    }
    context.press(510, Key::Kind::enter);
    std::string filtered;
    context.then(700, [&] { filtered = context.stage.last(); });
    context.key(4500, U'q');
    CHECK(context.top({"--rows=1"}) == ExitCode::done);
    CHECK(contains(filtered, "no window of the ranking passes the filter"));
    CHECK(contains(context.stage.last(), "core:alice"));
    CHECK(contains(context.stage.last(), "3 windows"));  // the filter hides, it does not count
}

TEST_CASE("another order ranks the rows at once and all windows with the next sweep") {
    StageContext context;
    context.fill();
    std::string at_once;
    context.key(500, U'p');
    context.then(600, [&] { at_once = context.stage.last(); });
    context.key(4500, U'q');
    CHECK(context.top() == ExitCode::done);
    CHECK(contains(at_once, "by percent with the next sweep"));
    CHECK(place_in(at_once, "core:bob") < place_in(at_once, "search:carol"));
    CHECK(contains(context.stage.last(), "by percent, ranked"));
}

TEST_CASE("rates rank all windows from the second sweep on") {
    StageContext context;
    context.fill();
    context.then(1000, [&] {
        context.put("core:alice", "15", "4600");
        context.put("core:bob", "21", "4600");
    });
    context.key(3500, U'q');
    CHECK(context.top({"--sort=rate", "--rows=1"}) == ExitCode::done);
    INFO(context.stage.last());
    CHECK(contains(context.stage.last(), "core:alice"));
    CHECK(contains(context.stage.last(), "by rate"));
}

TEST_CASE("a dead shard is named on the screen and the end is partial") {
    StageContext context(2);
    context.fill();
    context.kill_primary(1);
    context.kill_replica(1);
    context.key(3000, U'q');
    CHECK(context.top() == ExitCode::partial);
    INFO(context.stage.last());
    CHECK(contains(context.stage.last(), "shard 'beta'"));
    CHECK(contains(context.errors(), "shard 'beta'"));
}

TEST_CASE("where no server answers top says so and ends as unavailable") {
    StageContext context;
    context.kill_primary(0);
    context.kill_replica(0);
    context.key(3000, U'q');
    CHECK(context.top() == ExitCode::unavailable);
    CHECK(contains(context.stage.last(), "shard 'alpha'"));
}

TEST_CASE("a failure in the middle gives the screen back before it is said") {
    StageContext context;
    context.fill();
    CHECK(context.top({"--min-used=50%"}) == ExitCode::configuration);  // search has no limit
    CHECK(context.stage.closed);
    CHECK(contains(context.errors(), "search:carol"));
}

TEST_CASE("without a screen top is the top of a scan") {
    StageContext context;
    context.has_screen = false;
    context.fill();
    context.given.output = "name";
    CHECK(context.top({"--rows=2"}) == ExitCode::done);
    CHECK(context.output() == "search:carol\ncore:bob\n");
    StageContext sorted;
    sorted.has_screen = false;
    sorted.fill();
    sorted.given.output = "name";
    CHECK(sorted.top({"--rows=2", "--sort=key"}) == ExitCode::done);
    CHECK(sorted.output() == "core:alice\ncore:bob\n");
    StageContext reversed;
    reversed.has_screen = false;
    reversed.fill();
    reversed.given.output = "name";
    CHECK(reversed.top({"--rows=1", "--sort=key", "--reverse"}) == ExitCode::done);
    CHECK(reversed.output() == "search:carol\n");
}

TEST_CASE("an output format makes top print once even where there is a screen") {
    StageContext context;
    context.fill();
    context.given.output = "ndjson";
    CHECK(context.top({"--rows=1"}) == ExitCode::done);
    CHECK(context.stage.drawn.empty());
    CHECK(contains(context.output(), "\"key\":\"search:carol\""));
}

TEST_CASE("what top cannot rank by or print is said at once") {
    StageContext context;
    context.has_screen = false;
    CHECK(context.top({"--sort=rate"}) == ExitCode::usage);
    CHECK(contains(context.errors(), "one look at each window tells no rate"));
    CHECK(context.top({"--sort=colour"}) == ExitCode::usage);
    CHECK(context.top({"--rows=0"}) == ExitCode::usage);
    CHECK(context.top({"--every=2"}) == ExitCode::usage);
}

TEST_CASE("the clock of top starts at the time that was given and goes on") {
    StageContext context;
    context.fill();
    context.put("core:brief", "3", "1003");
    std::string early;
    context.then(1500, [&] { early = context.stage.last(); });
    context.key(6500, U'q');
    CHECK(context.top({"--every=1h"}) == ExitCode::done);
    INFO(early);
    CHECK(contains(early, "core:brief"));
    CHECK(contains(early, "1970-01-01T00:16:4"));
    INFO(context.stage.last());
    CHECK(contains(context.stage.last(), "closed"));
    CHECK(contains(context.stage.last(), "1970-01-01T00:16:46Z"));
}

TEST_CASE("clients of a secret policy are fingerprints on the screen of top") {
    StageContext context;
    context.fill();
    auto policies = context.configured.policies.policies();
    policies.front().secret = policies.front().masked = true;
    context.configured.policies = domain::PolicyBook(policies);
    context.press(1000, Key::Kind::down);
    context.press(1100, Key::Kind::enter);
    std::string details;
    context.then(1300, [&] { details = context.stage.last(); });
    context.key(1400, U'q');
    CHECK(context.top() == ExitCode::done);
    INFO(details);
    CHECK(contains(details, "search:carol"));
    CHECK(contains(details, "looked at"));
    CHECK(contains(details, "core:"));
    CHECK_FALSE(contains(details, "bob"));
    CHECK_FALSE(contains(details, "alice"));
}
