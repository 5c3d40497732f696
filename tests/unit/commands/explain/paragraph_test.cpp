// The words of every verdict, cause and finding.
#include "commands/explain/facts.h"

#include <string>

#include "commands/report/wording.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/explain/explained.h"

using namespace ratectl;
using namespace ratectl::test;
using domain::Cause;
using domain::FindingClass;
using domain::Verdict;
using domain::VerdictReason;

namespace {

const std::string kLimitWords = " The limit is 20 per 1h, of policy 'core'.";
const std::string kBoth = " Primary 10.0.0.1:6379 of shard 'alpha' says so, and another server of that shard agrees.";

std::string text(const WindowFacts& facts, const std::string& zone = {}) { return paragraph_of(facts, zone); }
/// The replica shows something else.
void differ(WindowFacts& facts, Cause cause, Verdict verdict = Verdict::allowed) {
    facts.differ = true;
    facts.answers.front().from = {0};
    facts.answers.push_back({verdict, "7 of 20 used, 13 left, resets at 2026-01-01T00:10:00Z", {1}, false, false});
    facts.servers[1].cause = cause;
    facts.servers[1].differs = true;
    facts.servers[1].detail = "7 used where 10.0.0.1:6379 has no window: because";
}

}  // namespace

TEST_CASE("An open window below its limit is told in two short sentences") {
    auto facts = sound_facts();
    set_window(facts, "7", 751);
    CHECK(text(facts) ==
          "'core:alice' is allowed: 7 of 20 requests used, 13 left until 2026-01-01T00:12:31Z (in 12m31s)." +
              kLimitWords + kBoth);
}

TEST_CASE("A limited client is told until when and how to be let in at once") {
    auto facts = sound_facts();
    set_window(facts, "21", 751);
    CHECK(text(facts) ==
          "'core:alice' is limited until 2026-01-01T00:12:31Z (in 12m31s): 21 of 20 requests used. That second still "
          "counts; the first request is let through at 2026-01-01T00:12:32Z." +
              kLimitWords + kBoth +
              " Next: wait until 2026-01-01T00:12:32Z, or let the client in now with `ratectl reset --if-window "
              "1767226351 core:alice`.");
    CHECK(allowed_from(facts) == support::from_epoch(kNow + 752));
}

TEST_CASE("Local times stand beside UTC in the zone that was asked for") {
    auto facts = sound_facts();
    set_window(facts, "7", 751);
    CHECK(contains(text(facts, "Europe/Berlin"),
                   "until 2026-01-01T00:12:31Z (01:12:31+01:00 in Europe/Berlin, in 12m31s)."));
    set_window(facts, "7", -10);
    CHECK(
        contains(text(facts, "Asia/Tokyo"), "2025-12-31T23:59:50Z (2026-01-01T08:59:50+09:00 in Asia/Tokyo, 10s ago)"));
}

TEST_CASE("A window that is over or absent is told as one that counts nothing") {
    auto facts = sound_facts();
    CHECK(text(facts) ==
          "'core:alice' is allowed: it has no window, so nothing is counted at this moment." + kLimitWords + kBoth);
    set_window(facts, "20", -1);
    CHECK(text(facts) ==
          "'core:alice' is allowed: its window ended at 2025-12-31T23:59:59Z (1s ago); the 20 requests "
          "counted there are ignored." +
              kLimitWords + kBoth);
    facts.stored_used.reset();
    CHECK(contains(text(facts), "(1s ago)." + kLimitWords));
}

TEST_CASE("What a server says is shown printably") {
    auto facts = sound_facts();
    facts.ruling = {Verdict::unknown, VerdictReason::nobody_answered};
    facts.answers.clear();
    facts.servers.resize(1);
    facts.servers[0].answered = facts.servers[0].decides = false;
    facts.servers[0].refusal = "boo \x1b[31m\a";
    const auto words = text(facts);
    CHECK(contains(words, "shows it (boo \\x1b[31m\\x07)"));
    CHECK_FALSE(contains(words, "\x1b"));
}

TEST_CASE("An unknown limit never reads as fine") {
    auto facts = sound_facts();
    facts.window.limit.reset();
    facts.limit_source.clear();
    facts.missing_terms = " --limit N";
    set_window(facts, "7", 60);
    CHECK(text(facts) ==
          "It is unknown whether 'core:alice' is limited: 7 requests are used, and its limit is unknown. The window "
          "ends at 2026-01-01T00:01:00Z (in 1m). Policy 'core' names none." +
              kBoth + " Next: say the limit, `ratectl explain --limit N core:alice`, or write it into the policies.");
    facts.policy.clear();
    CHECK(contains(text(facts), " No policy matches the key."));
    auto absent = sound_facts();
    absent.window.limit.reset();
    CHECK(contains(text(absent), "is counted at this moment. Its limit is unknown: policy 'core' names none."));
}

TEST_CASE("Where the limit comes from is said for every source") {
    auto facts = sound_facts();
    facts.limit_source = "flag";
    CHECK(contains(text(facts), "The limit is 20 per 1h, given with --limit."));
    facts.limit_source = "class:gold";
    facts.client_class = "gold";
    CHECK(contains(text(facts), "The limit is 20 per 1h, of class 'gold' in policy 'core'."));
    facts.limit_source = "class-file:alice";
    CHECK(contains(text(facts), "The limit is 20 per 1h, the client's own in the class file of policy 'core'."));
    facts.period.reset();
    CHECK(contains(text(facts), "The limit is 20, the client's own"));
}

TEST_CASE("A limit of zero is told as such") {
    auto facts = sound_facts();
    facts.window.limit = 0;
    facts.ruling = domain::rule_on(facts.window, facts.now);
    CHECK(contains(text(facts), "'core:alice' is limited at all times: its limit is 0."));
    set_window(facts, "7", 60);
    CHECK(contains(text(facts), "Next: give its class or its policy another limit."));
    CHECK_FALSE(allowed_from(facts));
}

TEST_CASE("A broken window is told with what is stored and what to do") {
    auto facts = sound_facts();
    set_window(facts, "12.5", 60);
    facts.findings.push_back({FindingClass::corrupt, "12.5"});
    const auto words = text(facts);
    CHECK(words.starts_with("'core:alice' is broken: what is stored for it cannot be counted on. Primary"));
    CHECK(contains(words,
                   "12.5 (corrupt). What that does: requests of this client fail, or the window is taken for none."));
    CHECK(contains(words,
                   "Next: find the writer; `ratectl reset --state corrupt core:alice` removes the window if both "
                   "halves are strings, and no command of ratectl removes another type."));
    facts.findings.back().own_effect = "it fails";
    facts.findings.back().own_advice = "remove it with `ratectl reset KEY`";
    CHECK(contains(text(facts), "12.5 (corrupt). What that does: it fails."));
    CHECK(text(facts).ends_with("Next: remove it with `ratectl reset core:alice`."));
}

TEST_CASE("A leaked window is told once although every server shows it") {
    auto facts = sound_facts();
    set_window(facts, "7", 60);
    facts.findings.push_back({FindingClass::leaked, "the counter has no TTL"});
    facts.servers[0].cause = facts.servers[1].cause = Cause::missing_ttl;
    facts.servers[0].detail = facts.servers[1].detail = "the counter has no TTL on any node that shows it, so it stays";
    const auto words = text(facts);
    CHECK(
        contains(words,
                 "The counter has no TTL (leaked). What that does: nothing until the window ends; then it takes memory "
                 "for ever."));
    CHECK_FALSE(contains(words, "missing-ttl"));
    CHECK(
        contains(words, "Next: `ratectl doctor --fix leaked core:alice` sets both halves to expire when they should."));
    CHECK(advice_for(facts).size() == 1);
}

TEST_CASE("What a late EXPIREAT left sends people to the clocks") {
    auto facts = sound_facts();
    facts.window.state = domain::WindowState::orphan_counter;
    facts.window.used = 1;
    facts.ruling = domain::rule_on(facts.window, facts.now);
    facts.findings.push_back(
        {FindingClass::orphan_counter, "1 used, no expiry half and no TTL: a late EXPIREAT leaves this"});
    const auto words = text(facts);
    CHECK(words.starts_with("'core:alice' is allowed: only half of a window is there, which counts as none."));
    CHECK(contains(words, "no expiry half and no TTL: a late EXPIREAT leaves this"));
    CHECK(contains(words,
                   "Next: compare the application's clock with the servers' (`ratectl nodes`); `ratectl doctor --fix "
                   "orphan-counter core:alice` removes what is left."));
}

TEST_CASE("A replica that would have said something else is told with the reason and what to do") {
    struct Told {
        Cause cause;
        std::string word;
        std::string advice;
    };
    for (const auto& [cause, word, advice] :
         {Told{Cause::cut_off, "cut-off", "repair the link"}, Told{Cause::lag, "lag", "read limits from the primary"},
          Told{Cause::clock, "clock", "run NTP"}, Told{Cause::missing_ttl, "missing-ttl", "`ratectl doctor`"},
          Told{Cause::masked_expiry, "masked-expiry", "compare the end"},
          Told{Cause::two_primaries, "two-primaries", "make the old primary"},
          Told{Cause::wrong_role, "wrong-role", "was there a failover"},
          Told{Cause::unknown, "unknown", "`ratectl nodes -o wide`"}}) {
        INFO(word);
        auto facts = sound_facts();
        differ(facts, cause);
        const auto words = text(facts);
        CHECK(contains(words,
                       "Primary 10.0.0.1:6379 of shard 'alpha' decides, and says: no window, all 20 left. Replica "
                       "10.0.0.2:6379 would have said: 7 of 20 used, 13 left, resets at 2026-01-01T00:10:00Z. The "
                       "reason (" +
                           word + "): 7 used where 10.0.0.1:6379 has no window: because."));
        CHECK(contains(words, "Next: " + advice));
    }
}

TEST_CASE("Servers that decide differently are both named in the first sentence") {
    auto facts = sound_facts();
    differ(facts, Cause::cut_off, Verdict::limited);
    facts.ruling = {Verdict::disagreement, VerdictReason::servers_differ};
    CHECK(
        text(facts).starts_with("'core:alice' is allowed according to primary 10.0.0.1:6379, but limited according to "
                                "replica 10.0.0.2:6379." +
                                kLimitWords));
    facts.answers[1].verdict = Verdict::limit_unknown;
    CHECK(contains(text(facts), "but counted without a known limit according to replica"));
}

TEST_CASE("A client that only the primary refuses is told until when and how to be let in") {
    auto facts = sound_facts();
    set_window(facts, "20", 60);
    differ(facts, Cause::cut_off);
    facts.ruling = {Verdict::disagreement, VerdictReason::servers_differ};
    const auto words = text(facts, "Europe/Berlin");
    CHECK(words.starts_with("'core:alice' is limited according to primary 10.0.0.1:6379, but allowed according to"));
    CHECK(
        contains(words, "decides, and says: 20 used, resets at some second (01:01:00+01:00 in Europe/Berlin, in 1m)."));
    CHECK(contains(words,
                   "Next: wait until 2026-01-01T00:01:01Z, or let the client in now with `ratectl reset --if-window"));
}

TEST_CASE("A verdict that hangs on a clock names whose") {
    auto facts = sound_facts();
    differ(facts, Cause::clock, Verdict::limited);
    facts.answers[1].by_their_clock_only = true;
    facts.ruling = {Verdict::disagreement, VerdictReason::clocks_differ};
    const auto words = text(facts);
    CHECK(
        words.starts_with("'core:alice' is allowed by our clock, but limited by the clock of replica 10.0.0.2:6379."));
    CHECK(contains(words, "Replica 10.0.0.2:6379 would have said by its own clock: 7 of 20 used"));
}

TEST_CASE("The clock of the server that decides is told where it is off and nothing else says so") {
    auto facts = sound_facts();
    facts.servers[0].clock_skew = support::Milliseconds{-3000};
    CHECK(contains(text(facts), "The clock of primary 10.0.0.1:6379 is 3s behind ours."));
    facts.servers[0].clock_skew = support::Milliseconds{900};
    CHECK_FALSE(contains(text(facts), "The clock"));
}

TEST_CASE("A server that could not be asked is named and never counted as agreeing") {
    auto facts = sound_facts();
    facts.answers.front().from = {0};
    facts.servers[1].answered = false;
    facts.servers[1].cause = Cause::unreachable;
    facts.servers[1].detail = "connection refused";
    const auto words = text(facts);
    CHECK(contains(words,
                   "Primary 10.0.0.1:6379 of shard 'alpha' says so. Replica 10.0.0.2:6379 could not be asked "
                   "(connection refused); what it would say is unknown."));
    CHECK(contains(words, "Next: `ratectl nodes` says more."));
}

TEST_CASE("Without a primary nobody knows the verdict and the best replica is quoted") {
    auto facts = sound_facts();
    facts.standing = domain::Standing::best_replica;
    facts.ruling = {Verdict::unknown, VerdictReason::primary_silent};
    facts.servers[0].decides = facts.servers[0].answered = false;
    facts.servers[0].cause = Cause::unreachable;
    facts.servers[0].detail = "connection refused";
    facts.servers[1].decides = true;
    facts.answers.front().from = {1};
    const auto words = text(facts);
    CHECK(words.starts_with("It is unknown whether 'core:alice' is limited: no primary of shard 'alpha' answers."));
    CHECK(contains(words, "The best of its replicas, replica 10.0.0.2:6379, says: no window, all 20 left."));
    CHECK(contains(words, "Next: see what became of the servers with `ratectl nodes`, and ask again."));
    // What has lost a dead primary was to be replaced by reads from that primary.
    for (const auto cause : {Cause::cut_off, Cause::lag}) {
        facts.servers[1].cause = cause;
        facts.servers[1].detail = "its link is down";
        CHECK_FALSE(contains(text(facts), "from the primary"));
        CHECK(contains(text(facts), "Bring the primary back, or make a replica the primary"));
    }
}

TEST_CASE("Without any server nothing is claimed of the window") {
    auto facts = sound_facts();
    facts.standing = domain::Standing::none;
    facts.ruling = {};
    facts.answers.clear();
    for (auto& server : facts.servers) {
        server.answered = server.decides = false;
        server.cause = Cause::unreachable;
        server.detail = "connection refused";
    }
    CHECK(
        text(facts) ==
        "It is unknown whether 'core:alice' is limited: no server of shard 'alpha' answers. Primary 10.0.0.1:6379 "
        "could not be asked (connection refused); what it would say is unknown. Replica 10.0.0.2:6379 could not be "
        "asked (connection refused); what it would say is unknown. Next: see what became of the servers with `ratectl "
        "nodes`, and ask again.");
}

TEST_CASE("A replica that acts as primary is told as that") {
    auto facts = sound_facts();
    facts.standing = domain::Standing::promoted_replica;
    facts.servers[0].decides = false;
    facts.servers[1].decides = true;
    facts.servers[1].cause = Cause::wrong_role;
    facts.servers[1].detail = "known as replica, it acts as primary";
    const auto words = text(facts);
    CHECK(contains(words,
                   "Replica 10.0.0.2:6379 of shard 'alpha', known as a replica and acting as primary, says so, and "
                   "another server"));
    CHECK(contains(words, "Replica 10.0.0.2:6379 (wrong-role): known as replica, it acts as primary."));
}

TEST_CASE("What this machine changed lately is told with who and what was before") {
    auto facts = sound_facts();
    ChangeFacts change;
    change.command = "reset";
    change.who = "alice on web1";
    change.operation = "01JD";
    change.at = support::WallTime{support::Seconds{kNow - 180}};
    change.steps = 1;
    change.before.used = "20";
    facts.changes.push_back(change);
    CHECK(contains(text(facts),
                   "From this machine: 20 -> none by reset 01JD, run by alice on web1 at 2025-12-31T23:57:00Z "
                   "(3m ago)."));
    facts.changes.front().unknown = 1;
    facts.changes.front().who.clear();
    CHECK(contains(text(facts),
                   "From this machine: with an outcome that is not known by reset 01JD, run at 2025-12-31T23:57:00Z "
                   "(3m ago)."));
}

TEST_CASE("All steps of an operation are told in one sentence") {
    auto facts = sound_facts();
    ChangeFacts change;
    change.command = "replay";
    change.operation = "01JD";
    change.at = support::WallTime{support::Seconds{kNow}};
    change.steps = 32;
    change.after.used = "32";
    facts.changes.push_back(change);
    CHECK(contains(text(facts), "From this machine: none -> 32 in 32 steps by replay 01JD, run at "));
    facts.changes.front().unknown = 2;
    CHECK(contains(text(facts), "none -> 32 in 32 steps (2 of them with an unknown outcome) by replay 01JD"));
}

TEST_CASE("A window on another shard is told with the shard that the application looks on") {
    auto facts = sound_facts();
    facts.findings.push_back({FindingClass::misplaced, "shard 'beta' has 7 used; the application looks on 'alpha'"});
    const auto words = text(facts);
    CHECK(contains(
        words,
        "Shard 'beta' has 7 used; the application looks on 'alpha' (misplaced). What that does: the client has a "
        "fresh window elsewhere"));
    CHECK(contains(words, "`ratectl sharding verify` tells"));
    CHECK(contains(words, "`ratectl reset core:alice --all-shards --shard NAME` removes it there"));
}

// `is the order of the shards right?.`
TEST_CASE("Advice that is a question ends as one") {
    auto facts = sound_facts();
    facts.findings.push_back({FindingClass::masked_keys, "12 keys"});
    CHECK_FALSE(contains(text(facts), "?."));
}

TEST_CASE("A deployment that had to be named is named in every command") {
    auto facts = sound_facts();
    facts.deployment_flags = " -d box";
    set_window(facts, "20", 60);
    CHECK(contains(text(facts), "`ratectl -d box reset --if-window"));
}

TEST_CASE("Commands that a finding or a cause advises name the deployment as well") {
    auto facts = sound_facts();
    facts.deployment_flags = " -u redis://10.0.0.1";
    set_window(facts, "12.5", 60);
    facts.findings.push_back({FindingClass::corrupt, "12.5"});
    facts.servers[1].cause = Cause::lag;
    CHECK(contains(text(facts),
                   "`ratectl -u redis://10.0.0.1 reset --state corrupt core:alice` removes the window if both "
                   "halves are strings"));
    CHECK(contains(text(facts), "`ratectl -u redis://10.0.0.1 nodes --probe`"));
}

TEST_CASE("Shards that could not be asked for a key of unknown home are told") {
    auto facts = sound_facts();
    CHECK_FALSE(contains(text(facts), "may have the key"));
    facts.silent_shards = {"beta"};
    CHECK(contains(text(facts), "Shard 'beta' could not be asked, and may have the key as well."));
}

TEST_CASE("Hostile bytes of keys and stored values are escaped in the paragraph") {
    auto facts = sound_facts();
    facts.key = "core:a\n\x1b[31m\xff";
    facts.servers[1].detail = "holds \x1b]0;x\x07";
    facts.servers[1].cause = Cause::unknown;
    const auto words = text(facts);
    CHECK(words.find('\x1b') == std::string::npos);
    CHECK(words.find('\n') == std::string::npos);
    CHECK(contains(words, "'core:a\\n\\x1b[31m\\xff' is allowed"));
}

TEST_CASE("Keys become arguments that a shell hands on unharmed") {
    using commands::as_argument;
    CHECK(as_argument("core:alice") == "core:alice");
    CHECK(as_argument("core:al ice") == "'core:al ice'");
    CHECK(as_argument("core:$(id)`x`") == "'core:$(id)`x`'");
    CHECK(as_argument("it's") == "'it'\\''s'");
    CHECK(as_argument("a\nb") == "--key-format escaped 'a\\nb'");
    CHECK(as_argument("-n") == "-- -n");
    CHECK(as_argument("") == "''");
}
