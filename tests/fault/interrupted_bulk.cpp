// Every reply of the link takes a moment, so that a signal meets calls on their way, looks between them and chunks that
// have not begun.
#include "fault/interrupted_bulk.h"

#include <unistd.h>

#include <csignal>
#include <memory>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "support/signaller.h"

namespace ratectl::test {
namespace {

using nlohmann::json;

const char* const kMakeBoth =
    "for _, prefix in ipairs({'core:', 'free:'}) do for i = 0, ARGV[2] - 1 do local key = prefix .. i "
    "local at = string.format('%.0f', (tonumber(ARGV[1]) + 1) * 1000) "
    "redis.call('SET', key, 20 + i % 70, 'PXAT', at) redis.call('SET', key .. ':exp', ARGV[1], 'PXAT', at) end end "
    "return 'done'";
const char* const kShowSome =
    "local lines = {} for i = 0, ARGV[2] - 1 do local key = ARGV[1] .. i "
    "lines[#lines + 1] = key .. ' ' .. (redis.call('GET', key) or '-') .. ' ' .. (redis.call('GET', key .. ':exp') or "
    "'-') end return table.concat(lines, '\\n')";
constexpr int kLinesPerClient = 2;

std::vector<json> rows_in(const std::string& text) { return parse_json_lines(text); }

/// The last of the messages, if it is one.
json summary_in(const RunResult& result) {
    const auto messages = rows_in(result.err);
    // One without an operation sums up a command that ended before it had one.
    const bool any = !messages.empty() && messages.back().value("kind", "") == "summary";
    return any && messages.back().contains("operation") ? messages.back() : json();
}

bool wrote(const std::string& status) { return status == "applied" || status == "already-applied"; }

std::string used_after(const json& row) {
    const auto& used = row.at("after_used");
    return used.is_null() ? "-" : used.dump();
}

}  // namespace

std::string name_of(BulkKind kind) {
    static constexpr const char* kNames[] = {"increment -",
                                             "refund -",
                                             "reset -",
                                             "apply",
                                             "undo",
                                             "replay",
                                             "reset - of keys without a policy",
                                             "refund --state",
                                             "increment - of guarded rows"};
    return kNames[static_cast<std::size_t>(kind)];
}

InterruptedBulk::InterruptedBulk(BulkKind kind, std::size_t windows, std::uint64_t seed)
    : kind_(kind), windows_(windows), dice_(seed), prefix_(kind == BulkKind::without_policy ? "free:" : "core:") {}

void InterruptedBulk::make_windows() {
    const auto made =
        box_.server.command({"EVAL", kMakeBoth, "0", std::to_string(box_.ends), std::to_string(windows_)});
    if (made != "done") throw std::runtime_error("the windows could not be made: " + made);
}

InterruptedBulk::Windows InterruptedBulk::stored() {
    std::istringstream lines(box_.server.command({"EVAL", kShowSome, "0", prefix_, std::to_string(windows_)}));
    Windows all;
    std::string key;
    Window window;
    while (lines >> key >> window.first >> window.second) all[key] = window;
    return all;
}

InterruptedBulk::Command InterruptedBulk::stream_of(const std::string& verb, const std::string& input,
                                                    std::vector<std::string> more) const {
    more.insert(more.begin(), {verb, "-", "-y", "--op-id", "run" + std::to_string(number_)});
    return {std::move(more), input};
}

InterruptedBulk::Command InterruptedBulk::command() {
    std::string keys;
    for (std::size_t i = 0; i < windows_; ++i) keys += prefix_ + std::to_string(i) + "\n";
    RunOptions with_keys;
    with_keys.input = keys;
    const auto prepare = [&](const std::vector<std::string>& arguments) {
        const auto result = box_.run(arguments, with_keys);  // where it was written is where it is taken back
        INFO(result.err.substr(0, 1000));
        REQUIRE(result.code == 0);
        return result.out;
    };
    switch (kind_) {
        case BulkKind::increment: return stream_of("increment", keys);
        case BulkKind::refund: return stream_of("refund", keys, {"--amount", "1"});
        case BulkKind::reset:
        case BulkKind::without_policy: return stream_of("reset", keys);
        case BulkKind::apply:
            ::unlink(box_.file("all.plan").c_str());
            prepare({"reset", "-", "--plan", box_.file("all.plan"), "-q", "-o", "name"});
            return {{"apply", box_.file("all.plan"), "-y"}};
        case BulkKind::undo:
            prepare({"increment", "-", "-y", "-q", "-o", "name", "--op-id", "first" + std::to_string(number_)});
            return {{"undo", "first" + std::to_string(number_), "-y"}};
        case BulkKind::replay: {
            std::string log;
            for (std::size_t i = 0; i < windows_ * kLinesPerClient; ++i)
                log += fmt::format("{} - - [17/May/2015:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n",
                                   i % windows_);
            return {{"replay", "-", "-y", "--policy", "core", "--time", "now"}, log};
        }
        case BulkKind::by_state: return {{"refund", "--match", "core:*", "--state", "open", "--amount", "1", "-y"}};
        case BulkKind::guarded:
            return stream_of("increment", prepare({"scan", "--match", "core:*", "-q", "-o", "ndjson"}));
    }
    return {};
}

bool InterruptedBulk::interrupt_once() {
    ++number_;
    make_windows();
    auto [arguments, input] = command();
    arguments.insert(arguments.end(),
                     {"-o", "ndjson", "--messages", "json", "--max-keys", "1000000", "--timeout", "10s"});
    const auto before = stored();
    RunOptions options;
    options.input = input;
    // A moment of its work and not of a clock: a machine that is busy at one time has nothing else to do at another.
    const auto moment = requests_ > 0 ? 1 + dice_() % requests_ : 0;
    const int number = dice_() % 2 == 0 ? SIGINT : SIGTERM;
    const bool carried_out = dice_() % 2 == 0;
    const auto pause = milliseconds(dice_() % 5);
    const auto tool = std::make_shared<Signaller>();
    options = tool->options(options);
    const auto first = box_.proxy.counts().requests;
    box_.proxy.choose([=, met = std::uint64_t{0}](const LinkRequest&) mutable {
        LinkFault fault{FaultMode::delay_reply, pause};
        const auto stop = [tool, number] { tool->send(number); };
        if (++met == moment && carried_out) fault.at_reply = stop;
        if (met == moment && !carried_out) stop();
        return fault;
    });
    const auto result = box_.run(arguments, options);
    box_.proxy.choose({});
    const auto words =
        fmt::format("{}, run {}, signal {} at request {} of {} ({}), replies after {} ms", name_of(kind_), number_,
                    number, moment, requests_, carried_out ? "carried out" : "on its way", pause.count());
    compare(before, result, words);
    if (result.code == 0) requests_ = box_.proxy.counts().requests - first;
    return moment > 0 && result.code != 0;
}

void InterruptedBulk::compare(const Windows& before, const RunResult& result, const std::string& words) {
    INFO(words << "\n" << result.err.substr(0, 3000));
    CHECK_FALSE(result.timed_out);
    CHECK(result.signal == 0);
    CHECK((result.code == 0 || result.code == 130 || result.code == 143));
    const auto now = stored();
    const auto summary = summary_in(result);
    if (summary.is_null()) {  // it was told before it knew what to do
        CHECK(result.code != 0);
        CHECK(result.out.empty());
        CHECK(now == before);
        return;
    }
    const std::string operation = summary.value("operation", "");
    if (kind_ == BulkKind::replay) return compare_replay(before, result, operation);
    std::map<std::string, json> reported;
    // It says so when we were too slow for it; the journal has the rest.
    const bool cut_short = contains(result.err, "standard output was not read");
    const auto printed = rows_in(cut_short ? result.out.substr(0, result.out.rfind('\n') + 1) : result.out);
    for (const auto& row : printed) reported.emplace(row.at("key").get<std::string>(), row);
    CHECK(printed.size() == reported.size());
    std::map<std::string, json> recorded;
    for (auto& row : rows_in(box_.run_directly({"history", "--op", operation, "-o", "ndjson"}).out))
        recorded.emplace(row.at("key").get<std::string>(), row);
    std::size_t wrong = 0;
    std::string example;
    const auto expect = [&](bool right, const std::string& key, const std::string& what) {
        if (right || ++wrong > 1) return;
        example = key + ": " + what + "; was " + before.at(key).first + ", is " + now.at(key).first +
                  "\nreported: " + (reported.contains(key) ? reported.at(key).dump() : "no row") +
                  "\nrecorded: " + (recorded.contains(key) ? recorded.at(key).dump() : "no row");
    };
    std::size_t changed = 0;
    for (const auto& [key, window] : now) {
        const auto row = reported.find(key);
        const auto entry = recorded.find(key);
        const bool said = row != reported.end() && wrote(row->second.at("status"));
        const bool kept = entry != recorded.end() && wrote(entry->second.at("status"));
        const bool written = window != before.at(key);
        changed += written ? 1 : 0;
        expect(said == written || (cut_short && row == reported.end()), key, "the report is wrong");
        expect(kept == written, key, "the journal is wrong");
        if (said) expect(used_after(row->second) == window.first, key, "the report has another number");
        if (kept) expect(used_after(entry->second) == window.first, key, "the journal has another number");
    }
    INFO(example);
    CHECK(wrong == 0);
    CHECK(summary.at("applied") == changed);
    CHECK(summary.at("unknown") == 0);
    CHECK(summary.at("failed") == 0);
    CHECK((result.code != 0 || changed == windows_));
}

/// It has rows for what is worth one only; the sum says how much was counted.
void InterruptedBulk::compare_replay(const Windows& before, const RunResult& result, const std::string& operation) {
    std::map<std::string, std::int64_t> recorded;
    for (const auto& row : rows_in(box_.run_directly({"history", "--op", operation, "-o", "ndjson"}).out)) {
        if (wrote(row.at("status"))) recorded[row.at("key")] += row.at("amount").get<std::int64_t>();
    }
    std::int64_t all = 0;
    std::size_t wrong = 0;
    for (const auto& [key, window] : stored()) {
        const auto counted = std::stoll(window.first) - std::stoll(before.at(key).first);
        all += counted;
        wrong += counted == recorded[key] ? 0 : 1;
    }
    CHECK(wrong == 0);
    const auto summary = summary_in(result);
    CHECK(summary.at("counted") == all);
    CHECK(summary.at("unknown") == 0);
}

int InterruptedBulk::interrupt(int runs) {
    if (requests_ == 0) interrupt_once();  // nothing is said: how many requests it takes
    int interrupted = 0;
    for (int i = 0; i < runs; ++i) {
        interrupted += interrupt_once() ? 1 : 0;
        // One journal of all runs would have millions of rows.
        if (i % 20 == 19) {
            for (const char* tail : {"", "-wal", "-shm"}) ::unlink((box_.journal() + tail).c_str());
        }
    }
    return interrupted;
}

}  // namespace ratectl::test
