// Builds a client's keys, policy by policy, from the client and what --set says.
#include "commands/request/client_keys.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "support/base64.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

/// `--set NAME=VALUE`, and the organisation.
domain::Captures known_values(const Selection& selection, const std::vector<domain::Policy>& policies) {
    domain::Captures known;
    for (const std::string& text : selection.values) {
        const std::size_t end = std::min(text.find('='), text.size());
        if (end == 0 || end + 1 >= text.size())
            throw support::Failure(ExitCode::usage, "--set '" + text + "' is not NAME=VALUE",
                                   "for example --set route=search");
        const auto [set, is_new] = known.emplace(text.substr(0, end), text.substr(end + 1));
        if (!is_new && set->second != text.substr(end + 1))
            throw support::Failure(ExitCode::usage, "--set gives {" + set->first + "} two values", "name one of them");
    }
    if (known.contains("client")) {
        throw support::Failure(ExitCode::usage, "--set client=... beside a client that is named already",
                               "--set says what the other holes of a key hold");
    }
    if (const auto number = known.find(domain::kBucketHole);
        number != known.end() && number->second.find_first_not_of("0123456789") != std::string::npos) {
        throw support::Failure(ExitCode::usage, "--set bucket=" + number->second + " is no number of a window",
                               "digits alone, for example --set bucket=29920781");
    }
    if (selection.org) known["org"] = *selection.org;
    for (const auto& [name, value] : known) {
        const auto has = [&name = name](const domain::Policy& policy) { return policy.key.holds(name); };
        if (std::ranges::any_of(policies, has)) continue;
        throw support::Failure(ExitCode::usage, "no policy's key has a hole {" + name + "}",
                               "`ratectl config show` lists the policies and their keys");
    }
    return known;
}

/// A policy's windows are of clients, or of organisations.
std::optional<support::Error> names_no_owner(const Selection& selection, const domain::Policy& policy) {
    const bool is_shared = !policy.shared_by.empty();
    const bool is_for_client = !names_organisation(selection) || domain::PolicyBook::client_hole(policy) == "org";
    if (is_shared ? selection.org.has_value() : is_for_client) return std::nullopt;
    return support::Error{ExitCode::partial,
                          fmt::format("policy '{}' has the windows of {}, and none is named", policy.name,
                                      is_shared ? "organisations" : "clients"),
                          is_shared ? "--org ID names the organisation of the clients" : "--client ID names a client"};
}

bool has_organisations(const domain::Policy& policy) { return policy.key.holds("org"); }

bool knows_organisations(const domain::Policy& policy, const domain::PolicyBook& book) {
    return has_organisations(policy) || book.shared_with(policy) != nullptr;
}

[[noreturn]] void throw_no_organisations(const Selection& selection) {
    throw support::Failure(ExitCode::usage, "--org: none of these policies knows organisations",
                           selection.policies.empty()
                               ? "org_key in the policy's table says how their keys are written"
                               : "the windows of organisations have a policy of their own, such as core/org");
}

}  // namespace

void note_ownerless(const Selection& selection, const domain::PolicyBook& book, LeftOut& left_out) {
    std::vector<const domain::Policy*> meant;
    for (const auto& policy : book.policies()) {
        const bool is_named = std::ranges::find(selection.policies, policy.name) != selection.policies.end();
        if (is_named || selection.policies.empty()) meant.push_back(&policy);
        if (!is_named) continue;
        if (const auto fault = names_no_owner(selection, policy)) left_out.note_policy(*fault);
    }
    if (!selection.org || std::ranges::any_of(meant, [](const auto* policy) { return has_organisations(*policy); }))
        return;
    if (std::ranges::none_of(meant, [&book](const auto* policy) { return knows_organisations(*policy, book); }))
        throw_no_organisations(selection);
    left_out.note_organisation(*selection.org);
}

ClientKeys::ClientKeys(const Selection& selection, LeftOut& left_out, Context& context)
    : settings_(context.settings()),
      book_(settings_.policies),
      limiter_(limiter_of(settings_)),
      now_(context.now()),
      left_out_(left_out),
      named_(selection.policies),
      known_(known_values(selection, book_.policies())),
      org_(selection.org),
      path_(selection.path) {
    if (book_.empty()) {
        throw support::Failure(ExitCode::configuration,
                               "--client needs to know how keys are written, and no policy says so",
                               "give --key, for example --key 'core:{client}', or a policy in the configuration");
    }
    choose_policies(selection, context);
    if (policies_.empty() && path_ && !left_out_.unbuilt().empty()) {
        if (selection.is_chain) return;
        throw support::Failure(
            ExitCode::configuration,
            "no limit of " + support::quoted(*path_) + " can be asked for: " + left_out_.unbuilt().front().why,
            "--set NAME=VALUE says what their keys hold");
    }
    if (policies_.empty() && path_) {
        throw support::Failure(ExitCode::usage, "no policy limits " + support::quoted(*path_),
                               "paths in a policy's table says which requests it limits");
    }
    check_organisation(selection, context);
    if (policies_.empty()) {
        throw support::Failure(ExitCode::usage, "no policy has a key that can be built from a client alone",
                               needs_.empty() ? "`ratectl config show` lists the policies and their keys" : needs_);
    }
}

void ClientKeys::append(std::deque<NamedKey>& keys, const std::string& client, const NamedKey& beside) {
    bool any = policies_.empty();
    std::vector<const domain::Policy*> not_for;
    for (const domain::Policy* policy : policies_) {
        if (!domain::PolicyBook::is_for(*policy, client) && policy->shared_by.empty()) {
            if (is_named(*policy)) not_for.push_back(policy);
            continue;
        }
        any = true;
        check_path(*policy, client);
        if (!policy->shared_by.empty() && shared_named_) continue;  // once for all clients
        append_key(keys, *policy, client, beside);
    }
    shared_named_ = true;
    if (!any) return left_out_.note_client(client);
    for (const auto* policy : not_for) left_out_.note_client(client, policy->name);
}

void ClientKeys::append_organisation(std::deque<NamedKey>& keys) {
    for (const domain::Policy* policy : policies_) append_key(keys, *policy, *org_, {});
}

void ClientKeys::choose_policies(const Selection& selection, Context& context) {
    const Filter filter(selection, context.settings(), context.directory());
    std::vector<support::Error> without_key;  // of policies that --policy names
    for (const domain::Policy& policy : book_.policies()) {
        if (!filter.accepts_policy(policy)) continue;
        if (auto fault = names_no_owner(selection, policy)) {
            note_need(fault->hint);
            if (is_named(policy)) without_key.push_back(*std::move(fault));
            continue;
        }
        const auto known = known_of(policy);
        if (!known && is_named(policy))
            without_key.push_back({ExitCode::partial,
                                   fmt::format("policy '{}' does not limit {}", policy.name, support::quoted(*path_)),
                                   {}});
        if (!known) continue;
        const auto key = domain::PolicyBook::key_of(policy, "x", *known);
        if (key) {
            if (limiter_.of(*key).limits_clients() || is_named(policy)) policies_.push_back(&policy);
            continue;
        }
        left_out_.note_unbuilt(key.error().message);
        note_need(key.error().hint);
        if (is_named(policy) && !selection.is_chain) {
            without_key.push_back(key.error());
        } else {
            context.messages().notice("left out: " + key.error().message, key.error().hint);
        }
    }
    for (const auto& why : without_key) {
        if (!policies_.empty()) {
            left_out_.note_policy(why);
        } else {
            context.messages().notice("left out: " + why.message, why.hint);
        }
    }
}

/// What several of them take is said once.
void ClientKeys::note_need(std::string_view hint) {
    constexpr std::string_view between = "; ";
    while (!hint.empty()) {
        const auto end = std::min(hint.find(between), hint.size());
        const auto clause = hint.substr(0, end);
        if (needs_.find(clause) == std::string::npos) needs_.append(needs_.empty() ? "" : between).append(clause);
        hint.remove_prefix(std::min(end + between.size(), hint.size()));
    }
}

bool ClientKeys::is_named(const domain::Policy& policy) const {
    return std::ranges::find(named_, policy.name) != named_.end();
}

void ClientKeys::check_organisation(const Selection& selection, Context& context) {
    if (!org_ || std::ranges::any_of(policies_, [](const auto* policy) { return has_organisations(*policy); })) return;
    if (std::ranges::any_of(policies_, [this](const auto* policy) { return knows_organisations(*policy, book_); }))
        return left_out_.note_organisation(*org_);
    std::vector<const domain::Policy*> meant;  // but for the path
    for (const auto& policy : book_.policies())
        if ((named_.empty() || is_named(policy)) && knows_organisations(policy, book_)) meant.push_back(&policy);
    const auto is_on_path = [this](const auto* policy) {
        return domain::holes_of_request(*policy, *path_).has_value();
    };
    if (path_ && !meant.empty()) {
        if (std::ranges::none_of(meant, is_on_path))
            context.messages().notice("no limit of an organisation is on path " + support::quoted(*path_) +
                                      ": a request there meets the client's own alone");
        return;
    }
    throw_no_organisations(selection);
}

support::Result<std::string> ClientKeys::key_of(const domain::Policy& policy, const std::string& client) const {
    return domain::PolicyBook::key_of(policy, policy.shared_by.empty() ? client : *org_,
                                      known_of(policy).value_or(known_));
}

// Where templates overlap the key belongs to the first: the client's own there, too, or else another window.
void ClientKeys::append_key(std::deque<NamedKey>& keys, const domain::Policy& policy, const std::string& client,
                            const NamedKey& beside) const {
    NamedKey key = beside;
    key.client = client;
    key.key = support::value_or_throw(key_of(policy, client));
    const auto match = match_of(key.key, settings_);
    if (!match || match->policy == &policy) return keys.push_back(std::move(key));
    const bool asked = std::ranges::find(policies_, match->policy) != policies_.end();
    if (!asked || key_of(*match->policy, client).value_or("") != key.key)
        left_out_.note_taken(key.key, policy.name, match->policy->name);
}

/// `value`: what the path says that the hole holds.
void ClientKeys::check_flag(const domain::Policy& policy, const std::string& hole, const std::string& value) const {
    const auto known = known_.find(hole);
    if (known == known_.end() || policy.key.filtered(hole, known->second) == policy.key.filtered(hole, value)) return;
    throw support::Failure(
        ExitCode::usage,
        fmt::format("{}, and the path {} says that {{{}}} is {}: no request of policy '{}' has both",
                    hole == "org" ? "--org " + known->second : fmt::format("--set {}={}", hole, known->second),
                    support::quoted(*path_), hole, support::quoted(value), policy.name),
        "the path alone says it: leave the other one out");
}

/// A hole of the path that is the client's says whose requests have it.
void ClientKeys::check_path(const domain::Policy& policy, const std::string& client) const {
    const auto of_path = path_ ? domain::holes_of_request(policy, *path_) : std::nullopt;
    if (!of_path) return;
    const auto& own = policy.shared_by.empty() ? policy : *book_.find(policy.shared_by);
    const auto hole = domain::PolicyBook::client_hole(own);
    const auto named = of_path->find(hole);
    if (named == of_path->end()) return;
    const auto is_same = [&](const std::string& id) {
        return own.key.filtered(hole, id) == own.key.filtered(hole, client);
    };
    if (is_same(named->second) || is_same(support::percent_decode(named->second).value_or(""))) return;
    throw support::Failure(
        ExitCode::usage,
        fmt::format("client {}, and the path {} says that {{{}}} is {}: no request of policy '{}' has both",
                    support::quoted(client), support::quoted(*path_), hole, support::quoted(named->second), own.name),
        "name that client, or a path of this one");
}

// The number of the window of the moment, and what flags and the path say, which is one thing. Nothing: the policy does
// not limit that path.
std::optional<domain::Captures> ClientKeys::known_of(const domain::Policy& policy) const {
    auto known = known_;
    if (path_) {
        auto of_path = domain::holes_of_request(policy, *path_);
        if (!of_path) return std::nullopt;
        for (const auto& [hole, value] : *of_path) check_flag(policy, hole, value);
        known.merge(*of_path);
    }
    known.merge(limiter_.holes_at(policy.name, now_));
    return known;
}

}  // namespace ratectl::commands
