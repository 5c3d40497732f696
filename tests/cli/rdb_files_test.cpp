// Several dump files: whose they are, which db of theirs counts, and what is left of one that is damaged.
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"
#include "unit/input/rdb_maker.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr std::int64_t kThen = 1'600'000'000;

RdbMaker picture() { return RdbMaker().aux("redis-ver", "7.2.4").aux("ctime", std::to_string(kThen)).db(0); }

/// A configuration of three shards whose servers are not asked, and files beside it.
struct Files {
    Files() : box("writes = \"deny\"", 3) {}
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(box.file(name), std::ios::binary) << bytes;
        return box.file(name);
    }
    RunResult scan(std::vector<std::string> more) const {
        std::vector<std::string> words{"scan", "-o", "tsv", "--no-header", "--columns", "key,shard", "--sort", "key"};
        words.insert(words.end(), more.begin(), more.end());
        return box.run(words);
    }
    WrittenDeployment box;
};

}  // namespace

TEST_CASE("each dump is of the shard that is named or that its file is called after") {
    Files files;
    const auto one = files.write("beta-2026-11-21.rdb", picture().window("core:b", "1", kThen + 5).ended());
    const auto two = files.write("backup", picture().window("core:a", "1", kThen + 5).ended());
    const auto both = files.scan({"--rdb", one, "--rdb", "gamma=" + two});
    CHECK(both.out == "core:a\t\tgamma\ncore:b\t\tbeta\n");
    CHECK(both.code == 0);
    CHECK(files.scan({"--rdb", one, "--rdb", "gamma=" + two, "--shard", "beta"}).out == "core:b\t\tbeta\n");
    const auto nameless = files.scan({"--rdb", two});
    CHECK(nameless.code == 2);
    CHECK(contains(nameless.err, "of which shard is " + two + " a dump?"));
    const auto unknown = files.scan({"--rdb", "gama=" + two});
    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err, "no shard is called 'gama'"));
    CHECK(contains(unknown.err, "gamma"));
    const auto twice = files.scan({"--rdb", one, "--rdb", "beta=" + two});
    CHECK(twice.code == 2);
    CHECK(contains(twice.err, "two dumps of shard 'beta'"));
    CHECK(files.scan({"--rdb", "beta="}).code == 2);
    CHECK(files.scan({"--rdb", "=file"}).code == 2);
}

TEST_CASE("without a configuration dumps are shards of their own names") {
    Files files;
    const auto one = files.write("one.rdb", picture().window("core:b", "1", kThen + 5).ended());
    const auto two = files.write("two.rdb", picture().window("core:a", "1", kThen + 5).ended());
    const auto result = run_ratectl({"scan", "--rdb", one, "--rdb", "second=" + two, "-o", "tsv", "--no-header",
                                     "--columns", "key,shard", "--sort", "key"});
    CHECK(result.out == "core:a\t\tsecond\ncore:b\t\tone\n");
    CHECK(run_ratectl({"scan", "--rdb", one, "--rdb", "one=" + two}).code == 2);
    CHECK(run_ratectl({"scan", "--rdb", "-", "--rdb", "x=-"}).code == 2);
}

TEST_CASE("a dump that breaks off gives what came before and names the byte and is partial") {
    Files files;
    RdbMaker made = picture();
    for (int i = 0; i < 9; ++i) made.window("core:" + std::to_string(i), "1", kThen + 5);
    const std::string whole = made.ended();
    const auto cut = files.write("alpha.rdb", whole.substr(0, whole.size() - 30));
    const auto good = files.write("beta.rdb", picture().window("core:good", "1", kThen + 5).ended());
    const auto result = files.scan({"--rdb", cut, "--rdb", good});
    CHECK(result.code == 9);
    CHECK(contains(result.out, "core:7\t\talpha\n"));
    CHECK_FALSE(contains(result.out, "core:8\t\talpha\n"));
    CHECK(contains(result.out, "core:good\t\tbeta\n"));
    CHECK(contains(result.err, cut + ": cut off at byte " + std::to_string(whole.size() - 30) + ", in "));
    const auto missing = files.scan({"--rdb", "alpha=" + files.box.file("nowhere.rdb"), "--rdb", good});
    CHECK(missing.code == 9);
    CHECK(contains(missing.err, "cannot open "));
    const auto alone = files.scan({"--rdb", files.write("gamma.rdb", "no dump at all")});
    CHECK(alone.code == 10);
    CHECK(alone.out.empty());
    CHECK(contains(alone.err, "it begins with neither REDIS nor VALKEY"));
}

TEST_CASE("a wrong checksum leaves the rows and says that any of them may be wrong") {
    Files files;
    std::string bytes = picture().window("core:a", "17", kThen + 5).ended();
    bytes[bytes.find("17", 60)] = '9';
    const auto result = files.scan({"--rdb", files.write("alpha.rdb", bytes)});
    CHECK(result.code == 9);
    CHECK(result.out == "core:a\t\talpha\n");
    CHECK(contains(result.err, "its checksum is wrong"));
}

TEST_CASE("the db of a dump is the one that the URL names or the first with windows") {
    Files files;
    RdbMaker made = picture().string("session", "x");
    made.db(3).window("core:three", "1", kThen + 5).db(4).window("core:four", "1", kThen + 5);
    const auto file = files.write("dump.rdb", made.ended());
    const auto keys = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"scan", "--rdb", file, "-o", "name"});
        return run_ratectl(words);
    };
    CHECK(keys({}).out == "core:three\n");
    CHECK(contains(keys({}).err, "db 4 has windows, too; these are those of db 3"));
    CHECK(keys({"-u", "redis://10.0.0.1/4"}).out == "core:four\n");
    CHECK(keys({"-u", "redis://10.0.0.1"}).out.empty());
}

TEST_CASE("a dump asks for no password and no server") {
    WrittenDeployment box("password_file = \"/nowhere/at-all\"");
    const std::string file = box.file("alpha.rdb");
    std::ofstream(file, std::ios::binary) << picture().window("core:a", "1", kThen + 5).ended();
    box.server().kill();
    const auto result = box.run({"scan", "--rdb", file, "-o", "name"});
    CHECK(result.code == 0);
    CHECK(result.out == "core:a\n");
    CHECK(box.run({"scan", "-o", "name"}).code != 0);
}

TEST_CASE("an interrupted reading of a dump ends with what it has") {
    Files files;
    RunOptions options;
    options.input = picture().window("core:a", "1", kThen + 5).bytes();
    options.close_input = false;
    options.signal_number = SIGINT;
    options.signal_after = std::chrono::milliseconds(2000);
    const auto result = run_ratectl({"scan", "--rdb", "-", "-o", "name"}, options);
    CHECK(result.code == 130);
    CHECK(result.out == "core:a\n");
    CHECK(contains(result.err, "shard 'stdin' is incomplete"));
}

TEST_CASE("what asks servers is refused beside a dump") {
    Files files;
    const auto file = files.write("alpha.rdb", picture().window("core:a", "1", kThen + 5).ended());
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"--duplicates"},
                                                                                       {"--from", "primary"},
                                                                                       {"--ops", "100"},
                                                                                       {"--max-latency", "5ms"},
                                                                                       {"--resume", "state"}}) {
        auto all = words;
        all.insert(all.end(), {"--rdb", file});
        const auto result = files.scan(all);
        INFO(words.front());
        CHECK(result.code == 2);
        CHECK(contains(result.err, words.front()));
    }
}

TEST_CASE("a dump of a newer format is read as far as it is understood") {
    Files files;
    RdbMaker made("REDIS0014");
    made.aux("ctime", std::to_string(kThen)).db(0).window("core:a", "1", kThen + 5).key(28, "new").text("array");
    const auto result = files.scan({"--rdb", files.write("alpha.rdb", made.ended())});
    CHECK(result.code == 9);
    CHECK(result.out == "core:a\t\talpha\n");
    CHECK(contains(result.err, "has format 14, which is newer than this program"));
    CHECK(contains(result.err, "28 is not a type of a value that this program knows"));
}

TEST_CASE("what follows the end of a dump is told of") {
    Files files;
    const auto file = files.write("alpha.rdb", RdbMaker()
                                                       .aux("ctime", std::to_string(kThen))
                                                       .aux("aof-preamble", "1")
                                                       .db(0)
                                                       .window("core:a", "1", kThen + 5)
                                                       .ended() +
                                                   "*1\r\n$4\r\nPING\r\n");
    const auto result = files.scan({"--rdb", file});
    CHECK(result.code == 0);
    CHECK(result.out == "core:a\t\talpha\n");
    CHECK(contains(result.err, "what follows the end of the dump was not read"));
}
