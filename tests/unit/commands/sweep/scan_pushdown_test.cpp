// What a scan leaves to the servers, and what it tells from counters alone: the rows and the numbers stay what they
// were.
#include <algorithm>

#include "commands/all_commands.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"
#include "unit/commands/look/scan_run.h"

using namespace ratectl;
using support::ExitCode;
using test::contains;
using test::FakeContext;
using test::first_word_is;
using test::scan;

namespace {

/// Three windows of core (limit 20, gold clients 50), two without a limit, one of no policy, two halves.
void fill_states(FakeContext& context) {
    context.put("core:alice", "7", "1600");
    context.put("core:bob", "20", "1010");
    context.put("core:old", "30", "999");
    context.put("search:alice", "30", "1600");
    context.put("search:bob", "5", "1600");
    context.put("other:thing", "90", "1600");
    context.put("core:broken", "many", "1600");
    context.put_raw(0, "core:lonely:exp", "1600");
    context.given.output = "name";
}

/// Whether a look asked for this key of the server.
bool was_asked(FakeContext& context, const std::string& key) {
    const auto& asked = context.replica(0).asked();
    return std::any_of(asked.begin(), asked.end(), [&](const test::Command& command) {
        return command[0] == "MGET" && std::find(command.begin(), command.end(), key) != command.end();
    });
}

std::string pattern_asked(FakeContext& context) {
    for (const auto& command : context.replica(0).asked()) {
        if (command[0] == "SCAN") return command.at(3);
    }
    return "";
}

}  // namespace

TEST_CASE("windows below the wanted use are told by their counters and counted all the same") {
    FakeContext context;
    fill_states(context);
    CHECK(scan(context, {"--min-used=20", "--sort=key"}) == ExitCode::done);
    CHECK(context.output() == "core:bob\nsearch:alice\n");
    CHECK(contains(context.errors(), "notice: 1 key matches no policy"));
    CHECK(contains(context.errors(), "2 of 7 windows on 1 shard\n"));
    CHECK(was_asked(context, "core:bob:exp"));
    CHECK(was_asked(context, "core:alice"));
    CHECK_FALSE(was_asked(context, "core:alice:exp"));
    CHECK_FALSE(was_asked(context, "other:thing:exp"));
}

TEST_CASE("a share of an unknown limit is asked of the window itself") {
    FakeContext context;
    fill_states(context);
    CHECK(scan(context, {"--min-used=100%", "--policy=core"}) == ExitCode::done);
    CHECK(context.output() == "core:bob\n");
    FakeContext unknown;
    fill_states(unknown);
    CHECK(scan(unknown, {"--min-used=100%"}) == ExitCode::configuration);
    CHECK(contains(unknown.errors(), "'search:"));
}

TEST_CASE("only exhausted windows are looked at when only they are wanted") {
    FakeContext context;
    fill_states(context);
    CHECK(scan(context, {"--state=exhausted", "--policy=core"}) == ExitCode::done);
    CHECK(context.output() == "core:bob\n");
    CHECK(contains(context.errors(), "1 of 5 windows"));
    FakeContext several;
    fill_states(several);
    CHECK(scan(several, {"--state=exhausted,closed", "--policy=core", "--sort=key"}) == ExitCode::done);
    CHECK(several.output() == "core:bob\ncore:old\n");
}

TEST_CASE("the top windows are those of a scan that looks at all of them") {
    for (const char* n : {"1", "2", "4", "6", "20"}) {
        FakeContext quick;
        fill_states(quick);
        CHECK(scan(quick, {"*", "--top", n}) == ExitCode::done);
        FakeContext slow;
        fill_states(slow);
        CHECK(scan(slow, {"*", "--top", n, "--look=full"}) == ExitCode::done);
        CHECK(quick.output() == slow.output());
        const auto last_line = [](const std::string& text) {
            return text.substr(text.rfind('\n', text.size() - 2) + 1);
        };
        CHECK(last_line(quick.errors()) == last_line(slow.errors()));
    }
}

TEST_CASE("where templates tell windows by name other counters are neither asked for nor counted") {
    FakeContext context;
    fill_states(context);
    context.put_raw(0, "core:alone", "99");
    context.put_raw(0, "other:alone", "99");
    CHECK(scan(context, {"--min-used=20", "--sort=key"}) == ExitCode::done);
    CHECK(context.output() == "core:bob\nsearch:alice\n");
    CHECK(pattern_asked(context) == "*");
    CHECK(contains(context.errors(), "notice: 1 key matches no policy"));
    CHECK(contains(context.errors(), "2 of 7 windows on 1 shard\n"));
    CHECK(was_asked(context, "core:alone"));
    CHECK_FALSE(was_asked(context, "other:alone"));
    CHECK_FALSE(was_asked(context, "other:thing"));
    CHECK_FALSE(was_asked(context, "core:lonely:exp"));
}

TEST_CASE("the top windows told by name are those of a scan that looks at all of them") {
    for (const char* n : {"1", "4", "6", "20"}) {
        for (const std::vector<std::string>& which : {std::vector<std::string>{}, {"--policy=core"}, {"core:*"}}) {
            const auto ask = [&](std::vector<std::string> more) {
                FakeContext context;
                fill_states(context);
                context.put_raw(0, "core:alone", "99");
                more.insert(more.end(), which.begin(), which.end());
                more.insert(more.end(), {"--top", n});
                CHECK(scan(context, std::move(more)) == ExitCode::done);
                const std::string& said = context.errors();
                return context.output() + said.substr(said.rfind('\n', said.size() - 2) + 1);
            };
            CHECK(ask({}) == ask({"--look=full"}));
        }
    }
}

// Of a window that is opened while SCAN passes its two names only the counter may be listed: it was `1 of 0 windows`.
TEST_CASE("a window of which only the counter was listed is one of those that are counted") {
    FakeContext context;
    fill_states(context);
    context.replica(0).expect(first_word_is("SCAN"),
                              test::array({test::text("0"), test::array({test::text("core:bob")})}));
    CHECK(scan(context, {"--min-used=20"}) == ExitCode::done);
    CHECK(context.output() == "core:bob\n");
    CHECK(contains(context.errors(), "1 window on 1 shard\n"));
}

TEST_CASE("the policies asked for share what their keys begin with") {
    FakeContext context;
    fill_states(context);
    std::vector<domain::Policy> policies = context.configured.policies.policies();
    const auto add = [&](const char* name, const char* key) {
        domain::Policy policy;
        policy.name = name;
        policy.key = support::value_or_throw(domain::KeyTemplate::parse(key));
        policies.push_back(policy);
    };
    add("one", "api:[x]:one:{client}");
    add("two", "api:[x]:other:{client}");
    context.configured.policies = domain::PolicyBook(policies);
    context.put("api:[x]:one:a", "1", "1600");
    context.put("api:[x]:other:b", "2", "1600");
    context.put("api:y:one:c", "3", "1600");
    CHECK(scan(context, {"--policy=one,two", "--sort=used"}) == ExitCode::done);
    CHECK(pattern_asked(context) == "api:\\[x\\]:o*:exp");
    CHECK(context.output() == "api:[x]:one:a\napi:[x]:other:b\n");
    FakeContext all;
    fill_states(all);
    CHECK(scan(all, {}) == ExitCode::done);
    CHECK(pattern_asked(all) == "*:exp");
}

TEST_CASE("shards that are incomplete are named") {
    FakeContext context(3);
    fill_states(context);
    for (const std::size_t shard : {0U, 2U}) {
        context.kill_primary(shard);
        context.kill_replica(shard);
    }
    CHECK(scan(context, {}) == ExitCode::partial);
    CHECK(contains(context.errors(), "; shards 'alpha' and 'gamma' are incomplete\n"));
}
