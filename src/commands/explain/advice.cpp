// explain's advice on what was found: first about the client, then about the window, then about the servers.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "commands/explain/facts.h"
#include "commands/request/selection.h"
#include "support/time_text.h"

namespace ratectl::commands::explain {
namespace {

using domain::Cause;
using domain::FindingClass;
using domain::VerdictReason;

std::string command(const WindowFacts& facts, const std::string& rest) {
    return "`ratectl" + facts.deployment_flags + " " + rest + "`";
}

/// The advice of a class or a cause: its commands, too, are about these servers and this key.
std::string told(const WindowFacts& facts, std::string_view advice) {
    constexpr std::string_view begin = "`ratectl ";
    constexpr std::string_view key = "KEY";
    constexpr std::string_view name = "NAME";
    std::string text;
    while (!advice.empty()) {
        std::size_t taken = 1;
        if (advice.starts_with(begin)) {
            const auto asked = advice.substr(0, advice.find('`', 1));
            const bool all_shards = asked.find(" --all-shards") != std::string_view::npos;
            text += "`ratectl" + (all_shards ? facts.all_shards_flags : facts.deployment_flags);
            taken = begin.size() - 1;
        } else if (advice.starts_with(name) && !facts.throttle.empty() &&
                   (text.ends_with(" knobs set ") || text.ends_with(" knobs unset "))) {
            text += facts.throttle;
            taken = name.size();
        } else if (advice.starts_with(key) && text.ends_with(' ')) {
            text += facts.argument;
            taken = key.size();
        } else {
            text += advice.front();
        }
        advice.remove_prefix(taken);
    }
    return text;
}

std::string about_client(const WindowFacts& facts) {
    if (const auto from = allowed_from(facts)) {
        const auto guard = facts.end_moves
                               ? std::string()
                               : fmt::format("--if-window {} ", support::epoch_seconds(*facts.window.reset_at));
        const auto reset = "reset " + guard + facts.argument;
        return fmt::format("wait until {}, or let the client in now with {}", support::format_time(*from),
                           command(facts, reset));
    }
    switch (facts.ruling.reason) {
        case VerdictReason::limit_used_up:  // and nothing ends it
            return "let the client in with " + command(facts, "reset " + facts.argument);
        case VerdictReason::limit_is_zero:
            if (!facts.throttle.empty())
                return fmt::format(
                    "turn its knobs, which stand above its policy's limit, with {}, or remove them with {}",
                    command(facts, fmt::format("knobs set {} KNOB=N", facts.throttle)),
                    command(facts, "knobs unset " + facts.throttle));
            if (facts.limit_source == kStoredLimit)
                return "change the limit that is stored beside it: that one stands above its policy's";
            return "give its class or its policy another limit";
        case VerdictReason::no_limit_known:
            return fmt::format("say {}, {}, or write {} into the policies",
                               facts.end_moves ? "what is missing" : "the limit",
                               command(facts, "explain" + facts.missing_terms + " " + facts.argument),
                               facts.end_moves ? "that" : "it");
        case VerdictReason::nobody_answered:
            if (!facts.bad_key.empty()) return {};
            if (facts.ownerless)
                return facts.findings.empty()
                           ? "give the slot a node (CLUSTER ADDSLOTS): no primary that answered has keys of it"
                           : "";
            [[fallthrough]];
        case VerdictReason::primary_silent:
            if (std::ranges::any_of(facts.servers, [](const auto& one) { return one.cause == Cause::moving; }))
                return {};  // nothing became of the servers
            return "see what became of the servers with " + command(facts, "nodes") + ", and ask again";
        default: return {};
    }
}

std::string about_finding(const WindowFacts& facts, const domain::Finding& finding) {
    const auto& kind = domain::kind_of(finding.what);
    const auto fix = command(facts, fmt::format("doctor --fix {} {}", kind.name, facts.pattern));
    switch (finding.repair()) {
        case domain::Repair::set_expiries: return fix + " sets both halves to expire when they should";
        case domain::Repair::remove:
        case domain::Repair::remove_if_named: {
            const bool late =
                finding.what == FindingClass::orphan_counter && finding.detail.find("no TTL") != std::string::npos;
            const std::string clocks =
                late ? "compare the application's clock with the servers' (" + command(facts, "nodes") + "); "
                     : std::string();
            return clocks + fix + " removes what is left";
        }
        case domain::Repair::none: break;
    }
    return told(facts, finding.advice());
}

}  // namespace

std::vector<std::string> advice_for(const WindowFacts& facts) {
    std::vector<std::string> steps;
    const auto add = [&steps](std::string step) {
        if (!step.empty() && std::find(steps.begin(), steps.end(), step) == steps.end())
            steps.push_back(std::move(step));
    };
    if (!facts.part.empty()) add("ask for the window: " + command(facts, "explain " + facts.whole_argument));
    add(about_client(facts));
    for (const auto& finding : facts.findings) add(about_finding(facts, finding));
    std::set<Cause> said;
    for (const auto& server : facts.servers) {
        const bool known = (server.cause == Cause::missing_ttl && !facts.findings.empty()) ||
                           (server.cause == Cause::unreachable && facts.ruling.verdict == domain::Verdict::unknown);
        if (!known && said.insert(server.cause).second)
            add(told(facts, domain::advice_for(server.cause, facts.standing)));
    }
    return steps;
}

}  // namespace ratectl::commands::explain
