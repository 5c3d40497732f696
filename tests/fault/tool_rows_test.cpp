// Writes of a tool that is interrupted, stopped, cut off from its output or short of files: nothing is done without a
// record, and the counts add up.
#include <csignal>
#include <thread>

#include "fault/killed_tool.h"
#include "support/built_programs.h"
#include "support/patience.h"
#include "support/signaller.h"

namespace ratectl::test {
namespace {

using nlohmann::json;

std::string text_of_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

json summary_of(const RunResult& result) { return parse_json_lines(result.err).back(); }

std::map<std::string, std::size_t> statuses_of(const RunResult& result) {
    std::map<std::string, std::size_t> of;
    for (const auto& row : parse_json_lines(result.out)) ++of[row.at("status").get<std::string>()];
    return of;
}

const std::vector<std::string> kStream{"reset",  "-",         "-y",     "-o",         "ndjson", "--op-id",
                                       "stream", "--timeout", "1500ms", "--messages", "json"};

/// A stream of 2,000 resets that gets signals when its n-th write comes.
struct Interrupted {
    KilledReset all{2000};
    RunResult result;

    explicit Interrupted(const std::vector<int>& signals, const LinkFault& fault = {}, std::uint64_t write = 7) {
        Signaller tool;
        all.box.proxy.choose([&, fault, signals, write](const LinkRequest& request) {
            if (request.number != write) return LinkFault{};
            for (const int number : signals) {
                tool.send(number);
                std::this_thread::sleep_for(milliseconds(30));
            }
            return fault;
        });
        RunOptions options;
        options.input = text_of_file(all.keys_file());
        result = all.box.run(kStream, tool.options(options));
        all.box.proxy.choose({});
    }
};

TEST_CASE("a reset that is told to end finishes what is on its way and accounts for all") {
    for (const auto& [number, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 143}}) {
        Interrupted run({number});
        INFO(number << "\n" << run.result.err.substr(0, 500));
        CHECK(run.result.code == code);
        const auto summary = summary_of(run.result);
        const auto applied = summary.at("applied").get<std::size_t>();
        CHECK(applied >= 100);
        CHECK(applied + summary.at("not_attempted").get<std::size_t>() == 2000);
        CHECK(statuses_of(run.result)["applied"] == applied);
        run.all.check_account("stream", "told to end");
        run.all.check_taken_back("stream", "told to end", true);
    }
}

TEST_CASE("a reset that is told to end looks for a reply that is lost just then") {
    for (const auto mode : {FaultMode::drop_reply, FaultMode::drop_request, FaultMode::blackhole}) {
        Interrupted run({SIGINT}, {mode});
        INFO(name_of(mode) << "\n" << run.result.err.substr(0, 500));
        // What was lost is not sent again: those rows failed, which goes before the interruption.
        CHECK((run.result.code == 130 || run.result.code == 9));
        const auto summary = summary_of(run.result);
        CHECK(summary.at("unknown") == 0);
        run.all.check_account("stream", "told to end over a lost reply");
        run.all.check_taken_back("stream", "told to end over a lost reply", false);
    }
}

TEST_CASE("a reset that is told to end twice leaves at once and names what is unknown") {
    Interrupted run({SIGINT, SIGINT}, {FaultMode::delay_reply, milliseconds(5000)});
    INFO(run.result.err.substr(0, 500));
    CHECK(run.result.code == 8);
    CHECK(run.result.wall_time < milliseconds(3000) + kPatience);
    CHECK(contains(run.result.err, "stream"));
    const auto summary = summary_of(run.result);
    CHECK(summary.at("unknown").get<std::size_t>() >= 100);
    CHECK(summary.at("applied").get<std::size_t>() + summary.at("unknown").get<std::size_t>() +
              summary.at("not_attempted").get<std::size_t>() ==
          2000);
    std::this_thread::sleep_for(milliseconds(200));
    run.all.check_account("stream", "told to end twice");
    run.all.check_taken_back("stream", "told to end twice", false);
}

TEST_CASE("a reset that is told to end before its first write has written nothing") {
    KilledReset all(200);
    Signaller tool;
    // The greeting, before anything is asked.
    all.box.proxy.choose([&](const LinkRequest& request) {
        if (request.word == "INFO") tool.send(SIGINT);
        return LinkFault{request.word == "INFO" ? FaultMode::delay_request : FaultMode::ok, milliseconds(300)};
    });
    RunOptions options;
    options.input = text_of_file(all.keys_file());
    const auto result = all.box.run(kStream, tool.options(options));
    all.box.proxy.choose({});
    CHECK(result.code == 130);
    CHECK(all.is_as_it_was());
}

TEST_CASE("a tool that was stopped beyond its deadline finds out and writes once") {
    for (const auto mode : {FaultMode::ok, FaultMode::drop_reply, FaultMode::drop_request}) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        Signaller tool;
        std::thread waker;
        box.proxy.choose([&, mode](const LinkRequest& request) {
            if (request.number != 2) return LinkFault{};
            tool.send(SIGSTOP);
            waker = std::thread([&tool] {
                std::this_thread::sleep_for(milliseconds(900));
                tool.send(SIGCONT);
            });
            return LinkFault{mode};
        });
        const auto result = box.run({"increment", "core:1", "--timeout", "300ms", "--json"}, tool.options());
        waker.join();
        INFO(name_of(mode) << ": " << result.err);
        const auto status = only_row(result).at("status").get<std::string>();
        CHECK(((result.code == 0 && status == "applied") || (result.code == 4 && status == "failed")));
        CHECK(box.stored("core:1") == (status == "applied" ? "51" : "50"));
    }
}

/// The tool behind a shell that prepares its descriptors and limits.
RunResult run_behind(LinkedDeployment& box, const std::string& before, const std::string& arguments,
                     const std::string& redirections, RunOptions options = {}) {
    const std::string line = before + " exec '" + ratectl_binary() + "' " + arguments + " " + redirections;
    return run_program("/bin/bash", {"-c", line}, box.options_for("linked.toml", std::move(options)));
}

/// What the journal knows of this key, asked with good streams.
std::vector<std::string> recorded(LinkedDeployment& box, const std::string& key) {
    std::vector<std::string> statuses;
    for (const auto& row : parse_json_lines(box.run({"history", key, "-o", "ndjson"}).out))
        statuses.push_back(row.at("status"));
    return statuses;
}

TEST_CASE("a full disk under the answer to a write is told in every format and the write is recorded") {
    LinkedDeployment box;
    int runs = 0;
    for (const std::string format : {"table", "wide", "json", "ndjson", "csv", "tsv", "name"}) {
        box.set_window("core:1", "50");
        const auto result = run_behind(box, "", "increment core:1 -o " + format, "> /dev/full");
        INFO(format << ": " << result.err);
        CHECK(result.code == 10);
        CHECK(contains(result.err, "o space left"));
        CHECK(box.stored("core:1") == "51");
        CHECK(recorded(box, "core:1").size() == static_cast<std::size_t>(++runs));
        CHECK(recorded(box, "core:1").back() == "applied");
    }
}

TEST_CASE("streams that are closed never let an answer into the journal") {
    for (const std::string closed : {">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        const auto result = run_behind(box, "", "increment core:1", closed);
        INFO(closed);
        CHECK(result.code == (contains(closed, " >&-") || closed.rfind(">&-", 0) == 0 ? 10 : 0));
        CHECK(box.stored("core:1") == "51");
        CHECK(recorded(box, "core:1") == std::vector<std::string>{"applied"});
        CHECK(text_of_file(box.journal()).rfind("SQLite format 3", 0) == 0);
        CHECK_FALSE(contains(text_of_file(box.journal()), "STATUS"));
    }
}

TEST_CASE("a reader that leaves in the middle of a bulk reset leaves a whole record") {
    KilledReset all(2000);
    RunOptions options;
    options.input = text_of_file(all.keys_file());
    const auto cut = run_program(
        "/bin/bash",
        {"-c", "'" + ratectl_binary() + "' reset - -y -o ndjson --op-id stream | head -1; exit ${PIPESTATUS[0]}"},
        all.box.options_for("linked.toml", options));
    INFO(cut.err);
    CHECK((cut.code == 10 || cut.code == 141));
    all.check_account("stream", "the reader has left");
    all.check_taken_back("stream", "the reader has left", true);
}

TEST_CASE("a journal that cannot grow in the middle of a bulk reset stops it before anything goes unrecorded") {
    KilledReset all(12'000);
    const auto largest = [&](const std::string& blocks) {
        RunOptions options;
        options.input = text_of_file(all.keys_file());
        return run_behind(all.box, "ulimit -f " + blocks + ";", "reset - -y -q -o ndjson --op-id limit" + blocks,
                          "> /dev/null", options);
    };
    // Blocks of 1,024 bytes: one batch, not one of them, and two.
    std::vector<std::string> limits{"150", "40", "400"};
    limits.resize(few_if_sanitized(limits.size()));
    for (const auto& blocks : limits) {
        const auto result = largest(blocks);
        INFO(blocks << " KiB: " << result.err.substr(0, 600));
        CHECK(result.signal == 0);
        CHECK((result.code == 10 || result.code == 9));
        CHECK(contains(result.err, "journal.db"));
        all.check_account("limit" + blocks, "a journal of " + blocks + " KiB");
        if (!all.is_as_it_was()) all.check_taken_back("limit" + blocks, "a journal of " + blocks + " KiB", false);
    }
}

TEST_CASE("few descriptors or little memory end a write cleanly") {
    if (is_binary_sanitized()) return;
    for (const std::string limit :
         {"ulimit -n 4;", "ulimit -n 6;", "ulimit -n 8;", "ulimit -n 10;", "ulimit -v 60000;", "ulimit -v 90000;"}) {
        LinkedDeployment box;
        box.set_window("core:1", "50");
        const auto result = run_behind(box, limit, "increment core:1 --json", "");
        INFO(limit << " " << result.code << ": " << result.err);
        CHECK(result.signal == 0);
        CHECK((result.code == 0 || result.code == 3 || result.code == 4 || result.code == 10 || result.code == 70 ||
               result.code == 127));
        CHECK(box.stored("core:1") == (result.code == 0 ? "51" : "50"));
    }
}

}  // namespace
}  // namespace ratectl::test
