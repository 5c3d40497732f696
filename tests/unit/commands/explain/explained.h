// Facts of one window to be explained, as they stand after a look at a sound shard; each test changes what it is about.
#pragma once

#include <string>

#include "commands/explain/facts.h"
#include "support/window_look.h"

namespace ratectl::test {

using namespace ratectl::commands::explain;

inline constexpr std::int64_t kNow = 1'767'225'600;  // 2026-01-01T00:00:00Z

/// core:alice on shard alpha: a primary and a replica that agree, policy core with 20 an hour, no window.
inline WindowFacts sound_facts() {
    WindowFacts facts;
    facts.key = facts.argument = facts.pattern = "core:alice";
    facts.now = support::from_epoch(kNow);
    facts.is_pair = true;
    facts.read_at = support::WallTime{support::Seconds{kNow}};
    facts.policy = "core";
    facts.client = "alice";
    facts.period = support::Seconds{3600};
    facts.limit_source = "policy:core";
    facts.window.limit = facts.window.remaining = 20;
    facts.ruling = domain::rule_on(facts.window, facts.now);
    facts.deployment = "box";
    facts.shard = "alpha";
    facts.standing = domain::Standing::configured_primary;
    facts.servers.resize(2);
    facts.servers[0].name = "primary 10.0.0.1:6379";
    facts.servers[0].decides = facts.servers[0].answered = facts.servers[1].answered = true;
    facts.servers[1].name = "replica 10.0.0.2:6379";
    facts.answers.push_back({domain::Verdict::allowed, "no window, all 20 left", {0, 1}, false, false});
    return facts;
}

/// The window as a full look would show it, judged.
inline void set_window(WindowFacts& facts, const std::string& used, std::int64_t ends_in) {
    auto look = test::window_look();
    look.depth = domain::LookDepth::full;
    counter_part(look) = {used, "string", (ends_in + 1) * 1000, {}};
    expiry_part(look) = {std::to_string(kNow + ends_in), "string", (ends_in + 1) * 1000, {}};
    facts.window = domain::judge(look, facts.now, facts.window.limit);
    facts.stored_used = used;
    if (ends_in < 0) facts.ended_at = support::from_epoch(kNow + ends_in);
    facts.ruling = domain::rule_on(facts.window, facts.now);
    facts.answers.front().verdict = facts.ruling.verdict;
    if (ends_in >= 0) facts.answers.front().words = used + " used, resets at some second";
}

}  // namespace ratectl::test
