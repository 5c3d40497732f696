// The words of redis-cli, SQL, HTTP clients and the usual shell tools, each with ours.
#include "cli/other_words.h"

#include <algorithm>
#include <array>
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

}  // namespace ratectl::cli
