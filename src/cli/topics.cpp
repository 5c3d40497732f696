// The texts of `ratectl help TOPIC`.
#include "cli/topics.h"

#include <algorithm>
#include <array>

namespace ratectl::cli {
namespace {

constexpr std::string_view kOutput =
    "Rows go to standard output; progress, questions, warnings, errors and summaries go to standard error. Nothing of "
    "ours is ever "
    "mixed into the rows.\n"
    "\n"
    "  table, wide      for people; wide has more columns\n"
    "  json             one document: schema, rows, failures, complete\n"
    "  ndjson           one object a line, written as rows arrive\n"
    "  csv, tsv         with a header line unless --no-header\n"
    "  name             keys only, one a line; with -0 raw bytes ended by NUL\n"
    "\n"
    "A few commands know one more: github (client), prometheus and html (stats).\n"
    "\n"
    "--columns key,used,reset_at chooses and orders columns; --columns help lists them. Numbers are numbers, a "
    "duration's name carries "
    "its unit, a time is there twice (reset_at in epoch seconds and reset_at_iso), and what is not known is null or "
    "empty, never 0.\n"
    "\n"
    "A byte that could move a cursor, hide or reorder text is shown as an escape such as \\x1b, wherever a person "
    "reads. A key that is "
    "not valid UTF-8 is printed escaped and has key_b64 beside it. --key-format raw, escaped, hex or base64 says how "
    "keys are "
    "written, in and out. CSV cells that a spreadsheet could take for a formula begin with an apostrophe.\n"
    "\n"
    "On a terminal a table is made to fit. In this order: times lose today's date, long keys and texts are shortened "
    "in the middle, and the columns that matter least go, which the last line names. What still does not fit becomes "
    "a block of lines for each row. -o wide and --columns never leave a column out. A word of bad news has a ! before "
    "it and a doubtful one a ~, a percentage has a bar, and a time says how far away it is. In a pipe there is none "
    "of that: no mark, no bar, no colour, nothing shortened and nothing left out.\n"
    "\n"
    "Colour only repeats what a word says already. It is on when the stream is a terminal, unless NO_COLOR is set, "
    "TERM is dumb or --color says otherwise. Times are UTC; --tz changes that, and --thousands writes numbers as "
    "1,234,567, both for people only.\n"
    "\n"
    "--messages json makes every line of standard error one JSON object, errors included.";

constexpr std::string_view kConfiguration =
    "A flag wins over the environment, the environment over the file. 'ratectl config show' prints every value and "
    "where it came from, "
    "'ratectl config check' proves the file, 'ratectl config init' writes a commented one.\n"
    "\n"
    "The file is the first of:\n"
    "\n"
    "  --config FILE\n"
    "  $RATECTL_CONFIG\n"
    "  $XDG_CONFIG_HOME/ratectl/ratectl.toml, or ~/.config/ratectl/ratectl.toml\n"
    "  /etc/ratectl/ratectl.toml\n"
    "\n"
    "The working folder is never searched. Without a file one -u URL is enough; several of them need --sharding, else "
    "reads look on "
    "every server and say so, and writes are refused:\n"
    "\n"
    "  ratectl -u redis://127.0.0.1:6379 check core:42 --limit 5000\n"
    "\n"
    "A policy says which keys are whose windows, and what they may use:\n"
    "\n"
    "  [[deployments.production.policies]]\n"
    "  name = \"core\"\n"
    "  key = \"core:{client}\"\n"
    "  limit = 5000\n"
    "  period = \"1h\"\n"
    "  classes = { enterprise = 15000 }\n"
    "  class_file = \"classes.csv\"    # client,class[,limit]\n"
    "  exempt_file = \"exempt.txt\"    # clients without a limit, one a line\n"
    "  secret = true                 # the client is something like a token\n"
    "\n"
    "The clients of a secret policy are shown, recorded and sent to the log as fingerprints, the same ones each "
    "time; --reveal shows them for one command.\n"
    "\n"
    "Passwords are never taken from the command line, where every user of the machine can read them. Use "
    "password_file, password_env "
    "or password_command in the file, the variable REDISCLI_AUTH, or a whole URL from a variable: -u env:REDIS_URL. A "
    "file that holds "
    "a password and can be read by others is refused, and so are the three in a file that another user can change.";

constexpr std::string_view kSharding =
    "Applications spread keys over servers by a rule of their client library. ratectl must use the same rule, or it "
    "looks in the wrong "
    "place: an absent window that is not absent, and a reset that does nothing. The rule is a preset (sharding in the "
    "file, "
    "--sharding on the command line) with its hash function, its key tag and the order and weights of the servers.\n"
    "\n"
    "A key tag such as {} means that only the part between the braces is hashed, so that related keys share a server. "
    "Both halves "
    "of a window always do: the shard is chosen by the key without its expiry suffix.\n"
    "\n"
    "To prove that the configuration is right, compare it with what is there, or let the servers say which rule it "
    "was:\n"
    "\n"
    "  ratectl sharding verify\n"
    "  ratectl sharding guess\n"
    "  ratectl locate core:42 --steps\n"
    "\n"
    "'ratectl config import twemproxy nutcracker.yml' and 'config import urls' turn what a team has already into a "
    "deployment. 'ratectl reshard plan A B' tells how many windows another list of servers would move, 'reshard apply' "
    "moves them without losing one.\n"
    "\n"
    "Some libraries place keys where nobody can compute it (twemproxy random, ejected servers). --all-shards, or "
    "sharding "
    "= \"all-shards\" in the file, looks everywhere, reports keys that are on several shards, and refuses a write that "
    "would be ambiguous unless --shard names the one that is meant.\n"
    "\n"
    "Without a rule, reads look on every shard and say so, and writes are refused.";

constexpr std::string_view kSemantics =
    "A window is two strings in Redis: K holds the number of requests used, K:exp the second at which the window ends "
    "(the suffix can be "
    "configured). Both have a time to live that ends one second later. The clock is the application's: Redis only "
    "collects the garbage.\n"
    "\n"
    "A window is open while that second is not over (equal is still open) and closed afterwards; the first request "
    "after that "
    "opens a new one. The limit is not in Redis: it comes from the policy that matches the key, or from --limit.\n"
    "\n"
    "  absent           neither half is there\n"
    "  open             used is below the limit, or the limit is unknown\n"
    "  exhausted        used has reached the limit\n"
    "  closed           data is there and the window is over\n"
    "  orphan-counter   the counter is there without its end\n"
    "  orphan-expiry    the end is there without its counter\n"
    "  leaked           a half that should expire never will\n"
    "  corrupt          wrong type, or not an integer\n"
    "  negative         used is below zero\n"
    "\n"
    "'ratectl explain core:42' says in words what a window is and why, 'ratectl compare core:42' what every node of "
    "its shard has, and 'ratectl headers --verify -' whether headers that a client was sent can be true. 'ratectl "
    "watch core:42' prints a line whenever a window changes.\n"
    "\n"
    "increment counts requests and opens a window where there is none. refund gives back inside the window that was "
    "looked at, never "
    "below zero, never in a newer window. reset removes both halves at once. A row is one look at one server, and says "
    "which.\n"
    "\n"
    "Replicas lag and may still show a window that is over; check therefore asks the primary and scan a healthy "
    "replica unless --from "
    "says otherwise. With --max-staleness 5s a replica is read only while it is shown to have what its primary had 5 "
    "seconds before; one that was named all the same, or that alone answers, is marked stale, and the command ends "
    "with 9.";

constexpr std::string_view kSafety =
    "One named key is changed at once, and the old and the new value are printed. For more than one the plan is shown "
    "first (keys, "
    "shards, deployment), then a question is asked on the terminal itself; -y answers it. Without a terminal and "
    "without -y "
    "nothing is written and the exit code is 7.\n"
    "\n"
    "-n (--dry-run) shows what would be done. --read-only, RATECTL_READ_ONLY=1 and writes = \"deny\" in the file "
    "refuse every write. "
    "Flags and the environment can only make a guard stricter; no variable answers yes.\n"
    "\n"
    "Every command that writes has an operation id (--op-id names one) and happens once: the id travels with the "
    "write, "
    "and so does a deadline on the server's clock. A lost reply is looked up under that id; a write that certainly did "
    "not "
    "happen is sent again under the same id; only where a server is really gone is the outcome called unknown (exit "
    "code "
    "8). Repeating a command with the same --op-id says already-applied instead of doing it twice. --no-op-key leaves "
    "nothing but the windows on the server; a lost reply is then unknown.\n"
    "\n"
    "Before anything is sent it is recorded in the journal (--journal PATH; by default below $XDG_STATE_HOME): who, "
    "why, "
    "which key, and afterwards what was there before and after. If it cannot be recorded, nothing is sent (exit code "
    "10).\n"
    "\n"
    "  ratectl history core:42        what was done to this key\n"
    "  ratectl history OP             what became of one operation\n"
    "  ratectl undo OP                put it back, if nothing newer is there\n"
    "\n"
    "--plan FILE on a change writes down what it would do, and 'ratectl apply FILE' does that and nothing else, "
    "skipping "
    "windows that have changed since. Applying a plan again finishes it; nothing is done twice.\n"
    "\n"
    "Ctrl-C during many writes: what is in flight is finished, nothing new is begun, and the summary adds up. A second "
    "Ctrl-C stops at "
    "once.\n"
    "\n"
    "These guards are against mistakes. Against people, give the login of ratectl only the rights that it needs on the "
    "servers: 'ratectl acl reader' prints those of an account that can only look, 'ratectl acl operator' those of one "
    "that changes windows, for the keys that your policies name.";

constexpr std::string_view kEnvironment =
    "Every common option that takes a value has a variable: RATECTL_ and the option's name in capitals, '-' written as "
    "'_'. A flag wins.\n"
    "\n"
    "  RATECTL_CONFIG, RATECTL_DEPLOYMENT, RATECTL_URL, RATECTL_SHARDING,\n"
    "  RATECTL_FROM, RATECTL_MAX_STALENESS, RATECTL_EXPIRY_SUFFIX,\n"
    "  RATECTL_TIMEOUT, RATECTL_DEADLINE\n"
    "  RATECTL_NOW, RATECTL_LIMIT, RATECTL_PERIOD, RATECTL_KEY\n"
    "  RATECTL_JOURNAL, RATECTL_AUDIT\n"
    "  RATECTL_OUTPUT, RATECTL_COLUMNS, RATECTL_COLOR, RATECTL_TZ,\n"
    "  RATECTL_KEY_FORMAT, RATECTL_MESSAGES\n"
    "\n"
    "Switches take 1 or 0: RATECTL_JSON, RATECTL_NO_HEADER, RATECTL_THOUSANDS, RATECTL_NULL, RATECTL_QUIET, "
    "RATECTL_VERBOSE, RATECTL_NO_INPUT, RATECTL_READ_ONLY, RATECTL_ALL_SHARDS. There is no RATECTL_YES, no "
    "RATECTL_DRY_RUN and no RATECTL_REVEAL: consent, rehearsal and showing secret clients belong to one command.\n"
    "\n"
    "  REDISCLI_AUTH    password for -u URL\n"
    "  NO_COLOR         no colour when set to anything\n"
    "  TERM             dumb: no colour, and top prints once\n"
    "  COLUMNS          width of tables and help on a terminal\n"
    "  LC_ALL, LC_CTYPE, LANG    UTF-8 or plain ASCII decorations\n"
    "  XDG_CONFIG_HOME, HOME     where the configuration is looked for\n"
    "  XDG_STATE_HOME, HOME      where the journal is kept";

constexpr std::array kTopics = {
    Topic{"exit-codes", "what the exit code of a command promises", {}},
    Topic{"output", "formats, columns, escapes, colour", kOutput},
    Topic{"configuration", "the file, the environment, passwords", kConfiguration},
    Topic{"sharding", "which server a key lives on", kSharding},
    Topic{"semantics", "what a window is, and its states", kSemantics},
    Topic{"safety", "what protects you when you change something", kSafety},
    Topic{"environment", "variables that ratectl reads", kEnvironment},
};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

const Topic* find_topic(std::string_view name) {
    const auto it = std::ranges::find_if(kTopics, [&](const Topic& t) { return t.name == name; });
    return it == kTopics.end() ? nullptr : &*it;
}

}  // namespace ratectl::cli
