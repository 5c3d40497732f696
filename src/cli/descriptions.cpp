// The manual's description of each command, printed before its flags.
#include <algorithm>
#include <array>
#include <utility>

#include "cli/topics.h"

namespace ratectl::cli {
namespace {

using Description = std::pair<std::string_view, std::string_view>;

constexpr std::array kLooks{
    Description{"check",
                "Looks at the windows that are named and prints a row for each: how many requests are used, the limit, "
                "what remains, when the window ends and its state. A window that is not there is a row of the state "
                "absent, not an error. Reads the primary of each shard unless --from says otherwise."},
    Description{"client",
                "Looks at every window of a client: one for each policy whose key can be built from the client alone. "
                "With --org the column binding says for each policy by itself whether the client's own limit or its "
                "organisation's keeps it out: two policies may bind at once, one with requests left beside one that is "
                "used up. `ratectl limit trace` weighs all limits that one request meets. "
                "-o github prints them as GET /rate_limit of the API would."},
    Description{"explain",
                "Writes a paragraph about each window, fit for a ticket: whether the client is limited, why, since "
                "when and until when, what each replica would have said, and what can be done. --redact leaves out "
                "who the client is."},
    Description{"headers",
                "Prints the rate-limit headers that a client would get with its next response. With --verify it reads "
                "headers that were pasted, and says whether they can be true."},
    Description{"scan",
                "Lists every window of every shard as it is found, read from a healthy replica of each shard where "
                "there is one. Without a pattern it lists what a policy knows; filters narrow that. A scan that breaks "
                "off can go on later with --resume."},
    Description{"watch",
                "Prints a line whenever one of the named windows changes, or waits with --until for something to come "
                "true. It only reads."},
    Description{"stats",
                "Sweeps all windows and prints figures: how use is spread, how even the shards are, what resets when, "
                "and with --at-limit who would be limited under other limits."},
    Description{"top",
                "Shows the windows with the most requests, again and again, with the rate at which each is used. In a "
                "pipe it looks once and ends."},
};

constexpr std::array kChanges{
    Description{"increment",
                "Counts requests as the application itself would, with its script: a window that is not there is "
                "opened."},
    Description{"refund",
                "Gives requests back to a window that is open. A window that changed since it was looked at is left "
                "alone, and none goes below 0."},
    Description{"reset",
                "Removes windows, so that the next request opens a new one. What they held is printed, and is in the "
                "journal: undo puts it back."},
    Description{"apply",
                "Does what a plan says, that and nothing else. Rows whose window is no longer the one that was planned "
                "for are left out and named. increment, refund and reset make one with --plan."},
    Description{"history",
                "Prints what this machine's journal knows: who changed which window, when, why, and what was there "
                "before and after. That is what was recorded then: whether a server has lost it since in a failover is "
                "asked with `history OP`. With --on-servers it reads the operations that the servers still remember."},
    Description{"undo",
                "Puts back what an operation changed, as far as nothing newer stands there: a window that an increment "
                "opened goes again, unless other requests were counted into it. It is an operation itself, and "
                "happens once."},
    Description{"replay",
                "Counts the requests of an access log into the windows that they belong to, each at the time of its "
                "line. With --dry-run it counts in memory only and says who would have been limited."},
};

constexpr std::array kOthers{
    Description{"locate",
                "Computes on which shard and servers keys live. It asks no server. --steps shows each step of the "
                "computation."},
    Description{"identify",
                "Looks at keys, whatever wrote them, and says which limiter that was, how sure this is, what it means "
                "now, and, where it is more than a guess and there is a scheme for it, the policy to paste into the "
                "configuration. Names, types, values and times to live have to agree; unsure is an answer. A key that "
                "no rule knows (unknown) and one that is not there (absent) are rows like others, and end with 0. "
                "--sample N takes so many keys of each shard and prints a row for all that are alike. It only reads."},
    Description{"nodes",
                "Asks every server about itself and prints a row for each: role, link, lag, clock, version, load, "
                "memory. --probe measures how long a write takes to reach each replica."},
    Description{"compare",
                "Reads the same windows on the primary and on every replica, judges them at the same second, and says "
                "where they differ and why."},
    Description{"doctor",
                "Looks for windows that are broken, leaked, on the wrong shard or suspicious, and counts them by "
                "class. --fix repairs what can be repaired without a guess."},
    Description{"sharding",
                "Says how keys are placed on shards: the rules that are known by name, what each does, and whether "
                "the configured one is the application's."},
    Description{"reshard",
                "Forecasts what a change of shards does to the windows that are open, and moves them to where they "
                "will be looked for. Into a Redis Cluster, and back, keys become those that the policy of the same "
                "name has there."},
    Description{"throttle",
                "Shows LimitLion's throttles by the names that the application has for them, with their knobs; fills "
                "them, or removes them. The keys are those of the policy whose scheme is limitlion."},
    Description{"knobs",
                "Shows and turns the knobs of LimitLion's throttles: as soon as they are there, they say how many "
                "requests are let through, whatever the application says. All three are written in one step, in the "
                "place of those that were seen, recorded, and taken back by undo. LimitLion keeps them for a week "
                "after the throttle's last call."},
    Description{"running",
                "Sums up LimitLion's running counters: each counts into a bucket of its interval, and the last buckets "
                "are what counts. How long a bucket is, and how many count, is the application's own affair and stored "
                "nowhere, so it has to be said. A count that cannot be told is null, and why is in the column error."},
    Description{
        "governor",
        "Keeps the load of what stands behind a throttle at a set point, by PID control of the throttle's rate "
        "and a circuit breaker. run and step look only, unless --apply is given; what they write is recorded, and "
        "undo takes it back. One run governs a throttle at a time, under a lease that its server keeps. "
        "Without a load the rate is held; knobs that are gone are not put back, but it goes on from what lets "
        "requests through without them. A run by standard input alone ends with it, and fails (10) unless its "
        "--iterations are made: a supervisor can start it again. "
        "simulate tries a tuning on a model of a store, whose load is told 15 s late, "
        "or on loads of a file, and asks no server; -o plot, svg and html draw it."},
    Description{
        "limit",
        "Follows a request through the limits that it meets, in the order of the policies: the client's own and "
        "those of its organisation, each with what is used, its end, and what it makes of the request. All are "
        "judged at one moment. Those that bind are the ones that refuse it or, where none does, those with the "
        "fewest requests left; headers tell of the one that keeps the client out longest. paths in the "
        "configuration says which requests a policy limits."},
    Description{
        "rollout",
        "Shows and turns features of Flipper that are on for a percentage of their actors, and says who is on which "
        "side of one, as Flipper decides: "
        "by the crc32 of the feature's name and the actor's. Whoever is in at one percentage is in at every "
        "higher one. Actors that were turned on by name, or by their group, are Flipper's to know. compare shows "
        "which of two deployments serves a client, and both of its windows; its exit code is 1 where one may "
        "make requests once more that were counted. copy carries what is used in the old deployment over into "
        "the new one, with the end that clients were told, while applications go on counting in both: "
        "repeated, also after a crash or from another machine, it adds what came since, and nothing twice, as "
        "the operation keys on the new servers tell, which stay as long as the windows. A window that its client "
        "counts in between the look and the write is looked at again, up to five times (not under --op-id, whose "
        "calls stay the same ones); one that changes each time is named window-changed, and waits for the next copy. "
        "A client that has a window of its own there, which no copy has opened, keeps that one. Counters of the old "
        "deployment that have lost their end are named, with exit code 1, and left out. The old deployment is only "
        "read."},
    Description{"config",
                "Writes a configuration to start from, imports one from what there is, proves it, and shows every "
                "value that is in force with its origin."},
    Description{"acl",
                "Prints the rules of a Redis account that has exactly the rights that ratectl needs, for looking only "
                "or for changing, too. It changes nothing on the servers."},
    Description{
        "sandbox",
        "Starts real servers on this machine that can be thrown away, and writes a configuration for them, with "
        "a journal that goes when they do: shards with replicas, the same under three sentinels that fail them over, "
        "or a Redis Cluster."},
    Description{"completion", "Prints a script that makes a shell complete commands, flags, values and names."},
    Description{"help", "Prints help on a command or on a topic; --man prints manual pages in roff."},
};

}  // namespace

std::string_view description_of(std::string_view command) {
    const auto in = [command](const auto& list) -> std::string_view {
        const auto found = std::ranges::find(list, command, &Description::first);
        return found == list.end() ? std::string_view{} : found->second;
    };
    for (const std::string_view text : {in(kLooks), in(kChanges), in(kOthers)}) {
        if (!text.empty()) return text;
    }
    return {};
}

}  // namespace ratectl::cli
