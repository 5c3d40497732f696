// scan --resume over pretended servers: what the file says, whose it is, and what happens when the scan is finished.
#include <fstream>

#include "commands/all_commands.h"
#include "input/resume_file.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using support::ExitCode;
using test::contains;
using test::FakeContext;

namespace {

struct Box {
    explicit Box(std::size_t shards = 1) : context(shards) {
        context.given.output = "name";
        context.put("core:alice", "7", "1600");
        context.put("core:bob", "20", "1010");
        context.put("core:carol", "3", "1600");
    }
    ExitCode scan(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"--resume", file});
        return context.run(commands::scan_command(), std::move(arguments));
    }

    FakeContext context;
    sandbox::TemporaryFolder folder = support::value_or_throw(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"));
    std::string file = folder.path() + "/scan.json";
};

}  // namespace

TEST_CASE("a scan that came to its end says so in its file and is not begun again") {
    Box box;
    CHECK(box.scan({}) == ExitCode::done);
    CHECK(contains(box.context.output(), "core:alice\n"));
    const auto state = input::read_resume_file(box.file);
    REQUIRE(state);
    CHECK(state->complete);
    CHECK(state->deployment == "test");
    REQUIRE(state->shards.size() == 1);
    CHECK(state->shards[0].shard == "alpha");
    CHECK(state->shards[0].run_id == "run");
    CHECK(state->shards[0].windows == 3);
    const auto rows = box.context.output();
    CHECK(box.scan({}) == ExitCode::done);
    CHECK(box.context.output() == rows);
    CHECK(contains(box.context.errors(), "is finished, and nothing is left to do"));
}

TEST_CASE("a shard that could not be read is what a resumed scan reads") {
    Box box(2);
    const std::size_t home = box.context.shard_map()->shard_of("core:alice");
    box.context.kill_primary(home);
    box.context.kill_replica(home);
    CHECK(box.scan({}) == ExitCode::partial);
    CHECK_FALSE(contains(box.context.output(), "core:alice"));
    const auto state = input::read_resume_file(box.file);
    REQUIRE(state);
    CHECK_FALSE(state->complete);

    Box later(2);
    later.file = box.file;
    CHECK(later.scan({}) == ExitCode::done);
    CHECK(contains(later.context.output(), "core:alice\n"));
    CHECK(contains(later.context.errors(), "notice: going on where"));
    CHECK(contains(later.context.errors(), " listed before, 1 shard to its end\n"));
    CHECK(later.context.replica(1 - home).asked().empty());
    CHECK(input::read_resume_file(box.file)->complete);
}

TEST_CASE("the file of another scan is refused and what differs is named") {
    Box box;
    CHECK(box.scan({"--min-used=5"}) == ExitCode::done);
    const auto refused = [&](std::vector<std::string> arguments) {
        Box other;
        other.file = box.file;
        CHECK(other.scan(std::move(arguments)) == ExitCode::usage);
        CHECK(other.context.replica(0).opened() == 0);
        CHECK(other.context.output().empty());
        return other.context.errors();
    };
    CHECK(contains(refused({}), "is about another scan: --min-used was '5' and is not given"));
    CHECK(contains(refused({"--min-used=6"}), "--min-used was '5' and is '6'"));
    CHECK(contains(refused({"--min-used=5", "--policy=core"}), "--policy was not given and is 'core'"));
    CHECK(contains(refused({"core:*", "--min-used=5"}), "the pattern was not given and is 'core:*'"));
    Box elsewhere;
    elsewhere.file = box.file;
    elsewhere.context.configured.deployment = "staging";
    CHECK(elsewhere.scan({"--min-used=5"}) == ExitCode::usage);
    CHECK(contains(elsewhere.context.errors(), "of deployment 'test', and this one is 'staging'"));
}

TEST_CASE("a file that is no scan's is neither taken nor touched") {
    Box box;
    std::ofstream(box.file) << "notes\n";
    CHECK(box.scan({}) == ExitCode::usage);
    std::string text;
    std::ifstream file(box.file);
    std::getline(file, text);
    CHECK(text == "notes");
}

TEST_CASE("a scan of the first rows ends with their page and the next one begins behind it") {
    Box box;
    CHECK(box.scan({"--first=1"}) == ExitCode::done);
    CHECK(box.context.output() == "core:alice\ncore:bob\ncore:carol\n");
    CHECK(input::read_resume_file(box.file)->complete);
    FakeContext alone;
    alone.given.output = "name";
    alone.put("core:alice", "7", "1600");
    alone.put("core:bob", "20", "1010");
    CHECK(alone.run(commands::scan_command(), {"--first=1"}) == ExitCode::done);
    CHECK(alone.output() == "core:alice\n");
}

TEST_CASE("a file that cannot be written is told before anybody is asked") {
    Box box;
    box.file = box.folder.path() + "/missing/scan.json";
    CHECK(box.scan({}) == ExitCode::local_io);
    CHECK(box.context.output().empty());
    CHECK(box.context.replica(0).opened() == 0);
    CHECK(contains(box.context.errors(), "missing/scan.json"));
    CHECK(contains(box.context.errors(), "hint: nothing has been read yet"));
}

TEST_CASE("a table of values that goes on has no second header") {
    Box box(2);
    const std::size_t home = box.context.shard_map()->shard_of("core:alice");
    box.context.kill_primary(home);
    box.context.kill_replica(home);
    box.context.given.output = "csv";
    box.context.given.columns = "key,used";
    CHECK(box.scan({}) == ExitCode::partial);
    CHECK(box.context.output().starts_with("key,key_b64,used\n"));
    Box later(2);
    later.file = box.file;
    later.context.given.output = "csv";
    later.context.given.columns = "key,used";
    CHECK(later.scan({}) == ExitCode::done);
    CHECK(contains(later.context.output(), "core:alice,,7\n"));
    CHECK_FALSE(contains(later.context.output(), "key_b64"));
}

// The moment was noted: the same command asked for another one a second later, and was refused.
TEST_CASE("a scan an hour ahead of our clock is taken up an hour ahead of it") {
    Box box;
    const auto scan_at = [&box](const std::string& given, std::int64_t second) {
        box.context.given.overrides.now = given;
        box.context.configured.now = support::from_epoch(second);
        return box.scan({});
    };
    CHECK(scan_at("+1h", 1000) == ExitCode::done);
    CHECK(scan_at("+1h", 1002) == ExitCode::done);
    CHECK(scan_at("+2h", 4600) == ExitCode::usage);
    CHECK(contains(box.context.errors(), "--now was '+1h' and is '+2h'"));
}

// A file called - was written.
TEST_CASE("a scan keeps no file called like standard output") {
    Box box;
    box.file = "-";
    CHECK(box.scan({}) == ExitCode::usage);
    CHECK(box.context.output().empty());
    CHECK_FALSE(std::ifstream("-").is_open());
}
