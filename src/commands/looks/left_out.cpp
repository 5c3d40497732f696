// Reports named keys that filters left out: one line a filter, with the first key that it left out.
#include "commands/looks/left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "commands/outcome.h"
#include "commands/request/selection.h"
#include "domain/cluster/slot_faults.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

constexpr std::uint64_t kNamedClients = 3;
/// The first of those that no server told of.
constexpr std::size_t kNamedMissing = 3;
/// What leaves a key out where no flag does.
constexpr const char* kPolicyOrder = "the order of policies";

std::string hint_for(std::string_view flag) {
    if (flag == "--shard") return "leave --shard out: a key has one shard for every command";
    return flag == kPolicyOrder ? "the narrower policy belongs first: `ratectl config check` says which overlap" : "";
}

std::string why_taken(const std::string& policy, const std::string& taker) {
    return fmt::format("policy '{}' comes before '{}' and takes it", taker, policy);
}

}  // namespace

support::Error taken_fault(std::string_view key, const std::string& policy, const std::string& taker) {
    return {ExitCode::partial,
            fmt::format("key {} is left out by {}: {}; nothing was written to it", support::quoted(key), kPolicyOrder,
                        why_taken(policy, taker)),
            hint_for(kPolicyOrder)};
}

void LeftOut::note(std::string_view key, std::string_view flag, std::string why) {
    if (key != key_) {
        settle();
        key_ = key;
        flag_.clear();
        let_through_ = false;
    }
    let_through_ = let_through_ || flag.empty();
    if (let_through_ || !flag_.empty()) return;
    flag_ = flag;
    why_ = std::move(why);
}

void LeftOut::note_taken(std::string_view key, const std::string& policy, const std::string& taker) {
    leave_out(std::string(key), kPolicyOrder, why_taken(policy, taker));
}

void LeftOut::note_client(std::string_view client) {
    leave_client_out("--client", "no policy is for client " + support::quoted(client));
}

void LeftOut::note_client(std::string_view client, const std::string& policy) {
    leave_client_out("--policy", fmt::format("policy '{}' is not for client {}", policy, support::quoted(client)));
}

void LeftOut::leave_client_out(const char* by, std::string why) {
    list({{}, by, why});
    if (++clients_ <= kNamedClients)
        others_.push_back({ExitCode::partial, std::move(why), "`clients` in a policy's table says whom it is for"});
}

void LeftOut::note_policy(const support::Error& why) {
    std::erase_if(unbuilt_, [&why](const output::LeftOutRow& row) { return row.why == why.message; });
    list({{}, "--policy", why.message});
    others_.push_back({ExitCode::partial, "left out: " + why.message, why.hint});
}

void LeftOut::tell_unbuilt(Outcome& outcome) const {
    if (unbuilt_.empty()) return;
    outcome.leave_out(unbuilt_, unbuilt_.size());
    outcome.add(ExitCode::partial);
    context_.messages().error(
        {ExitCode::partial,
         fmt::format("{} could not be asked for, so --exit-status cannot tell whether a client is limited by {}",
                     support::counted(unbuilt_.size(), "limit"), unbuilt_.size() == 1 ? "it" : "them"),
         "what is left out above says what its key takes; --policy NAME asks for others alone"});
}

void LeftOut::note_organisation(std::string_view organisation) {
    const support::Error error{ExitCode::partial,
                               "organisation " + support::quoted(organisation) +
                                   " is left out by --policy: its windows are of "
                                   "no policy that is named",
                               "they have a policy of their own, such as core/org"};
    list({{}, "--policy", error.message});
    others_.push_back(error);
}

void LeftOut::note_missing(const std::string& key, const support::Error& error) {
    const std::string by(domain::is_bad_key(error) ? domain::kBadKey : "no answer");
    if (++missing_ <= kListed) missing_rows_.push_back({key, by, error.message});
}

void LeftOut::tell_missing(std::uint64_t asked) const {
    if (missing_ == 0 || asked < 2) return;
    std::vector<std::string> names;
    bool more = missing_ > missing_rows_.size();
    for (const output::LeftOutRow& row : missing_rows_) {
        auto name = support::quoted(row.key);
        if (std::ranges::find(names, name) != names.end()) continue;
        if (names.size() == kNamedMissing) {
            more = true;
            break;
        }
        names.push_back(std::move(name));
    }
    context_.messages().warning(fmt::format("{} of {} keys could not be looked at, {}{}; what is said above tells why",
                                            missing_, asked, more ? "first " : "", fmt::join(names, ", ")));
}

void LeftOut::note_untried(std::uint64_t keys, bool more) {
    untried_ = keys;
    more_untried_ = more;
}

void LeftOut::tell_untried(Outcome& outcome) {
    const auto keys = std::exchange(untried_, std::nullopt);
    if (!keys) return;
    outcome.leave_untried(*keys);
    std::string text;
    if (*keys > 0) text = fmt::format("stopped: {} named key{} not looked at", *keys, *keys == 1 ? " was" : "s were");
    if (more_untried_) text += fmt::format("{}; how many more would have come is unknown", *keys > 0 ? "" : "stopped");
    if (!text.empty()) context_.messages().notice(text);
}

void LeftOut::list(output::LeftOutRow row) {
    any_ = true;
    ++count_;
    if (rows_.size() < kListed) rows_.push_back(std::move(row));
}

void LeftOut::settle() {
    if (!let_through_ && !flag_.empty()) {
        leave_out(key_, flag_, why_.empty() ? why_of(key_, flag_) : std::exchange(why_, {}));
    }
    let_through_ = true;
    key_.clear();
}

void LeftOut::leave_out(const std::string& key, const std::string& by, std::string why) {
    list({key, by, why});
    const auto known = std::ranges::find(groups_, by, &Group::flag);
    if (known != groups_.end()) {
        ++known->keys;
    } else {
        groups_.push_back({by, key, std::move(why)});
    }
}

std::string LeftOut::why_of(std::string_view key, std::string_view flag) const {
    if (flag == "--shard") {
        const auto& directory = context_.directory();
        return fmt::format("it is on shard '{}'",
                           directory.name_of(directory.place_of(key).value_or(store::Place{}).shard));
    }
    const auto match = meaning_of(key, context_.settings()).match;
    if (flag == "--policy")
        return match ? fmt::format("it is of policy '{}'", match->policy->name) : "no policy matches it";
    if (flag != "--class") return {};
    return match && !match->client_class.empty() ? fmt::format("its client is of class '{}'", match->client_class)
                                                 : "its client has no class";
}

void LeftOut::tell(Outcome& outcome, bool with_names) {
    settle();
    auto& messages = context_.messages();
    for (const Group& group : groups_) {
        std::string text = group.keys == 1 ? "1 named key is" : fmt::format("{} named keys are", group.keys);
        if (with_names && group.keys == 1) text = "key " + support::quoted(group.first) + " is";
        text += " left out by " + group.flag;
        if (with_names && group.keys > 1) text += ", first " + support::quoted(group.first);
        if (with_names && !group.why.empty()) text += ": " + group.why;
        messages.error({ExitCode::partial, text, hint_for(group.flag)});
    }
    for (const support::Error& error : others_) messages.error(error);
    if (clients_ > kNamedClients)
        messages.error({ExitCode::partial, fmt::format("and so it is for {} more", clients_ - kNamedClients), ""});
    if (!with_names) rows_.clear();
    if (count_ > 0) outcome.add(ExitCode::partial);
    if (count_ > 0) outcome.leave_out(std::exchange(rows_, {}), std::exchange(count_, 0));
    if (missing_ > 0) outcome.leave_out(std::exchange(missing_rows_, {}), std::exchange(missing_, 0));
    groups_.clear();
    others_.clear();
    clients_ = 0;
    tell_untried(outcome);
}

}  // namespace ratectl::commands
