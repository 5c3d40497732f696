// Classifies error replies of Redis 2.8 to 7 and Valkey by their first word, or the first words where that is ERR.
#include "redis/reply_class.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "domain/operation.h"
#include "redis/proxy.h"
#include "support/ascii.h"
#include "support/number_text.h"

namespace ratectl::redis {
namespace {

using support::ExitCode;

struct Named {
    std::string_view text;
    ReplyClass meaning;
};

constexpr std::array kFirstWords{
    Named{"NOSCRIPT", ReplyClass::no_script},
    Named{"LOADING", ReplyClass::loading},
    Named{"BUSY", ReplyClass::busy},
    Named{"MASTERDOWN", ReplyClass::master_down},
    Named{"TRYAGAIN", ReplyClass::try_again},
    Named{"UNBLOCKED", ReplyClass::unblocked},
    Named{"READONLY", ReplyClass::read_only},
    Named{"NOREPLICAS", ReplyClass::no_replicas},
    Named{"MISCONF", ReplyClass::misconf},
    Named{"OOM", ReplyClass::oom},
    Named{"NOAUTH", ReplyClass::no_auth},
    Named{"WRONGPASS", ReplyClass::wrong_pass},
    Named{"NOPERM", ReplyClass::no_permission},
    Named{"DENIED", ReplyClass::denied},
    Named{"WRONGTYPE", ReplyClass::wrong_type},
    Named{"MOVED", ReplyClass::moved},
    Named{"ASK", ReplyClass::ask},
    Named{"CROSSSLOT", ReplyClass::cross_slot},
    Named{"CLUSTERDOWN", ReplyClass::cluster_down},
    Named{"REDIRECT", ReplyClass::redirect},
    Named{"EXECABORT", ReplyClass::exec_abort},
};

// What follows `ERR `; letter case as the servers write it.
constexpr std::array kGenericTexts{
    Named{"unknown command", ReplyClass::unknown_command},
    Named{"unknown subcommand", ReplyClass::unknown_command},  // from 7.0 on
    Named{"Unknown subcommand", ReplyClass::unknown_command},
    Named{"max number of clients reached", ReplyClass::max_clients},
    Named{"DB index is out of range", ReplyClass::bad_database},
    Named{"invalid DB index", ReplyClass::bad_database},
    Named{"SELECT is not allowed in cluster mode", ReplyClass::cluster_mode},
    Named{"AUTH <password> called without any password", ReplyClass::auth_not_needed},
    Named{"Client sent AUTH, but no password is set", ReplyClass::auth_not_needed},
    Named{"invalid password", ReplyClass::wrong_pass},
    Named{"operation not permitted", ReplyClass::no_auth},
    Named{"value is not an integer or out of range", ReplyClass::not_an_integer},
    Named{"increment or decrement would overflow", ReplyClass::overflow},
    Named{"Script killed by user", ReplyClass::script_killed},
    Named{"DEBUG command not allowed", ReplyClass::no_permission},  // by its own setting, not by an ACL
    Named{"The user executing the script can't run", ReplyClass::acl_in_script},
    Named{"ACL failure in script", ReplyClass::acl_in_script},
    Named{"Protocol error", ReplyClass::protocol_error},
};

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

bool is_upper_word(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Before 7.0 an error that a command raised inside a script is wrapped: `...: -READONLY You can't write ...`.
std::string_view nested_error(std::string_view text) {
    for (std::size_t at = text.find(": -"); at != std::string_view::npos; at = text.find(": -", at + 1)) {
        const std::string_view inner = text.substr(at + 3);
        if (is_upper_word(first_word(inner))) return inner;
    }
    return {};
}

ReplyClass classify_plain(std::string_view text) {
    if (unreached_behind(text) != BehindProxy::no) return ReplyClass::behind_proxy;
    if (is_word_of_proxy(text)) return ReplyClass::unknown_command;
    const std::string_view word = first_word(text);
    // The same word as a refusal of the whole script, but raised by one of its commands.
    if (word == "NOPERM" && text.find("in script") != std::string_view::npos) return ReplyClass::acl_in_script;
    // EXEC itself is not allowed.
    if (word == "EXECABORT" && text.find("no permissions to run") != std::string_view::npos) {
        return ReplyClass::no_permission;
    }
    for (const Named& named : kFirstWords) {
        if (named.text == word) return named.meaning;
    }
    if (word != "ERR") return ReplyClass::other;
    const std::string_view rest = text.substr(std::min<std::size_t>(4, text.size()));
    for (const Named& named : kGenericTexts) {
        if (rest.starts_with(named.text)) return named.meaning;
    }
    return ReplyClass::other;
}

}  // namespace

bool raised_inside_script(std::string_view error_text) {
    return error_text.starts_with("ERR Error running script") || error_text.find(" script: ") != std::string_view::npos;
}

ReplyClass classify_error(std::string_view error_text) {
    if (!error_text.starts_with("ERR Error running script")) return classify_plain(error_text);
    // 6.x refuses a script's command without a code of its own, and not before the script has come to it.
    if (error_text.find("The user executing the script can't") != std::string_view::npos) {
        return ReplyClass::acl_in_script;
    }
    const std::string_view inner = nested_error(error_text);
    if (!inner.empty()) return first_word(inner) == "NOPERM" ? ReplyClass::acl_in_script : classify_plain(inner);
    return error_text.find("Script killed by user") == std::string_view::npos ? ReplyClass::other
                                                                              : ReplyClass::script_killed;
}

namespace {

struct Meaning {
    ExitCode code = ExitCode::protocol;
    std::string words;
    std::string hint;
    bool harmless = true;  // proves that nothing was carried out
    bool transient = false;
    bool soon = false;
};

// The permission that is missing, as the server quotes it: "... run the 'eval' command".
std::string permission_words(std::string_view text) {
    const std::size_t open = text.find("run the '");
    if (open != std::string_view::npos) {
        const std::string_view name = text.substr(open + 9);
        return fmt::format("the server's ACL does not let this user run '{}'", name.substr(0, name.find('\'')));
    }
    if (text.find("key") != std::string_view::npos)
        return "the server's ACL does not let this user touch one of the keys";
    return "the server's ACL does not allow this";
}

std::optional<Meaning> state_meaning(ReplyClass kind) {
    switch (kind) {
        case ReplyClass::no_script:
            return Meaning{ExitCode::protocol, "does not know the script, even after it was sent", "", true, false};
        case ReplyClass::loading:
            return Meaning{
                ExitCode::unavailable, "still loading its data set", "try again when it is up", true, true, true};
        case ReplyClass::busy: return Meaning{ExitCode::unavailable, "busy running a script", "", true, true, true};
        case ReplyClass::master_down:
            return Meaning{ExitCode::unavailable,
                           "a replica whose link with its primary is down, and which is set to refuse stale reads", "",
                           true, true};
        case ReplyClass::unblocked:
            return Meaning{ExitCode::unavailable, "stopped waiting because its role changed", "", true, true};
        case ReplyClass::max_clients:
            return Meaning{ExitCode::unavailable, "max number of clients reached", "", true, true};
        case ReplyClass::script_killed:
            return Meaning{ExitCode::unavailable, "the script was killed before it wrote anything", "", true, true};
        case ReplyClass::read_only:
            return Meaning{ExitCode::write_refused, "a read-only replica", "writes go to the primary of the shard",
                           true, false};
        case ReplyClass::no_replicas:
            return Meaning{ExitCode::write_refused, "too few replicas are connected for a write", "", true, false};
        case ReplyClass::misconf:
            return Meaning{ExitCode::write_refused, "cannot persist its data to disk and refuses writes", "", true,
                           false};
        case ReplyClass::oom:
            return Meaning{ExitCode::write_refused, "out of memory (maxmemory) and refuses to grow",
                           "resets still work: they free memory", true, false};
        default: return std::nullopt;
    }
}

constexpr std::string_view kRightsHint =
    "`ratectl acl reader` and `ratectl acl operator` print all rights that are needed";

std::string rights_hint(std::string_view text) {
    constexpr std::array full_look{"'multi'", "'exec'", "'type'", "'getrange'", "'pttl'", "'pexpiretime'"};
    const bool is_of_full_look = std::ranges::any_of(
        full_look, [text](std::string_view name) { return text.find(name) != std::string_view::npos; });
    return std::string(kRightsHint) +
           (is_of_full_look ? "; `ratectl check --look light` (or client, scan) looks without this one" : "");
}

std::optional<Meaning> access_meaning(ReplyClass kind, std::string_view text) {
    switch (kind) {
        case ReplyClass::no_auth:
            return Meaning{ExitCode::access, "authentication required", std::string(kPasswordHint), true, false};
        case ReplyClass::wrong_pass:
            return Meaning{ExitCode::access, "the server does not accept the user name or password", "", true, false};
        case ReplyClass::no_permission:
            return Meaning{ExitCode::access, permission_words(text), rights_hint(text), true, false};
        case ReplyClass::denied: {
            const std::string_view words = text.substr(std::min<std::size_t>(7, text.size()));
            return Meaning{ExitCode::access, fmt::format("access denied: {}", words.substr(0, words.find('.'))), "",
                           true, false};
        }
        case ReplyClass::auth_not_needed:
            return Meaning{ExitCode::access,
                           "a password is set for this deployment, but the server does not ask for a password",
                           "is it the right server? If so, remove the password", true, false};
        case ReplyClass::acl_in_script:
            return Meaning{ExitCode::access, "the server's ACL stopped the script at one of its commands",
                           std::string(kRightsHint), false, false};
        default: return std::nullopt;
    }
}

/// The other replies of that class say that the whole cluster is down.
bool is_ownerless(ReplyClass kind, std::string_view text) {
    return kind == ReplyClass::cluster_down && text.find("not served") != std::string_view::npos;
}

std::optional<Meaning> cluster_meaning(ReplyClass kind, std::string_view text) {
    switch (kind) {
        case ReplyClass::try_again:
            return Meaning{ExitCode::unavailable,
                           "the keys' slot is on its way to another node of the Redis Cluster, and the keys are not "
                           "all at one of the two",
                           std::string(domain::kWaitForSlot),
                           true,
                           true,
                           true};
        case ReplyClass::cluster_down:
            if (is_ownerless(kind, text)) {
                return Meaning{ExitCode::unavailable,
                               std::string(domain::kNoNodeHasSlot),
                               std::string(domain::kGiveSlotANode),
                               true,
                               true,
                               true};
            }
            return Meaning{ExitCode::unavailable,
                           "its Redis Cluster is down",
                           "`ratectl nodes` says which nodes are silent and which slots no node has: for either a "
                           "cluster may stay down",
                           true,
                           true,
                           true};
        case ReplyClass::cross_slot:
            return Meaning{ExitCode::protocol, "the keys of one window are in different slots of the Redis Cluster",
                           "a tag in the key's name, as in {core:42}, puts them into one", true, false};
        case ReplyClass::ask:
            return Meaning{ExitCode::unavailable, "the keys' slot is on its way to another node of the Redis Cluster",
                           std::string(domain::kWaitForSlot), true, false};
        case ReplyClass::moved:
        case ReplyClass::redirect:
            return Meaning{ExitCode::protocol, "the key's slot is at another node of its Redis Cluster", "", true,
                           false};
        case ReplyClass::cluster_mode:
            return Meaning{ExitCode::protocol, "a node of a Redis Cluster, which has no dbs to choose among", "", true,
                           false};
        default: return std::nullopt;
    }
}

/// The command that an error reply names, which may be another one of the same request than `command`, or one that a
/// script calls; letters alone, since the reply repeats arguments, too.
std::string unknown_name(std::string_view text, std::string_view command) {
    constexpr std::size_t longest = 32;
    const auto from = text.find_first_of("'`");
    const auto name = from == std::string_view::npos ? std::string_view{} : text.substr(from + 1);
    const auto end = name.find_first_of("'`");
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const bool is_plain = end != 0 && end <= longest && std::ranges::all_of(name.substr(0, end), is_letter);
    if (!is_plain) return std::string(command);
    return support::upper(std::string(name.substr(0, end)));
}

Meaning content_or_peer_meaning(ReplyClass kind, std::string_view text, std::string_view command) {
    const bool before_any_write = !raised_inside_script(text);
    // A server without AUTH echoes its arguments, in any wording.
    if (command == "AUTH") text = first_word(text);
    switch (kind) {
        case ReplyClass::wrong_type:
            return {ExitCode::guard, "the key holds another type of value, not a window", "", before_any_write, false};
        case ReplyClass::not_an_integer:
            return {ExitCode::guard, "the value is not an integer", "", before_any_write, false};
        case ReplyClass::overflow: return {ExitCode::guard, "the counter would overflow", "", before_any_write, false};
        case ReplyClass::exec_abort: return {ExitCode::guard, "the transaction was aborted", "", true, false};
        case ReplyClass::unknown_command:
            return {ExitCode::protocol, fmt::format("does not know the command {}", unknown_name(text, command)),
                    "is it renamed or disabled there, or is this a proxy?", true, false};
        case ReplyClass::bad_database: return {ExitCode::configuration, "the server has no such db", "", true, false};
        case ReplyClass::behind_proxy:
            return {ExitCode::unavailable, fmt::format("the proxy has not reached the server of the key: {}", text),
                    "the proxy's own log and statistics name the server", unreached_behind(text) == BehindProxy::surely,
                    false};
        case ReplyClass::protocol_error:
            return {ExitCode::bug, fmt::format("the server could not read our {}: {}", command, text),
                    "please report this", false, false};
        default: return {ExitCode::protocol, fmt::format("{} failed: {}", command, text), "", false, false};
    }
}

Meaning meaning_of(ReplyClass kind, std::string_view text, std::string_view command) {
    if (auto meaning = state_meaning(kind)) return *std::move(meaning);
    if (auto meaning = access_meaning(kind, text)) return *std::move(meaning);
    if (auto meaning = cluster_meaning(kind, text)) return *std::move(meaning);
    return content_or_peer_meaning(kind, text, command);
}

// `MOVED 3999 10.0.0.8:6379`; nothing where that is not what it says.
std::optional<Redirect> redirect_in(ReplyClass kind, std::string_view text) {
    if (kind == ReplyClass::read_only) return Redirect{Redirect::Kind::read_only};
    if (kind != ReplyClass::moved && kind != ReplyClass::ask) return std::nullopt;
    constexpr std::uint64_t last_slot = 16'383;
    const auto from = text.find(' ');
    if (from == std::string_view::npos) return std::nullopt;
    const auto to = text.find(' ', from + 1);
    const auto slot = support::parse_unsigned(text.substr(from + 1, to - from - 1), last_slot);
    if (to == std::string_view::npos || !slot) return std::nullopt;
    const auto address = text.substr(to + 1);
    return Redirect{kind == ReplyClass::moved ? Redirect::Kind::moved : Redirect::Kind::ask,
                    static_cast<std::uint16_t>(*slot), std::string(first_word(address))};
}

bool is_write(std::string_view command) {
    using enum domain::WriteKind;
    constexpr std::array kinds{count, refund, reset, restore, repair};
    return command == "EVAL" || std::any_of(kinds.begin(), kinds.end(), [command](domain::WriteKind kind) {
               return domain::name_of(kind) == command;
           });
}

}  // namespace

Fault fault_from_reply(std::string_view error_text, std::string_view where, std::string_view command) {
    const ReplyClass kind = classify_error(error_text);
    Meaning meaning = meaning_of(kind, error_text, command);
    std::string message = fmt::format("{}: {}", where, meaning.words);
    if (is_ownerless(kind, error_text)) message = fmt::format("{} (so says {})", meaning.words, where);
    if (meaning.harmless && is_write(command)) message += "; nothing was written";
    const bool of_slot = kind == ReplyClass::try_again || kind == ReplyClass::cluster_down;
    const auto reason = kind == ReplyClass::try_again    ? domain::kKeysApart
                        : is_ownerless(kind, error_text) ? domain::kOwnerlessSlot
                                                         : std::string_view{};
    return Fault{{meaning.code, std::move(message), std::move(meaning.hint), reason},
                 !meaning.harmless,
                 meaning.transient,
                 meaning.soon,
                 of_slot,
                 meaning.harmless ? redirect_in(kind, error_text) : std::nullopt};
}

}  // namespace ratectl::redis
