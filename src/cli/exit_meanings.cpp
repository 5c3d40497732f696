// The exit codes in words; the numbers themselves are support::ExitCode.
#include <array>

#include "cli/topics.h"

namespace ratectl::cli {
namespace {

using support::ExitCode;

constexpr std::array kMeanings = {
    ExitMeaning{ExitCode::done, "done", "everything that was asked for is done and printed"},
    ExitMeaning{
        ExitCode::attention, "attention",
        "there is something to look at: with --exit-status, check, client, explain or stats met a client that is "
        "limited or a corrupt window, limit trace a request that is refused, and scan printed a row; headers met a "
        "corrupt window; a write found nothing at "
        "all to change; keys are misplaced, doctor found something, no sharding rule can be named, a configuration has "
        "warnings, there is no such operation, history has nothing of a key that was named, the nodes of a shard "
        "differ, rollout compare or copy met windows that differ, are gone or are halves, headers cannot be true, what "
        "watch waited for did not "
        "come, governor step had no load to go by, or a replica did not show in time what nodes --probe had written"},
    ExitMeaning{ExitCode::usage, "usage", "the command line is wrong"},
    ExitMeaning{ExitCode::configuration, "configuration",
                "the configuration is wrong or missing, or a limit that was needed is unknown"},
    ExitMeaning{ExitCode::unavailable, "unavailable", "a server could not be reached or did not answer in time"},
    ExitMeaning{ExitCode::access, "access", "login, access rights or the server's TLS identity were refused"},
    ExitMeaning{ExitCode::write_refused, "write refused",
                "the server takes no writes: it is a replica, or out of memory, disk or replicas"},
    ExitMeaning{ExitCode::guard, "guard",
                "a guard said no: the window changed, consent is missing, or the key is not a window"},
    ExitMeaning{ExitCode::unknown, "unknown",
                "a write was sent and its reply was lost: it may or may not have happened"},
    ExitMeaning{ExitCode::partial, "partial",
                "some shards or keys failed or were left out, or are older than --max-staleness; the rest was done and "
                "printed"},
    ExitMeaning{
        ExitCode::local_io, "local input or output",
        "a local file, standard input or standard output could not be read or written, or standard input, the only "
        "input of a governor run, has ended before that was to end"},
    ExitMeaning{ExitCode::protocol, "protocol", "the other side is not a Redis server, or not the one that was meant"},
    ExitMeaning{ExitCode::bug, "bug", "ratectl broke a rule of its own; please report it"},
    ExitMeaning{ExitCode::interrupted, "interrupted", "stopped by SIGINT"},
    ExitMeaning{ExitCode::output_closed, "output closed", "standard output has no reader any more"},
    ExitMeaning{ExitCode::terminated, "terminated", "stopped by SIGTERM or SIGHUP"},
};

}  // namespace

std::span<const ExitMeaning> exit_meanings() { return kMeanings; }

std::string_view exit_code_rules() {
    return "Codes 2 to 7 and 11 promise that nothing was written. When several things happened the gravest decides: 8, "
           "then 9, then 10, "
           "then 130 or 143, then any other failure, then 1. One dead shard never hides the rows of the others, and "
           "never ends with 0.\n"
           "\n"
           "A monitor tells an alert from its own breakage like this:\n"
           "\n"
           "  ratectl check core:42 --exit-status\n"
           "  case $? in\n"
           "    0) echo fine;;\n"
           "    1) echo limited or corrupt;;\n"
           "    *) echo cannot tell;;\n"
           "  esac";
}

}  // namespace ratectl::cli
