// explain's verdict on a client: limited where one of its windows is; each policy is named with what it does.
#include "commands/explain/facts.h"

#include <fmt/format.h>

#include "commands/report/wording.h"
#include "output/printable.h"
#include "support/time_text.h"

namespace ratectl::commands::explain {
namespace {

using domain::Verdict;

std::string limit_of(const WindowFacts& facts, const std::string& zone) {
    const auto name = output::printable(facts.policy);
    if (!allowed_from(facts))
        return name +
               (facts.ruling.reason == domain::VerdictReason::limit_used_up ? " without an end" : " at all times");
    const auto end = facts.window.passes_at.value_or(*facts.window.reset_at);
    return fmt::format("{} until {}{}", name, support::format_time(end), beside(end, facts.now, zone));
}

}  // namespace

std::string client_verdict_of(std::span<const WindowFacts> windows, const std::string& client,
                              const std::string& zone) {
    std::vector<std::string> limiting;
    std::vector<std::string> allowing;
    std::vector<std::string> doubtful;
    for (const auto& facts : windows) {
        const auto verdict = facts.ruling.verdict;
        if (verdict == Verdict::limited) {
            limiting.push_back(limit_of(facts, zone));
        } else {
            (verdict == Verdict::allowed ? allowing : doubtful).push_back(output::printable(facts.policy));
        }
    }
    const auto name = fmt::format("client '{}'", output::printable(client));
    const auto doubt = fmt::format("whether {} is limited by {}.", name, listed(doubtful));
    if (limiting.empty() && !doubtful.empty()) {
        auto text = "It is unknown " + doubt;
        if (!allowing.empty()) text += fmt::format(" It is allowed by {}.", listed(allowing));
        return text;
    }
    auto text = capitalised(name) + " is ";
    if (!limiting.empty()) text += "limited by " + listed(limiting);
    if (!limiting.empty() && !allowing.empty()) text += ", and ";
    if (!allowing.empty()) text += "allowed by " + listed(allowing);
    text += '.';
    if (!doubtful.empty()) text += " It is unknown " + doubt;
    return text;
}

}  // namespace ratectl::commands::explain
