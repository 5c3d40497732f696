// The program itself through the lossy link, many at once with one journal: what they print, what they record and what
// the server holds agree.
#include <atomic>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

#include "fault/exactly_once.h"
#include "fault/linked_deployment.h"

namespace ratectl::test {
namespace {

using nlohmann::json;

/// What one window of one run was said to be.
struct Said {
    std::string operation;
    std::string key;
    std::string status;
    json before;
    json after;
};

class Users {
public:
    Users(LinkedDeployment& box, std::vector<std::string> more) : box_(box), more_(std::move(more)) {}

    void run(std::size_t users, std::size_t runs_each) {
        std::vector<std::thread> threads;
        for (std::size_t user = 0; user < users; ++user) {
            threads.emplace_back([this, user, runs_each] {
                for (std::size_t i = 0; i < runs_each; ++i) once(user, i);
            });
        }
        for (auto& thread : threads) thread.join();
    }
    std::vector<Said> said;
    std::vector<std::string> contradictions;
    std::map<int, int> codes;

private:
    void once(std::size_t user, std::size_t i) {
        const auto operation = "user" + std::to_string(user) + "-" + std::to_string(i);
        std::vector<std::string> words{"increment", "core:" + std::to_string(user),
                                       "core:all",  "-y",
                                       "--amount",  "1",
                                       "-o",        "ndjson",
                                       "--timeout", "100ms",
                                       "--op-id",   operation};
        words.insert(words.end(), more_.begin(), more_.end());
        const auto result = box_.run(words);
        const std::lock_guard lock(mutex_);
        ++codes[result.code];
        std::istringstream lines(result.out);
        std::size_t rows = 0;
        for (std::string line; std::getline(lines, line); ++rows) {
            const auto row = parse_json(line);
            said.push_back({operation, row.at("key"), row.at("status"), row.at("before_used"), row.at("after_used")});
            const bool known = said.back().status != "unknown";
            if (known == (result.code == 8))
                contradictions.push_back(operation + ": exit code and row differ: " + line);
        }
        if (rows != 2) contradictions.push_back(operation + ": " + std::to_string(rows) + " rows\n" + result.err);
    }

    LinkedDeployment& box_;
    std::vector<std::string> more_;
    std::mutex mutex_;
};

std::map<std::string, std::vector<Said>> by_key(const std::vector<Said>& said) {
    std::map<std::string, std::vector<Said>> keys;
    for (const auto& one : said) keys[one.key].push_back(one);
    return keys;
}

std::size_t count_of(const std::vector<Said>& said, const std::string& status) {
    return static_cast<std::size_t>(
        std::count_if(said.begin(), said.end(), [&](const Said& one) { return one.status == status; }));
}

/// Each key holds what was applied, and unknown ones at most; no two runs were told the same value.
void check_values(LinkedDeployment& box, const Users& users) {
    for (const auto& [key, said] : by_key(users.said)) {
        const auto stored = box.stored(key);
        const auto value = stored == "(nil)" ? 0U : std::stoul(stored);
        INFO(key);
        CHECK(value >= count_of(said, "applied"));
        CHECK(value <= count_of(said, "applied") + count_of(said, "unknown"));
        std::set<std::string> afters;
        for (const auto& one : said) {
            if (one.status != "applied") continue;
            const auto before = one.before.is_null() ? 0 : one.before.get<int>();
            CHECK(one.after == before + 1);
            CHECK(afters.insert(one.after.dump()).second);
        }
    }
}

/// The journal says of every window what was printed.
void check_journal(LinkedDeployment& box, const Users& users) {
    const auto result = box.run({"history", "-o", "ndjson"});
    std::map<std::string, std::string> recorded;
    for (const auto& row : parse_json_lines(result.out)) {
        const std::string operation = row.at("op");
        recorded[operation.substr(0, operation.find('/')) + " " + row.at("key").get<std::string>()] = row.at("status");
    }
    std::size_t wrong = 0;
    for (const auto& one : users.said) {
        const auto found = recorded.find(one.operation + " " + one.key);
        const auto status = found == recorded.end() ? std::string() : found->second;
        if (one.status == "applied" && status != "applied") ++wrong;
        if (one.status == "failed" && status == "applied") ++wrong;
    }
    CHECK(wrong == 0);
}

void check_users(std::uint64_t seed, bool operation_keys) {
    LinkedDeployment box;
    box.proxy.choose(seeded_mix({.seed = seed, .share = operation_keys ? 50U : 30U}));
    Users users(box, operation_keys ? std::vector<std::string>{} : std::vector<std::string>{"--no-op-key"});
    users.run(8, 12);
    std::string codes;
    for (const auto& [code, count] : users.codes) codes += std::to_string(code) + " x " + std::to_string(count) + ", ";
    INFO("seed " << seed << "; exit codes: " << codes);
    for (const auto& words : users.contradictions) FAIL_CHECK(words);
    CHECK(users.said.size() == 192);
    for (int i = 0; i < 300 && box.proxy.counts().open > 0; ++i) std::this_thread::sleep_for(milliseconds(10));
    check_values(box, users);
    check_journal(box, users);
    for (const auto& one : users.said)
        CHECK((one.status == "applied" || one.status == "failed" || one.status == "unknown"));
    // A server that is there leaves nothing unknown, but a machine that is kept busy may make it look gone.
    if (operation_keys) CHECK(count_of(users.said, "unknown") <= 8);
    if (!operation_keys) CHECK(count_of(users.said, "unknown") > 0);
}

TEST_CASE("eight users at once through a lossy link print and record what the server holds") { check_users(51, true); }

TEST_CASE("eight users without operation keys never have a write sent twice") { check_users(52, false); }

TEST_CASE("several processes under one operation id write once between them") {
    LinkedDeployment box;
    box.set_window("core:1", "50");
    std::vector<RunResult> results(6);
    std::vector<std::thread> threads;
    for (auto& result : results) {
        threads.emplace_back([&box, &result] {
            result =
                box.run({"increment", "core:1", "--amount", "3", "--op-id", "shared", "--json", "--timeout", "2s"});
        });
    }
    for (auto& thread : threads) thread.join();
    std::map<std::string, int> statuses;
    for (const auto& result : results) {
        INFO(result.err);
        CHECK(result.code == 0);
        ++statuses[only_row(result).at("status")];
        CHECK(only_row(result).at("after_used") == 53);
    }
    CHECK(statuses["applied"] + statuses["already-applied"] == 6);
    CHECK(box.stored("core:1") == "53");
}

}  // namespace
}  // namespace ratectl::test
