// kill -9 anywhere in a bulk increment of each kind of limiter: run again under its operation id it counts every window
// once, and its undo takes all of it back.
#include <csignal>
#include <iterator>
#include <random>
#include <span>

#include "cli/limiter_deployment.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr int kWindows = 240;
const int kMostKills = few_if_sanitized(4);

struct KilledKind {
    const char* scheme;
    const char* key;
    bool numbered = false;
};

constexpr KilledKind kKilledKinds[] = {{"rate-limiter-flexible", "k:{client}"},
                                       {"rack-attack", "k:{bucket}:{client}", true},
                                       {"redis-docs-list", "k:{client}"},
                                       {"redis-rate", "k:{client}"},
                                       {"stripe", "k.{client}.tokens"},
                                       {"upstash-token", "k:{client}"},
                                       {"limitlion", "k:{client}"},
                                       {"koa", "k:{client}"},
                                       {"limits-moving", "LIMITER/{client}/100/1/hour"},
                                       {"limits-sliding", "LIMITS:{{LIMITER/{client}/100/1/hour}}"},
                                       {"upstash-sliding", "k:{client}:{bucket}", true},
                                       {"stripe-concurrent", "k:{client}"}};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Names of all windows, one a line.
std::string names_of(const KilledKind& kind) {
    const auto bucket = std::to_string(seconds_from_now(0) / 36'000);
    std::string names;
    for (int i = 0; i < kWindows; ++i) {
        auto name = replaced(replaced(kind.key, "{client}", "c" + std::to_string(i)), "{bucket}", bucket);
        names += replaced(replaced(name, "{{", "{"), "}}", "}") + "\n";
    }
    return names;
}

/// How many windows have so many used.
std::map<std::int64_t, int> counted(LimiterDeployment& box, const std::string& names) {
    std::map<std::int64_t, int> windows;
    for (const auto& row : box.rows({"check", "-"}, names)) {
        const auto& used = row.at("used");
        ++windows[used.is_null() ? 0 : used.get<std::int64_t>()];
    }
    return windows;
}

}  // namespace

TEST_CASE("an increment of any limiter's windows that is killed is done once when it is run again") {
    std::mt19937 dice(171);
    for (const auto& kind : std::span(kKilledKinds).first(few_if_sanitized(std::size(kKilledKinds)))) {
        INFO(kind.scheme);
        LimiterDeployment box(std::string("[[deployments.box.policies]]\nname = \"all\"\nkey = \"") + kind.key +
                              "\"\nscheme = \"" + kind.scheme + "\"\nlimit = 100\nperiod = \"10h\"\nburst = 100\n");
        const auto names = names_of(kind);
        const std::vector<std::string> increment{"increment", "-", "--amount", "3", "-y", "-q", "--op-id", "COUNT"};
        for (int kills = 0; kills < kMostKills; ++kills) {
            RunOptions options;
            options.input = names;
            options.signal_number = SIGKILL;
            options.signal_after = std::chrono::milliseconds(20 + dice() % 120);
            box.box().run(increment, options);
            for (const auto& [used, windows] : counted(box, names)) CHECK((used == 0 || used == 3));
        }
        const auto done = box.run(increment, names);
        INFO(done.err);
        CHECK(done.code == 0);
        CHECK(counted(box, names) == std::map<std::int64_t, int>{{3, kWindows}});
        const auto undone = box.run({"undo", "COUNT", "-y", "-q"});
        INFO(undone.err);
        CHECK(undone.code == 0);
        CHECK(counted(box, names) == std::map<std::int64_t, int>{{0, kWindows}});
    }
}
