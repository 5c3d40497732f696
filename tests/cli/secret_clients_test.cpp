// secret = true: no output of any command, and no record, shows a client; what that makes impossible is said in words.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "cli/recorded_box.h"
#include "support/built_programs.h"
#include "support/file_text.h"

using namespace ratectl::test;

namespace {

const std::string kToken = "tokSECRETalice";

/// Every token begins so.
const std::string kSecret = "tokSECRET";

bool tells(const std::string& text) {
    // As it is, in hexadecimal and in base64 at each of three places.
    const std::vector<std::string> spellings{kSecret, "746f6b534543524554", "dG9rU0VDUkVU", "Rva1NFQ1JFV",
                                             "0b2tTRUNSRV"};
    return std::ranges::any_of(spellings, [&](const std::string& s) { return text.find(s) != std::string::npos; });
}

class SecretBox : public RecordedBox {
public:
    explicit SecretBox(std::size_t shards = 1) : RecordedBox("writes = \"allow\"", shards) {
        std::ofstream(config_file(), std::ios::app)
            << "secret = true\norg_key = \"org:{org}\"\norg_factor = 3\nexempt = [\"" + kSecret + "exempt\"]\n";
        std::ofstream(file("access.log"))
            << "10.0.0.1 - " + kToken + " [22/Nov/2026:00:00:01 +0000] \"GET / HTTP/1.1\" 200 5\n";
        fill();
    }
    void fill() {
        const auto end = seconds_from_now(3000);
        set_window("core:" + kToken, "40", end);
        set_window("core:" + kSecret + "used-up", "100", end);
        set_window("core:" + kSecret + "exempt", "7000", end);
        set_window("core:" + kSecret + "negative", "-5", end);
        set_window("org:" + kSecret + "org", "100", end);
        server().command({"SET", "core:" + kSecret + "orphan", "4"});
        server().command({"SET", "core:" + kSecret + "leaked", "4"});
        server().command({"SET", "core:" + kSecret + "leaked:exp", std::to_string(end)});
        server().command({"SET", "core:" + kSecret + "corrupt:exp", std::to_string(end)});
        server().command({"RPUSH", "core:" + kSecret + "corrupt", "x"});
    }
    /// All bytes below the folder of the journal.
    std::string records() const {
        std::string all;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(file("state"))) {
            if (!entry.is_regular_file()) continue;
            std::ifstream in(entry.path(), std::ios::binary);
            all.append(std::istreambuf_iterator<char>(in), {});
        }
        return all;
    }
};

const std::string kSecretKey = "core:" + kToken;

/// At least one way to call every command that can meet a key.
std::vector<std::vector<std::string>> calls_with_keys(const SecretBox& box) {
    return {
        {"check", kSecretKey, "core:" + kSecret + "corrupt", "core:" + kSecret + "absent"},
        {"check", "--client", kToken, "--exit-status"},
        {"check", kSecretKey, "--from", "all", "--look", "full"},
        {"check", "--match", "core:" + kSecret + "*", "--state", "exhausted"},
        {"client", kToken},
        {"client", kToken, "--org", kSecret + "org"},
        {"client", kSecret + "exempt", "--exit-status"},
        {"client", kToken, "--sweep"},
        {"client", kToken, "--columns", "key,client,limit_source,class,nonsense"},
        {"explain", kSecretKey},
        {"explain", kSecretKey, "--redact"},
        {"explain", "core:" + kSecret + "leaked", "core:" + kSecret + "corrupt", "core:" + kSecret + "exempt"},
        {"headers", kSecretKey, "core:" + kSecret + "exempt"},
        {"headers", kSecretKey, "--dialect", "draft-8"},
        {"scan"},
        {"scan", "--orphans", "--look", "full", "--sort", "key"},
        {"scan", "core:" + kSecret + "nothing"},
        {"stats"},
        {"top"},
        {"watch", kSecretKey, "--every", "50ms", "--deadline", "500ms"},
        {"increment", kSecretKey, "-n"},
        {"increment", kSecretKey, "--amount", "3"},
        {"increment", "core:" + kSecret + "corrupt"},
        {"increment", kSecretKey, "--op-id", "again"},
        {"increment", "core:" + kSecret + "other", "--op-id", "again"},
        {"refund", kSecretKey, "--amount", "2"},
        {"refund", kSecretKey, "--amount", "9999"},
        {"reset", kSecretKey, "--plan", box.file("plan.ndjson")},
        {"apply", box.file("plan.ndjson"), "-n"},
        {"apply", box.file("plan.ndjson")},
        {"reset", "core:" + kSecret + "orphan"},
        {"history"},
        {"history", kSecretKey},
        {"history", "--on-servers"},
        {"history", "again"},
        {"undo", "again"},
        {"replay", box.file("access.log"), "--policy", "core", "-n"},
        {"replay", box.file("access.log"), "--policy", "core", "--now", std::to_string(seconds_from_now(0))},
        {"locate", kSecretKey, "--steps"},
        {"locate", kSecretKey, "core:" + kSecret + "b", kSecretKey + ":exp"},
        {"identify", kSecretKey, "core:" + kSecret + "corrupt", kSecretKey + ":exp", "core:" + kSecret + "absent"},
        {"identify", "--sample", "100"},
        {"config", "init", "--from-server", "--file", "-"},
        {"nodes"},
        {"compare", kSecretKey},
        {"compare", kSecretKey, "core:" + kSecret + "corrupt"},
        {"doctor"},
        {"doctor", "--fix", "leaked", "-n"},
        {"doctor", "--fix", "all"},
        {"sharding", "verify"},
        {"sharding", "guess"},
        {"reshard", "plan", "box", "box"},
        {"increment", "core:a' " + kSecret + "tail:exp"},
        {"check", kSecretKey, "--key", "c{client}:{x}"},
        {"scan", "--key", "core:" + kSecret + "{client}"},
        {"locate", kSecretKey, "--key", "c{client}:{x}"},
        {"check", "--key-format", "hex", "746f6b5345435245545"},
        {"throttle", "list", "--scheme", "limitlion"},
        {"throttle", "show", kToken, "--scheme", "limitlion", "--policy", "core"},
        {"knobs", "get", kToken, "--scheme", "limitlion", "--policy", "core"},
        {"knobs", "stop", kToken, "--scheme", "limitlion", "--policy", "core", "-n"},
        {"governor", "step", kToken, "--load-command", "echo 2", "--set-point", "1", "--max", "9", "--scheme",
         "limitlion", "--policy", "core"},
        {"governor", "step", kToken, "--load-command", "echo 2", "--set-point", "1", "--max", "9", "--scheme",
         "limitlion", "--policy", "core", "--apply"},
        {"governor", "explain", kToken, "--scheme", "limitlion", "--policy", "core"},
        {"limit", "trace", kSecret},
        {"rollout", "compare", kSecretKey, "--old", "memcached://127.0.0.1:1", "--feature", "f", "--at", "50"},
        {"rollout", "copy", kSecretKey, "--old", "memcached://127.0.0.1:1"},
        {"running", "queries", "--interval", "1m", "--buckets", "2"},
        {"config", "show"},
        {"config", "check"},
        {"acl", "reader"},
    };
}

/// What the short help lists.
std::set<std::string> all_commands() {
    std::istringstream help(run_ratectl({}).out);
    std::set<std::string> names;
    for (std::string line; std::getline(help, line) && line != "Topics";) {
        const bool named = line.starts_with("  ") && line.size() > 2 && line[2] >= 'a' && line[2] <= 'z';
        if (named) names.insert(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
}

/// They meet no key of any policy.
const std::set<std::string> kWithoutKeys{"sandbox", "completion", "help"};

}  // namespace

TEST_CASE("No command shows a secret client") {
    SecretBox box;
    std::set<std::string> called = kWithoutKeys;
    // What is shown does not depend on the sanitizer.
    const auto formats = is_binary_sanitized()
                             ? std::vector<std::string>{"wide", "json"}
                             : std::vector<std::string>{"table", "wide", "ndjson", "json", "csv", "name"};
    for (const auto& words : calls_with_keys(box)) {
        called.insert(words.front());
        for (const std::string& format : formats) {
            auto arguments = words;
            arguments.insert(arguments.end(), {"-o", format, "-v", "-v"});
            if (format == "csv") arguments.insert(arguments.end(), {"--messages", "json"});
            if (format == "tsv") arguments.insert(arguments.end(), {"--key-format", "hex"});
            if (format == "json") box.fill();
            const auto result = box.run(arguments);
            std::string line;
            for (const auto& word : arguments) line += word + " ";
            INFO(line << "\n" << result.out << result.err);
            CHECK_FALSE(tells(result.out));
            CHECK_FALSE(tells(result.err));
            CHECK(result.code != 70);
        }
    }
    CHECK(all_commands().size() > 20);
    for (const auto& command : all_commands()) {
        INFO(command << " is not called here: how does it show keys?");
        CHECK(called.contains(command));
    }
    CHECK_FALSE(box.records().empty());
    CHECK_FALSE(tells(box.records()));
    for (const char* format : {"html", "prometheus"}) CHECK_FALSE(tells(box.run({"stats", "-o", format}).out));
    CHECK_FALSE(tells(box.run({"client", kToken, "-o", "github"}).out));
    CHECK_FALSE(tells(box.run({"scan", "--key-format", "hex"}).out));
}

TEST_CASE("Every command's messages in JSON end with a summary") {
    // Those of looks ended with nothing, so that their end could not be told from a pipe that broke.
    SecretBox box;
    auto calls = calls_with_keys(box);
    calls.insert(calls.end(),
                 {{"help", "exit-codes"}, {"completion", "bash"}, {"check", "core:x", "--columns", "help"}});
    for (auto call : calls) {
        call.insert(call.end(), {"--messages", "json"});
        const auto result = box.run(call);
        INFO(call.front() << " " << call.back() << "\n" << result.err);
        const auto last = result.err.rfind('\n', result.err.size() - 2) + 1;
        CHECK(parse_json(result.err.substr(last)).value("kind", "") == "summary");
        CHECK(result.err.find("{\"kind\":\"summary\"") == last);
    }
}

TEST_CASE("Reveal shows secret clients for one command and records none") {
    SecretBox box;
    CHECK(tells(box.run({"check", kSecretKey, "--reveal"}).out));
    CHECK(tells(box.run({"explain", kSecretKey, "--reveal"}).out));
    CHECK(tells(box.run({"increment", kSecretKey, "--reveal"}).out));
    CHECK_FALSE(tells(box.records()));
    RunOptions options;
    options.environment["RATECTL_REVEAL"] = "1";
    CHECK_FALSE(tells(box.run({"check", kSecretKey}, options).out));
    CHECK(box.run({"history", kSecretKey, "-o", "name"}).out == box.run({"check", kSecretKey, "-o", "name"}).out);
}

TEST_CASE("A fingerprint that comes back is refused before anything is done") {
    SecretBox box;
    const auto scanned = box.run({"scan", "--state", "exhausted", "-o", "ndjson"});
    REQUIRE(scanned.code == 0);
    for (const char* command : {"reset", "check", "explain"}) {
        INFO(command);
        const auto result = box.run_with_input({command, "-"}, scanned.out);
        CHECK(result.code == (std::string(command) == "reset" ? 2 : 10));
        CHECK(contains(result.err, "standard input, line 1: key 'core:sha256:"));
        CHECK(contains(result.err, "fingerprint"));
        CHECK(contains(result.err, "--reveal"));
    }
    CHECK(box.run({"increment", "--reveal", "core:sha256:0123456789abcdef"}).code == 2);
    CHECK(box.stored("core:" + kSecret + "used-up") == "100");
    const auto revealed = box.run({"scan", "--state", "exhausted", "-o", "ndjson", "--policy", "core", "--reveal"});
    CHECK(box.run_with_input({"reset", "-", "-y"}, revealed.out).code == 0);
    CHECK(box.stored("core:" + kSecret + "used-up") == "(nil)");
}

TEST_CASE("A fingerprint among the lines of a stream is named with its line like any line that is no key") {
    // Rows had been printed, and the command ended with 2 as if nothing had been done.
    SecretBox box;
    for (const std::string line : {"core:sha256:0123456789abcdef\n", "{\"key\":\"core:sha256:0123456789abcdef\"}\n"}) {
        const std::string first = line.front() == '{' ? "{\"key\":\"other:1\"}\n" : "other:1\n";
        for (const std::string command : {"check", "explain", "compare", "locate", "increment", "reset"}) {
            const auto result = box.run_with_input({command, "-"}, first + line + first);
            INFO(command << ": " << result.err << result.out);
            const bool writes = command == "increment" || command == "reset";
            CHECK(result.code == (writes ? 2 : 10));
            CHECK(contains(result.err, "standard input, line 2: key 'core:sha256:0123456789abcdef' has a fingerprint"));
            CHECK(contains(result.out, "other:1") == !writes);
        }
        CHECK(box.stored("other:1") == "(nil)");
    }
    const auto argument = box.run({"check", "other:1", "core:sha256:0123456789abcdef"});
    CHECK(argument.code == 2);
    CHECK(argument.out.empty());
    CHECK(contains(argument.err, "nothing was done"));
}

TEST_CASE("A plan holds the keys of secret clients as they are and says so") {
    SecretBox box;
    const auto planned = box.run({"reset", kSecretKey, "--plan", box.file("plan.ndjson")});
    INFO(planned.err);
    CHECK(planned.code == 0);
    CHECK(contains(planned.err, "clients of secret policies included"));
    CHECK(tells(file_text(box.file("plan.ndjson"))));
    const auto permissions = std::filesystem::status(box.file("plan.ndjson")).permissions();
    CHECK((permissions & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK(box.run({"apply", box.file("plan.ndjson"), "-y"}).code == 0);
    CHECK(box.stored(kSecretKey) == "(nil)");
}

TEST_CASE("An operation on a secret client is undone with the key that the server kept") {
    SecretBox box;
    const auto before = box.halves_of(kSecretKey);
    const auto op = box.change({"reset", kSecretKey});
    CHECK(box.stored(kSecretKey) == "(nil)");
    const auto rows = box.rows({"undo", op});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("status") == "applied");
    CHECK_FALSE(tells(rows[0].dump()));
    CHECK(box.halves_of(kSecretKey) == before);
    CHECK(box.rows({"undo", op}).at(0).at("status") == "already-applied");
    CHECK_FALSE(tells(box.records()));
}

TEST_CASE("Where no server has the operation any more its client must be named") {
    SecretBox box;
    const auto before = box.halves_of(kSecretKey);
    const auto op = box.change({"reset", kSecretKey, "--no-op-key"});
    const auto refused = box.run({"undo", op});
    CHECK(refused.code == 7);
    CHECK(contains(refused.out + refused.err, "--client"));
    CHECK(box.stored(kSecretKey) == "(nil)");
    CHECK(box.run({"undo", op, "--client", "somebody"}).code == 7);
    const auto undone = box.run({"undo", op, "--client", "somebody", "--client", kToken});
    INFO(undone.out << undone.err);
    CHECK(undone.code == 0);
    CHECK(box.halves_of(kSecretKey) == before);
    CHECK_FALSE(tells(undone.out + undone.err + box.records()));
}

TEST_CASE("A repeated operation on a secret client happens once") {
    SecretBox box;
    CHECK(box.run({"increment", kSecretKey, "--op-id", "mine"}).code == 0);
    CHECK(box.rows({"increment", kSecretKey, "--op-id", "mine"}).at(0).at("status") == "already-applied");
    CHECK(box.stored(kSecretKey) == "41");
}

TEST_CASE("What was recorded before a policy became secret is found by its key") {
    RecordedBox open("writes = \"allow\"");
    open.set_window("core:plainone", "1", seconds_from_now(3000));
    open.change({"increment", "core:plainone"});
    std::ofstream(open.config_file(), std::ios::app) << "secret = true\n";
    const auto found = open.rows({"history", "core:plainone"});
    REQUIRE(found.size() == 1);
    CHECK_FALSE(contains(found[0].dump(), "plainone"));
    CHECK(contains(open.run({"explain", "core:plainone"}).out, "by increment"));
}

TEST_CASE("A text full of quotes holds no command up") {
    SecretBox box;
    const auto result = box.run_with_input({"increment", "-"}, "core:" + std::string(40'000, '\'') + ":exp\n");
    CHECK(result.code == 7);
    CHECK(contains(result.err, "(hidden: too long)"));
}

TEST_CASE("A plan of a reshard shows no secret client of the windows that move") {
    SecretBox box(2);
    std::ofstream(box.config_file(), std::ios::app)
        << "[deployments.other]\nkind = \"shards\"\nsharding = \"twemproxy-ketama\"\n"
           "[[deployments.other.shards]]\nname = \"beta\"\nprimary = \"" +
               box.server(1).endpoint().url() +
               "\"\n"
               "[[deployments.other.policies]]\nname = \"core\"\nkey = \"core:{client}\"\nlimit = 100\nsecret = true\n";
    for (int i = 0; i < 20; ++i)
        box.set_window("core:" + std::to_string(i) + kSecret + std::to_string(i * 7), "90", seconds_from_now(3000));
    const auto planned = box.run({"reshard", "plan", "box", "other", "--above", "1%", "-o", "ndjson"});
    INFO(planned.out << planned.err);
    CHECK(contains(planned.out, "\"client\":\"sha256:"));
    CHECK_FALSE(contains(planned.out + planned.err, kSecret));
}

TEST_CASE("the hint for a pattern that was taken literally quotes no fingerprint as a pattern") {
    // The pattern that it named found nothing.
    SecretBox box;
    for (const std::string command : {"reset", "check", "explain", "compare", "watch"}) {
        std::vector<std::string> words{command, "core:" + kSecret + "*"};
        if (command == "watch") words.insert(words.end(), {"--until", "absent"});
        const auto result = box.run(words);
        INFO(command << ": " << result.err);
        CHECK(contains(result.err, "was taken literally, and has no window"));
        CHECK(contains(result.err, "--match with the same text takes it for a pattern"));
        CHECK_FALSE(contains(result.err, "--match 'core:sha256"));
        CHECK_FALSE(tells(result.err));
    }
}

TEST_CASE("A client that is secret where it comes from alone gets into no record by a rollout") {
    SecretBox box;
    RedisServer old;
    std::ofstream(box.config_file(), std::ios::app)
        << "[deployments.old]\nkind = \"shards\"\n[[deployments.old.shards]]\nname = \"one\"\nprimary = \"" +
               old.endpoint().url() +
               "\"\n[[deployments.old.policies]]\nname = \"core\"\nkey = \"{client}:dig\"\nsecret = true\n";
    const std::string lone = kSecret + "bob:dig";
    const std::string both = "core:" + kSecret + "zed";
    for (const auto& key : {lone, both}) {
        old.command({"SET", key, "3"});
        old.command({"SET", key + ":exp", std::to_string(seconds_from_now(3000))});
    }
    const auto result = box.run({"rollout", "copy", lone, both, "--old", "old", "-d", "box", "-y", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    const auto rows = parse_json(result.out).at("rows");
    CHECK(rows.at(0).at("why_not") == "secret");
    CHECK(contains(rows.at(0).dump(), "no policy of deployment 'box' keeps its client out of records"));
    CHECK(rows.at(1).at("status") == "applied");
    CHECK(box.stored(lone) == "(nil)");
    CHECK(box.stored(both) == "3");
    CHECK_FALSE(tells(result.out + result.err + box.run({"history", "--on-servers"}).out));
    CHECK_FALSE(box.records().empty());
    CHECK_FALSE(tells(box.records()));
    // What hides keys made one of its words.
    CHECK(contains(result.err, "keys of policy 'core' are `{client}:dig` in deployment 'old', and `core:{client}` in"));
}
