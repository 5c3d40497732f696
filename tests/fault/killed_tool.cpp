// The tool is an ordinary child; the link, a clock or its own writes decide when it dies.
#include "fault/killed_tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "support/built_programs.h"
#include "support/proxied_link.h"

namespace ratectl::test {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

const char* const kMake =
    "local ends = tonumber(ARGV[1]) for i = 0, ARGV[2] - 1 do local key = 'core:' .. i "
    "local reset = string.format('%.0f', ends + i % 500) local at = string.format('%.0f', (ends + i % 500 + 1) * 1000 "
    "+ i % 997) "
    "redis.call('SET', key, i * 7 % 1009) redis.call('SET', key .. ':exp', reset) "
    "if i % 13 ~= 0 then redis.call('PEXPIREAT', key, at) redis.call('PEXPIREAT', key .. ':exp', at) end end return "
    "'done'";
const char* const kShow =
    "local lines = {} for i = 0, ARGV[1] - 1 do local key = 'core:' .. i local expiry = key .. ':exp' "
    "lines[#lines + 1] = key .. ' ' .. (redis.call('GET', key) or '-') .. ' ' .. string.format('%.0f', "
    "redis.call('PEXPIRETIME', key)) "
    ".. ' ' .. (redis.call('GET', expiry) or '-') .. ' ' .. string.format('%.0f', redis.call('PEXPIRETIME', expiry)) "
    "end "
    "return table.concat(lines, '\\n')";

std::string text_of(const json& value) {
    if (value.is_null()) return "-";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What a row says of the window that was removed, in the form of stored().
std::array<std::string, 4> told(const json& row) {
    const auto life = [](const json& at) { return at.is_null() ? std::string("-1") : at.dump(); };
    return {text_of(row.at("stored_before")), life(row.at("counter_expired_at_ms")),
            text_of(row.at("stored_reset_before")), life(row.at("expiry_expired_at_ms"))};
}

const std::array<std::string, 4> kRemoved{"-", "-2", "-", "-2"};

}  // namespace

std::string KillPoint::shown() const {
    static constexpr const char* kWords[] = {"at a moment", "at a request",  "after a request",
                                             "at a reply",  "after a reply", "before a held request"};
    return fmt::format("killed {} (write {}, {} us)", kWords[static_cast<std::size_t>(at)], write, wait.count());
}

KilledReset::KilledReset(std::size_t windows) : windows_(windows), keys_file_(box.file("keys")) {
    if (box.server.command({"EVAL", kMake, "0", std::to_string(box.ends), std::to_string(windows)}) != "done") {
        throw std::runtime_error("the windows could not be made");
    }
    original_ = stored();
    std::ofstream keys(keys_file_);
    for (const auto& [key, window] : original_) keys << key << '\n';
}

std::map<std::string, KilledReset::Window> KilledReset::stored() {
    std::istringstream lines(box.server.command({"EVAL", kShow, "0", std::to_string(windows_)}));
    std::map<std::string, Window> all;
    std::string key;
    Window window;
    while (lines >> key >> window[0] >> window[1] >> window[2] >> window[3]) all[key] = window;
    return all;
}

std::string KilledReset::make_plan() {
    ::unlink(plan_file().c_str());
    const auto made = box.run({"reset", "--match", "core:*", "--plan", plan_file(), "-q", "-o", "name"});
    INFO(made.err);
    REQUIRE(made.code == 0);
    std::ifstream plan(plan_file());
    std::string head;
    std::getline(plan, head);
    return parse_json(head).at("operation");
}

sandbox::ChildProcess KilledReset::start(const std::vector<std::string>& arguments, const std::string& input) {
    const OwnedFd in(::open(input.c_str(), O_RDONLY | O_CLOEXEC));
    sandbox::Spawn spawn;
    spawn.program = ratectl_binary();
    spawn.arguments = arguments;
    spawn.environment = {"PATH=/usr/bin:/bin", "HOME=" + box.file(""), "LC_ALL=C.UTF-8",
                         "RATECTL_CONFIG=" + box.file("linked.toml"), "XDG_STATE_HOME=" + box.file("state")};
    spawn.in = in.get();
    spawn.own_session = true;
    auto child = sandbox::ChildProcess::start(spawn);
    if (!child) throw std::runtime_error(child.error().message);
    return std::move(*child);
}

bool KilledReset::kill_at(const KillPoint& point, std::vector<std::string> arguments, const std::string& input) {
    const auto first = box.proxy.counts().writes;
    std::atomic<bool> passed = false;
    pid_ = 0;
    const auto kill_now = [this] {
        while (pid_ == 0) std::this_thread::yield();
        if (pid_ > 0) ::kill(pid_, SIGKILL);
    };
    box.proxy.choose([&, kill_now](const LinkRequest& request) -> LinkFault {
        if (!request.write || request.number != first + point.write) return {};
        switch (point.at) {
            case KillPoint::At::moment: return {};
            case KillPoint::At::request: kill_now(); return {FaultMode::drop_request};
            case KillPoint::At::sent: kill_now(); return {};
            case KillPoint::At::held:
                kill_now();
                return {FaultMode::delay_request, std::chrono::ceil<milliseconds>(point.wait)};
            case KillPoint::At::reply: return {.mode = FaultMode::drop_reply, .at_reply = kill_now};
            case KillPoint::At::later: return {.at_reply = [&passed] { passed = true; }};
        }
        return {};
    });
    auto child = start(arguments, input);
    const auto begin = Clock::now();
    pid_ = child.pid();
    std::optional<sandbox::ExitStatus> ended;
    std::optional<Clock::time_point> due;
    if (point.at == KillPoint::At::moment) due = begin + point.wait;
    while (!ended) {
        if (!due && passed) due = Clock::now() + point.wait;
        if (due && Clock::now() >= *due) child.signal(SIGKILL);
        ended = child.try_wait();
        if (Clock::now() - begin > std::chrono::seconds(60)) throw std::runtime_error("the tool does not end");
        if (!ended) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    pid_ = -1;
    // What it sent last may still be on its way; the choice above must not outlive this call.
    const int patience = point.at == KillPoint::At::held ? 0 : 400;
    for (int i = 0; i < patience && box.proxy.counts().open > 0; ++i) std::this_thread::sleep_for(milliseconds(5));
    box.proxy.choose({});
    return ended->signal == SIGKILL;
}

std::chrono::microseconds KilledReset::duration(std::vector<std::string> arguments, const std::string& input) {
    const auto begin = Clock::now();
    auto child = start(arguments, input);
    const auto status = child.wait();
    CHECK(status.code == 0);
    return std::chrono::floor<std::chrono::microseconds>(Clock::now() - begin);
}

std::map<std::string, json> KilledReset::history_of(const std::string& operation, const std::string& words) {
    const auto result = box.run({"history", "--op", operation, "-o", "ndjson"});
    INFO(words << "\n" << result.err);
    CHECK((result.code == 0 || result.code == 1));
    std::map<std::string, json> rows;
    for (auto& row : parse_json_lines(result.out)) {
        const std::string key = row.at("key");
        if (!rows.emplace(key, std::move(row)).second) FAIL_CHECK(words << ": two rows of " << key);
    }
    return rows;
}

void KilledReset::check_account(const std::string& operation, const std::string& words) {
    const auto now = stored();
    const auto rows = history_of(operation, words);
    std::size_t wrong = 0;
    std::string example;
    const auto say = [&](const std::string& key, const std::string& what) {
        ++wrong;
        const auto row = rows.find(key);
        example = key + ": " + what + "; " + (row == rows.end() ? "no row" : row->second.dump());
    };
    for (const auto& [key, window] : now) {
        const auto row = rows.find(key);
        const auto status = row == rows.end() ? std::string() : row->second.at("status").get<std::string>();
        const bool says_removed = status == "applied" || status == "already-applied";
        if (window == original_.at(key)) {
            if (says_removed) say(key, "said to be removed, and there");
        } else if (window != kRemoved) {
            say(key, "neither there nor removed");
        } else if (!says_removed) {
            say(key, "removed, and not said so");
        } else if (told(row->second) != original_.at(key)) {
            say(key, "recorded is not what it held");
        }
    }
    INFO(words << "\n" << example);
    CHECK(wrong == 0);
}

void KilledReset::check_finished(const RunResult& result, const std::string& words) {
    INFO(words << "\n" << result.err);
    CHECK(result.code == 0);
    std::set<std::string> keys;
    std::size_t wrong = 0;
    for (const auto& row : parse_json_lines(result.out)) {
        const std::string key = row.at("key");
        const std::string status = row.at("status");
        if (status != "applied" && status != "already-applied") ++wrong;
        if (text_of(row.at("stored_before")) != original_.at(key)[0]) ++wrong;
        keys.insert(key);
    }
    CHECK(wrong == 0);
    CHECK(keys.size() == windows_);
    for (const auto& [key, window] : stored()) wrong += window == kRemoved ? 0 : 1;
    CHECK(wrong == 0);
}

void KilledReset::check_taken_back(const std::string& operation, const std::string& words, bool whole) {
    const auto result = box.run({"undo", operation, "-y", "-q", "-o", "ndjson"});
    INFO(words << "\n" << result.err.substr(0, 1000));
    // What was about to be sent when it was killed may have arrived or not; undo says so instead of calling it done.
    CHECK((result.code == 0 || (!whole && (result.code == 1 || result.code == 7 || result.code == 9))));
    const auto now = stored();
    std::size_t wrong = 0;
    std::string example;
    for (const auto& [key, window] : original_) {
        if (now.at(key) == window) continue;
        ++wrong;
        example = key + " was " + fmt::format("{} {} {} {}", window[0], window[1], window[2], window[3]) + " and is " +
                  fmt::format("{} {} {} {}", now.at(key)[0], now.at(key)[1], now.at(key)[2], now.at(key)[3]);
    }
    INFO(example);
    CHECK(wrong == 0);
}

namespace {

using std::chrono::microseconds;

KillPoint random_point(std::mt19937_64& dice, std::uint64_t writes, microseconds whole) {
    KillPoint point;
    point.at = static_cast<KillPoint::At>(dice() % 5);
    point.write = 1 + dice() % writes;
    const auto span = point.at == KillPoint::At::moment ? whole : microseconds(4000);
    point.wait = microseconds(dice() % static_cast<std::uint64_t>(span.count()));
    return point;
}

/// A run that is killed, looked at, half of the times finished, and taken back.
void try_apply(KilledReset& all, const KillPoint& point, bool finishes) {
    const auto operation = all.make_plan();
    const std::vector<std::string> apply{"apply", all.plan_file(), "-y", "-q", "-o", "ndjson", "--timeout", "2s"};
    const bool killed = all.kill_at(point, apply);
    const auto words = "apply " + point.shown() + (killed ? "" : ", too late");
    all.check_account(operation, words);
    if (finishes) all.check_finished(all.box.run(apply), words + ", run again");
    all.check_taken_back(operation, words, finishes);
}

void try_stream(KilledReset& all, const KillPoint& point, bool finishes, const std::string& operation) {
    const std::vector<std::string> reset{"reset",  "-",       "-y",      "-q",        "-o",
                                         "ndjson", "--op-id", operation, "--timeout", "2s"};
    const bool killed = all.kill_at(point, reset, all.keys_file());
    const auto words = "reset " + point.shown() + (killed ? "" : ", too late");
    all.check_account(operation, words);
    if (finishes) {
        RunOptions options;
        std::ifstream keys(all.keys_file());
        options.input.assign(std::istreambuf_iterator<char>(keys), {});
        all.check_finished(all.box.run(reset, options), words + ", run again");
    }
    all.check_taken_back(operation, words, finishes);
}

}  // namespace

void try_points(std::uint64_t seed, std::size_t windows, int points) {
    INFO("seed " << seed);
    // A sanitizer hears little of a process that is killed.
    if (is_binary_sanitized()) points = std::max(1, points / 5);
    KilledReset all(windows);
    std::mt19937_64 dice(seed);
    const auto operation = all.make_plan();
    const auto whole = all.duration({"apply", all.plan_file(), "-y", "-q"});
    all.check_taken_back(operation, "nobody was killed", true);
    for (int i = 0; i < points; ++i) {
        const auto point = random_point(dice, windows / 100 + 4, whole);
        if (i % 2 == 0) {
            try_apply(all, point, i % 4 == 0);
        } else {
            try_stream(all, point, i % 4 == 1, "stream" + std::to_string(i));
        }
    }
}

}  // namespace ratectl::test
