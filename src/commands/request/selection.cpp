// The flags of SELECTION, what excludes what, and what a key means.
#include "commands/request/selection.h"

#include <algorithm>

#include "support/quote.h"

namespace ratectl::commands {
namespace {

constexpr const char* kGroup = "Selection";

void check_names(const std::vector<std::string>& names, const std::string& what) {
    for (const std::string& name : names) {
        if (name.empty()) throw_empty(what);
        if (name == "-" && names.size() > 1)
            support::throw_usage("`-` stands for all of standard input and cannot stand beside another " + what, {});
    }
}

void check_actor(const std::string& actor) {
    const auto hole = actor.find(kClientHole);
    auto rest = actor;
    if (hole != std::string::npos) rest.erase(hole, kClientHole.size());
    if (hole != std::string::npos && rest.find_first_of("{}") == std::string::npos) return;
    support::throw_usage("--actor " + support::quoted(actor) + " has " +
                             (hole == std::string::npos ? "no {client} in it" : "more braces than those of {client}"),
                         "as the application's flipper_id: 'User;{client}'");
}

}  // namespace

void throw_empty(const std::string& what) {
    support::throw_usage("a " + what + " is empty: ''", "an unset variable of the shell?");
}

bool is_dash(const std::vector<std::string>& names) { return names.size() == 1 && names.front() == "-"; }

void bind_filters(Syntax syntax, Selection& s, Sweeps sweeps) {
    const std::string whole = sweeps == Sweeps::allowed ? "; all of them where nothing else is named" : "";
    const auto add = [&syntax](const char* name, auto& value, const char* type, const std::string& about) {
        return syntax.add_option(name, value, about).type_name(type).group(kGroup);
    };
    add("--policy", s.policies, "NAME", "only keys of these policies" + whole).delimiter(',');
    add("--class", s.classes, "NAME", "only clients of these classes" + whole).delimiter(',');
    add("--state", s.states, "STATE", "only windows in these states, as the column state prints them").delimiter(',');
    add("--min-used", s.min_used, "N|P%",
        "only windows with at least this many requests, or this share of their limit, used");
    add("--resets-within", s.resets_within, "DURATION", "only open windows that end within this time");
    add("--shard", s.shards, "NAME", "only these shards").delimiter(',');
}

void bind_selection(Syntax syntax, Selection& s, Sweeps sweeps) {
    syntax.add_option("key", s.keys, "a key, literally; `-` reads keys from standard input").type_name("KEY");
    const auto add = [&syntax](const char* name, auto& value, const char* type, const char* about) {
        syntax.add_option(name, value, about).type_name(type).group(kGroup);
    };
    add("--client", s.clients, "ID", "every key of this client, over all policies; `-` reads ids from standard input");
    bind_client_values(syntax, s);
    if (sweeps == Sweeps::allowed) {
        add("--match", s.match, "GLOB", "every window whose key matches this pattern");
        syntax.add_flag("--all", s.all, "every window that a policy knows; with --match, whatever the pattern catches")
            .group(kGroup);
    }
    bind_input_format(syntax, s);
    bind_filters(syntax, s, sweeps);
}

void bind_actor(Syntax syntax, Selection& s) {
    s.actor = kClientHole;
    syntax
        .add_option("--actor", s.actor,
                    "what the application calls a client where it asks for the feature: 'User;{client}' (default: "
                    "{client}); rows of `-` may name it so")
        .type_name("TEMPLATE");
}

void bind_input_format(Syntax syntax, Selection& s) {
    syntax
        .add_option("--input", s.input,
                    "what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)")
        .type_name("keys|ndjson|csv|tsv|json")
        .group(kGroup);
}

void bind_client_values(Syntax syntax, Selection& s) {
    syntax
        .add_option("--org", s.org,
                    "the organisation of the clients: its windows as well, where a policy has org_key; where no client "
                    "is named, only its windows")
        .type_name("ID")
        .group(kGroup);
    syntax
        .add_option("--set", s.values,
                    "what another hole of the clients' keys holds, as in --set route=search; repeatable")
        .type_name("NAME=VALUE")
        .group(kGroup);
    syntax
        .add_option("--path", s.path,
                    "of a request of the clients: only under policies that limit it (paths in the configuration)")
        .type_name("PATH")
        .group(kGroup);
}

bool sets(const Selection& selection, std::string_view hole) {
    return std::ranges::any_of(selection.values, [hole](const std::string& value) {
        return value.starts_with(hole) && value.substr(hole.size()).starts_with('=');
    });
}

bool names_keys(const Selection& selection) {
    return !selection.keys.empty() || selection.exact || !selection.clients.empty() || names_organisation(selection);
}

bool names_organisation(const Selection& selection) {
    const bool sweeps = selection.match || selection.all || selection.only_client;
    return selection.org && selection.keys.empty() && selection.clients.empty() && !sweeps;
}

bool selects_by_sweep(const Selection& selection) {
    if (selection.match || selection.all || selection.only_client) return true;
    return !names_keys(selection) && (!selection.policies.empty() || !selection.classes.empty());
}

void check_selection(const Selection& selection) {
    check_names(selection.keys, "key");
    check_names(selection.clients, "client");
    if (is_dash(selection.keys) && is_dash(selection.clients)) {
        support::throw_usage("standard input cannot be both keys and clients", "give `-` once");
    }
    if (names_keys(selection) && (selection.match || selection.all)) {
        support::throw_usage("keys and clients are named one by one, --match and --all sweep: choose one", {});
    }
    const bool names_clients =
        !selection.clients.empty() || selection.only_client || is_dash(selection.keys) || names_organisation(selection);
    if ((selection.org || !selection.values.empty() || selection.path) && !names_clients)
        support::throw_usage("--org, --set and --path say more about clients, and none is named",
                             "name one with --client ID");
    if (sets(selection, "org"))
        support::throw_usage(
            "--set org=... does not say whose windows are meant: an organisation has a flag of its own",
            "--org ID names the organisation of the clients");
    if (!selection.actor.empty()) check_actor(selection.actor);
    if (selection.path && selection.path->empty()) throw_empty("path");
    if (selection.path && !domain::path_in(*selection.path))
        support::throw_usage("--path " + support::quoted(*selection.path) +
                                 " is no path of a request, nor its URL: it "
                                 "does not begin with a /",
                             "for example --path /api/v1/lead/");
    if (selection.match) support::value_or_throw(domain::check_glob(*selection.match));
    const bool reads_input = is_dash(selection.keys) || is_dash(selection.clients);
    if (!selection.input.empty() && !reads_input) {
        support::throw_usage("--input says what standard input holds, but nothing reads it", "give `-` as the key");
    }
}

namespace {

/// Of a key that is no window's own.
std::optional<domain::PolicyMatch> match_of(std::string_view key, const domain::Limiter::PartOf& part,
                                            const domain::PolicyBook& policies) {
    const auto own = policies.match(key);
    const auto window = part.key();
    auto of_window = policies.match(window);
    if (!of_window || (own && own->policy == of_window->policy)) return own;
    auto& client = of_window->client;  // which the key has in it, too, as far as both names begin alike
    if (!client.empty()) {
        const auto begin = static_cast<std::size_t>(client.data() - window.data());
        client = part.stem.substr(std::min(begin, part.stem.size()), client.size());
    }
    return of_window;
}

}  // namespace

std::optional<domain::PolicyMatch> match_of(std::string_view key, const config::Settings& settings) {
    if (settings.policies.empty()) return std::nullopt;
    const auto part = settings.limiter != nullptr ? settings.limiter->part_of(key) : std::nullopt;
    if (part && !part->may_be_window) return match_of(key, *part, settings.policies);
    return settings.policies.match(key);
}

KeyMeaning meaning_of(std::string_view key, const config::Settings& settings) {
    KeyMeaning meaning;
    meaning.match = match_of(key, settings);
    meaning.is_settings = settings.limiter != nullptr && !settings.limiter->of(key).limits_clients();
    if (meaning.is_settings) return meaning;
    const auto quota = settings.limiter != nullptr ? settings.limiter->quota_in(key) : std::nullopt;
    if (quota) meaning.period = quota->period;
    if (settings.limit) {
        meaning.limit = settings.limit;
        meaning.limit_source = "flag";
    } else if (quota && !(meaning.match && meaning.match->exempt)) {
        meaning.limit = quota->limit;
        meaning.limit_source = "key";
    } else if (meaning.match) {
        meaning.limit = meaning.match->limit;
        meaning.limit_source = meaning.match->limit_source;
    }
    return meaning;
}

KeyMeaning meaning_of(const domain::WindowLook& look, const config::Settings& settings) {
    auto meaning = meaning_of(look.key, settings);
    const auto stored = look.limiter != nullptr ? look.limiter->limit_in(look) : std::nullopt;
    if (!stored) return meaning;
    meaning.limit = stored->limit;
    if (stored->period) meaning.period = stored->period;
    meaning.limit_source = kStoredLimit;
    meaning.unlimited = !stored->limit;
    return meaning;
}

std::optional<support::Seconds> period_of(const KeyMeaning& meaning, const config::Settings& settings) {
    if (settings.period) return settings.period;
    if (meaning.period) return meaning.period;
    return meaning.match ? meaning.match->policy->period : std::nullopt;
}

}  // namespace ratectl::commands
