// The words of redis-cli, SQL, HTTP clients and the usual shell tools, each with ours.
#include "cli/other_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ratectl::cli {
namespace {

/// A word, and what it is called here.
using OtherWord = std::pair<std::string_view, std::string_view>;

constexpr std::array kCommands{
    OtherWord{"get", "check"},        OtherWord{"show", "check"},       OtherWord{"status", "check"},
    OtherWord{"describe", "explain"}, OtherWord{"inspect", "explain"},  OtherWord{"why", "explain"},
    OtherWord{"ls", "scan"},          OtherWord{"list", "scan"},        OtherWord{"keys", "scan"},
    OtherWord{"find", "scan"},        OtherWord{"search", "scan"},      OtherWord{"delete", "reset"},
    OtherWord{"del", "reset"},        OtherWord{"rm", "reset"},         OtherWord{"remove", "reset"},
    OtherWord{"unlink", "reset"},     OtherWord{"clear", "reset"},      OtherWord{"unblock", "reset"},
    OtherWord{"decr", "refund"},      OtherWord{"decrby", "refund"},    OtherWord{"decrement", "refund"},
    OtherWord{"incr", "increment"},   OtherWord{"incrby", "increment"}, OtherWord{"add", "increment"},
    OtherWord{"monitor", "watch"},    OtherWord{"follow", "watch"},     OtherWord{"tail", "watch"},
    OtherWord{"log", "history"},      OtherWord{"audit", "history"},    OtherWord{"revert", "undo"},
    OtherWord{"rollback", "undo"},    OtherWord{"restore", "undo"},     OtherWord{"where", "locate"},
    OtherWord{"detect", "identify"},  OtherWord{"whatis", "identify"},  OtherWord{"type", "identify"},
    OtherWord{"info", "nodes"},       OtherWord{"ping", "nodes"},       OtherWord{"diff", "compare"},
    OtherWord{"repair", "doctor"},    OtherWord{"fix", "doctor"},       OtherWord{"count", "stats"},
};

/// Where several of ours may be meant, the first one that the command has.
constexpr std::array kFlags{
    OtherWord{"--force", "--yes"},      OtherWord{"--assume-yes", "--yes"}, OtherWord{"--no-confirm", "--yes"},
    OtherWord{"--noconfirm", "--yes"},  OtherWord{"--no-prompt", "--yes"},  OtherWord{"--non-interactive", "--yes"},
    OtherWord{"--batch", "--yes"},      OtherWord{"--dryrun", "--dry-run"}, OtherWord{"--simulate", "--dry-run"},
    OtherWord{"--first", "--last"},     OtherWord{"--head", "--first"},     OtherWord{"--rows", "--first"},
    OtherWord{"--rows", "--last"},      OtherWord{"--max", "--first"},      OtherWord{"--max-rows", "--first"},
    OtherWord{"--max-rows", "--last"},  OtherWord{"--tail", "--last"},      OtherWord{"--host", "--url"},
    OtherWord{"--hostname", "--url"},   OtherWord{"--port", "--url"},       OtherWord{"--server", "--url"},
    OtherWord{"--format", "--output"},  OtherWord{"--fields", "--columns"}, OtherWord{"--pattern", "--match"},
    OtherWord{"--glob", "--match"},     OtherWord{"--filter", "--match"},   OtherWord{"--order-by", "--sort"},
    OtherWord{"--sort-by", "--sort"},   OtherWord{"--user", "--client"},    OtherWord{"--client-id", "--client"},
    OtherWord{"--message", "--reason"}, OtherWord{"--comment", "--reason"}, OtherWord{"--by", "--amount"},
    OtherWord{"--silent", "--quiet"},   OtherWord{"--interval", "--every"}, OtherWord{"--limits", "--last"},
    OtherWord{"--lines", "--first"},    OtherWord{"--lines", "--last"},     OtherWord{"--number", "--first"},
    OtherWord{"--number", "--last"},    OtherWord{"--newest", "--last"},    OtherWord{"--latest", "--last"},
};

constexpr std::string_view kDigits = "0123456789";

bool is_number(std::string_view text, std::size_t longest) {
    return !text.empty() && text.size() <= longest && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Surely a host, and neither a command nor a key.
bool is_host(std::string_view word) {
    const bool is_v6 = std::ranges::count(word, ':') > 1 &&
                       word.find_first_not_of("0123456789abcdefABCDEF:") == std::string_view::npos;
    const bool is_v4 =
        std::ranges::count(word, '.') == 3 && word.find_first_not_of("0123456789.") == std::string_view::npos;
    const bool is_name = word.find('.') != std::string_view::npos && word.find(':') == std::string_view::npos;
    return word == "localhost" || is_v6 || is_v4 || is_name;
}

bool is_password_flag(std::string_view word) {
    constexpr std::array names{"--pass", "--askpass"};
    return (word.starts_with("-a") && !word.starts_with("-a=")) || std::ranges::find(names, word) != names.end() ||
           word.starts_with("--pass=");
}

/// What redis-cli would have understood.
struct Habit {
    std::string host;
    std::string port;
    std::string database;
    bool flag_p = false;
    bool password = false;

    bool is_there() const { return is_host(host) || flag_p || password || !database.empty(); }
    std::string flags() const {
        std::string list;
        const auto add = [&list](bool seen, std::string_view flag) {
            if (seen) list.append(list.empty() ? "" : ", ").append(flag);
        };
        add(!host.empty(), "-h HOST");
        add(flag_p, "-p PORT");
        add(password, "-a PASSWORD");
        add(!database.empty(), "-n DB");
        return list;
    }
    std::string url() const {
        const bool bare_v6 = host.find(':') != std::string::npos;
        std::string url = "redis://" + (bare_v6 ? "[" + host + "]" : host.empty() ? "HOST" : host);
        url += port.empty() ? ":6379" : ":" + port;
        return database.empty() ? url : url + "/" + database;
    }
};

Habit habit_of(std::span<const std::string_view> arguments) {
    Habit habit;
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string_view word = arguments[i];
        const std::string_view next = i + 1 < arguments.size() ? arguments[i + 1] : std::string_view{};
        const std::string_view joined = word.size() > 2 ? word.substr(2) : std::string_view{};
        if (word == "-h" && !next.empty() && !next.starts_with('-')) {
            habit.host = next;
        } else if (word == "-p" || (word.starts_with("-p") && is_number(joined, 5))) {
            habit.flag_p = true;
            const std::string_view port = joined.empty() ? next : joined;
            if (is_number(port, 5)) habit.port = port;
        } else if (is_password_flag(word)) {
            habit.password = true;
        } else if ((word == "-n" && is_number(next, 2)) || (word.starts_with("-n") && is_number(joined, 2))) {
            habit.database = joined.empty() ? next : joined;
        }
    }
    return habit;
}

}  // namespace

std::string_view command_meant(std::string_view word) {
    const auto* found = std::ranges::find(kCommands, word, &OtherWord::first);
    return found == kCommands.end() ? std::string_view{} : found->second;
}

std::string_view flag_meant(std::string_view flag, std::span<const std::string> flags) {
    const auto* found = std::ranges::find_if(kFlags, [&](const OtherWord& one) {
        return one.first == flag && std::ranges::find(flags, one.second) != flags.end();
    });
    return found == kFlags.end() ? std::string_view{} : found->second;
}

std::optional<support::Error> redis_cli_habit(std::span<const std::string_view> arguments) {
    const Habit habit = habit_of(arguments);
    if (!habit.is_there()) return std::nullopt;
    std::string hint = "write -u " + habit.url();
    if (habit.password) hint += ", and put the password into REDISCLI_AUTH: a command line can be seen by others";
    if (!habit.database.empty()) hint += "; -n is --dry-run, and a key of digits alone stands behind --";
    return support::Error{support::ExitCode::usage,
                          habit.flags() + (habit.flags().find(',') == std::string::npos ? " is" : " are") +
                              " redis-cli's way to name a server; nothing was done",
                          std::move(hint)};
}

}  // namespace ratectl::cli
