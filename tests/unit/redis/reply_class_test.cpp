// Error replies: what each text of Redis and Valkey means, and what a person gets to read.
#include "redis/reply_class.h"

#include <algorithm>
#include <vector>

#include "domain/cluster/slot_faults.h"
#include "support/catch.h"
#include "support/contains.h"

namespace ratectl {
namespace {

using redis::classify_error;
using redis::Fault;
using redis::fault_from_reply;
using redis::ReplyClass;
using support::ExitCode;
using test::contains;

struct Row {
    std::string text;
    ReplyClass kind;
    ExitCode code;
    bool maybe_executed;
    bool transient;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all{
        {"NOSCRIPT No matching script. Please use EVAL.", ReplyClass::no_script, ExitCode::protocol, false, false},
        {"LOADING Redis is loading the dataset in memory", ReplyClass::loading, ExitCode::unavailable, false, true},
        {"LOADING Valkey is loading the dataset in memory", ReplyClass::loading, ExitCode::unavailable, false, true},
        {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", ReplyClass::busy,
         ExitCode::unavailable, false, true},
        {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", ReplyClass::master_down,
         ExitCode::unavailable, false, true},
        {"TRYAGAIN Multiple keys request during rehashing of slot", ReplyClass::try_again, ExitCode::unavailable, false,
         true},
        {"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
         ReplyClass::unblocked, ExitCode::unavailable, false, true},
        {"READONLY You can't write against a read only replica.", ReplyClass::read_only, ExitCode::write_refused, false,
         false},
        {"READONLY You can't write against a read only replica. script: 4f, on @user_script:1.", ReplyClass::read_only,
         ExitCode::write_refused, false, false},
        {"ERR Error running script (call to f_x): @user_script:1: -READONLY You can't write against a read only "
         "replica.",
         ReplyClass::read_only, ExitCode::write_refused, false, false},
        {"ERR Error running script (call to f_x): @user_script:7: @user_script: 7: -OOM command not allowed when used "
         "memory > 'maxmemory'.",
         ReplyClass::oom, ExitCode::write_refused, false, false},
        {"ERR Error running script (call to f_x): @user_script:1: -ERR value is not an integer or out of range",
         ReplyClass::not_an_integer, ExitCode::guard, true, false},
        {"ERR Error running script (call to f_x): @user_script:1: Script killed by user with SCRIPT KILL...",
         ReplyClass::script_killed, ExitCode::unavailable, false, true},
        {"ERR Error running script (call to f_x): @user_script:1: attempt to index a nil value", ReplyClass::other,
         ExitCode::protocol, true, false},
        {"NOREPLICAS Not enough good replicas to write.", ReplyClass::no_replicas, ExitCode::write_refused, false,
         false},
        {"OOM command not allowed when used memory > 'maxmemory'.", ReplyClass::oom, ExitCode::write_refused, false,
         false},
        {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
         ReplyClass::misconf, ExitCode::write_refused, false, false},
        {"NOAUTH Authentication required.", ReplyClass::no_auth, ExitCode::access, false, false},
        {"WRONGPASS invalid username-password pair or user is disabled.", ReplyClass::wrong_pass, ExitCode::access,
         false, false},
        {"ERR invalid password", ReplyClass::wrong_pass, ExitCode::access, false, false},
        {"ERR AUTH <password> called without any password configured for the default user. Are you sure your "
         "configuration is correct?",
         ReplyClass::auth_not_needed, ExitCode::access, false, false},
        {"ERR Client sent AUTH, but no password is set", ReplyClass::auth_not_needed, ExitCode::access, false, false},
        {"NOPERM this user has no permissions to run the 'eval' command", ReplyClass::no_permission, ExitCode::access,
         false, false},
        {"NOPERM User bob has no permissions to run the 'eval' command", ReplyClass::no_permission, ExitCode::access,
         false, false},
        {"NOPERM this user has no permissions to access one of the keys used as arguments", ReplyClass::no_permission,
         ExitCode::access, false, false},
        {"EXECABORT Transaction discarded because of: this user has no permissions to run the 'exec' command",
         ReplyClass::no_permission, ExitCode::access, false, false},
        {"ERR The user executing the script can't run this command or subcommand script: 4f, on @user_script:2.",
         ReplyClass::acl_in_script, ExitCode::access, true, false},
        {"ERR ACL failure in script: User bob has no permissions to run the 'set' command", ReplyClass::acl_in_script,
         ExitCode::access, true, false},
        {"NOPERM ACL failure in script: User bob has no permissions to run the 'set' command",
         ReplyClass::acl_in_script, ExitCode::access, true, false},
        {"DENIED Redis is running in protected mode because protected mode is enabled. And more.", ReplyClass::denied,
         ExitCode::access, false, false},
        {"ERR unknown command 'EVAL', with args beginning with: 'redis.call(' '1' 'k' ", ReplyClass::unknown_command,
         ExitCode::protocol, false, false},
        {"ERR unknown command `AUTH`, with args beginning with: `s3cret`, ", ReplyClass::unknown_command,
         ExitCode::protocol, false, false},
        {"WRONGTYPE Operation against a key holding the wrong kind of value", ReplyClass::wrong_type, ExitCode::guard,
         false, false},
        {"WRONGTYPE Operation against a key holding the wrong kind of value script: 4f, on @user_script:2.",
         ReplyClass::wrong_type, ExitCode::guard, true, false},
        {"ERR value is not an integer or out of range", ReplyClass::not_an_integer, ExitCode::guard, false, false},
        {"ERR increment or decrement would overflow", ReplyClass::overflow, ExitCode::guard, false, false},
        {"ERR max number of clients reached", ReplyClass::max_clients, ExitCode::unavailable, false, true},
        {"ERR DB index is out of range", ReplyClass::bad_database, ExitCode::configuration, false, false},
        {"ERR Script killed by user with SCRIPT KILL... script: 4f, on @user_script:1.", ReplyClass::script_killed,
         ExitCode::unavailable, false, true},
        {"EXECABORT Transaction discarded because of previous errors.", ReplyClass::exec_abort, ExitCode::guard, false,
         false},
        {"MOVED 12182 127.0.0.1:23003", ReplyClass::moved, ExitCode::protocol, false, false},
        {"ASK 7629 127.0.0.1:23003", ReplyClass::ask, ExitCode::unavailable, false, false},
        {"CROSSSLOT Keys in request don't hash to the same slot", ReplyClass::cross_slot, ExitCode::protocol, false,
         false},
        {"CLUSTERDOWN Hash slot not served", ReplyClass::cluster_down, ExitCode::unavailable, false, true},
        {"REDIRECT 10.0.0.1:6379", ReplyClass::redirect, ExitCode::protocol, false, false},
        {"ERR SELECT is not allowed in cluster mode", ReplyClass::cluster_mode, ExitCode::protocol, false, false},
        {"ERR Protocol error: invalid bulk length", ReplyClass::protocol_error, ExitCode::bug, true, false},
        {"ERR syntax error", ReplyClass::other, ExitCode::protocol, true, false},
        {"ERR Unknown Redis command called from script script: 4f, on @user_script:1.", ReplyClass::other,
         ExitCode::protocol, true, false},
        {"SOMETHINGNEW nobody knows", ReplyClass::other, ExitCode::protocol, true, false},
        {"", ReplyClass::other, ExitCode::protocol, true, false},
        {"ERR", ReplyClass::other, ExitCode::protocol, true, false},
        {"ERR ", ReplyClass::other, ExitCode::protocol, true, false},
    };
    return all;
}

TEST_CASE("every known error reply has its class and exit code and says whether it may have been carried out") {
    for (const Row& row : rows()) {
        INFO(row.text);
        CHECK(classify_error(row.text) == row.kind);
        const Fault fault = fault_from_reply(row.text, "shard 'alpha' (10.0.0.7:6379)", "increment");
        CHECK(fault.error.code == row.code);
        CHECK(fault.maybe_executed == row.maybe_executed);
        CHECK(fault.transient == row.transient);
        const bool is_of_server = !domain::is_ownerless(fault.error);
        CHECK(fault.error.message.starts_with("shard 'alpha' (10.0.0.7:6379): ") == is_of_server);
        CHECK(fault.error.message.ends_with("; nothing was written") == !row.maybe_executed);
    }
}

TEST_CASE("a refusal of one of the script's commands by the ACL proves nothing in any version") {
    for (const char* text :
         {"ERR Error running script (call to f_x): @user_script:1: @user_script: 1: The user executing the script "
          "can't run "
          "this command or subcommand",
          "ERR Error running script (call to f_x): @user_script:1: -NOPERM this user has no permissions",
          "ERR The user executing the script can't run this command or subcommand script: x, on @user_script:1."}) {
        INFO(text);
        CHECK(classify_error(text) == ReplyClass::acl_in_script);
        CHECK(fault_from_reply(text, "here", "reset").maybe_executed);
        CHECK(redis::raised_inside_script(text));
    }
    CHECK_FALSE(redis::raised_inside_script("NOPERM this user has no permissions to run the 'set' command"));
}

TEST_CASE("the names of the writes are words of messages and loading and busy are said to pass") {
    for (const char* write : {"increment", "refund", "reset", "undo", "EVAL"}) {
        CHECK(fault_from_reply("OOM x", "here", write).error.message.ends_with("; nothing was written"));
    }
    CHECK(fault_from_reply("LOADING x", "here", "MGET").soon);
    CHECK(fault_from_reply("BUSY x", "here", "reset").soon);
    CHECK_FALSE(fault_from_reply("MASTERDOWN x", "here", "MGET").soon);
}

TEST_CASE("what concerns one slot of a Redis Cluster is told apart from what concerns a server") {
    CHECK(fault_from_reply("TRYAGAIN Multiple keys request during rehashing of slot", "here", "MGET").of_slot);
    CHECK(fault_from_reply("CLUSTERDOWN Hash slot not served", "here", "reset").of_slot);
    CHECK(fault_from_reply("CLUSTERDOWN Hash slot not served", "here", "MGET").error.message ==
          "no node of the Redis Cluster has the key's slot (so says here)");
    CHECK(fault_from_reply("CLUSTERDOWN The cluster is down", "here", "MGET").error.message ==
          "here: its Redis Cluster is down");
    CHECK_FALSE(fault_from_reply("LOADING x", "here", "MGET").of_slot);
    CHECK_FALSE(fault_from_reply("MOVED 1 10.0.0.1:6379", "here", "MGET").of_slot);
}

TEST_CASE("only writes are told that nothing was written") {
    for (const Row& row : rows()) {
        for (const char* command : {"MGET", "SCAN", "AUTH", "INFO", "EVAL_RO"}) {
            CHECK_FALSE(contains(fault_from_reply(row.text, "x", command).error.message, "nothing was written"));
        }
    }
}

TEST_CASE("messages use the words that people look for") {
    const auto message = [](std::string_view text) { return fault_from_reply(text, "here", "EVAL").error.message; };
    CHECK(contains(message("LOADING x"), "loading"));
    CHECK(contains(message("MASTERDOWN x"), "link with its primary is down"));
    CHECK(contains(message("READONLY x"), "read-only"));
    CHECK(contains(message("NOREPLICAS x"), "too few replicas"));
    CHECK(contains(message("OOM x"), "memory"));
    CHECK(contains(message("MISCONF x"), "cannot persist"));
    CHECK(contains(message("BUSY x"), "busy running a script"));
    CHECK(contains(message("NOAUTH x"), "authentication required"));
    CHECK(contains(message("NOPERM this user has no permissions to run the 'scan' command"), "'scan'"));
    CHECK(contains(message("NOPERM this user has no permissions to access one of the keys used as arguments"), "keys"));
    CHECK(contains(message("MOVED 1 10.0.0.1:6379"), "Cluster"));
    CHECK_FALSE(contains(message("MOVED 1 10.0.0.1:6379"), "10.0.0.1"));
    CHECK(message("DENIED Redis is running in protected mode. Long advice.") ==
          "here: access denied: Redis is running in protected mode; nothing was written");
}

TEST_CASE("a redirect keeps the slot and the address that the server named") {
    using redis::Redirect;
    using Kind = Redirect::Kind;
    const auto redirect = [](std::string_view text) { return fault_from_reply(text, "here", "EVAL").redirect; };
    CHECK(redirect("MOVED 12182 127.0.0.1:23003") == Redirect{Kind::moved, 12182, "127.0.0.1:23003"});
    CHECK(redirect("ASK 0 [::1]:6379") == Redirect{Kind::ask, 0, "[::1]:6379"});
    CHECK(redirect("MOVED 7 :6379") == Redirect{Kind::moved, 7, ":6379"});
    CHECK(redirect("READONLY You can't write against a read only replica.") == Redirect{Kind::read_only});
    CHECK(redirect("ERR Error running script (call to f_x): @user_script:1: -READONLY You can't") ==
          Redirect{Kind::read_only});
    for (const char* none : {"MOVED", "MOVED 1", "MOVED x 10.0.0.1:1", "MOVED 16384 10.0.0.1:1", "MOVED -1 10.0.0.1:1",
                             "LOADING x", "CLUSTERDOWN x", "ERR MOVED 1 10.0.0.1:1"}) {
        INFO(none);
        CHECK_FALSE(redirect(none));
    }
}

TEST_CASE("no message echoes the arguments that a server sends back") {
    const std::string echo = "ERR unknown command 'AUTH', with args beginning with: 's3cret-pass' ";
    CHECK_FALSE(contains(fault_from_reply(echo, "here", "AUTH").error.message, "s3cret"));
    CHECK_FALSE(contains(fault_from_reply("ERR odd reply about s3cret-pass", "here", "AUTH").error.message, "s3cret"));
    const std::string script = "ERR unknown command 'EVAL', with args beginning with: 'local used = 1' ";
    CHECK_FALSE(contains(fault_from_reply(script, "here", "EVAL").error.message, "local"));
}

}  // namespace
}  // namespace ratectl
