// The file of scan --resume: what is written is read back, and nothing else is taken for one.
#include "input/resume_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/catch.h"
#include "support/error.h"

using namespace ratectl;
using input::ResumeState;

namespace {

class Folder {
public:
    Folder() {
        char name[] = "/tmp/ratectl-resume-XXXXXX";
        path_ = ::mkdtemp(name);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    std::size_t files() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(path_)) ++count;
        return count;
    }

private:
    std::string path_;
};

ResumeState some_state() {
    return {"production",
            {{"--policy", "core"}, {"--min-used", "80%"}},
            {{"alpha", "10.0.0.1:6379", "0123456789abcdef", "17179869184", false, 12345},
             {"beta", "unix:///run/redis.sock", "", "0", true, 0}},
            false};
}

support::Error resume_error(const std::string& path) {
    try {
        input::read_resume_file(path);
    } catch (const support::Failure& failure) {
        return failure.error();
    }
    return {support::ExitCode::done, "", ""};
}

}  // namespace

TEST_CASE("a file that is nested without end or larger than any scan's is refused before it takes memory") {
    const Folder folder;
    const std::string path = folder.file("scan.json");
    for (const std::string& text : {"{\"schema\":\"ratectl.resume.v1\",\"shards\":" + std::string(100'000, '['),
                                    std::string(4'000'000, '['), "[" + std::string(9U << 20U, ' ') + "]"}) {
        std::ofstream(path) << text;
        const auto error = resume_error(path);
        CHECK(error.code == support::ExitCode::usage);
        CHECK(error.message.find("not a file that --resume has written") != std::string::npos);
    }
}

TEST_CASE("how far a scan came is read back as it was written") {
    const Folder folder;
    const std::string path = folder.file("scan.json");
    CHECK_FALSE(input::read_resume_file(path));
    ResumeState state = some_state();
    input::write_resume_file(path, state);
    CHECK(input::read_resume_file(path) == state);
    state.slots = {{"alpha", "07c37df", "3", "0-5460 5470"}, {"beta", "67ed2db", "12", ""}};
    state.moved_slots = "5461-5469";
    input::write_resume_file(path, state);
    CHECK(input::read_resume_file(path) == state);
    state.shards[0].cursor = "5";
    state.complete = true;
    input::write_resume_file(path, state);
    CHECK(input::read_resume_file(path) == state);
    CHECK(folder.files() == 1);
    struct stat there {};
    REQUIRE(::stat(path.c_str(), &there) == 0);
    CHECK((there.st_mode & 0777U) == 0600U);
}

// Two scans went on with it at once, and each wrote over what the other one had noted.
TEST_CASE("one scan at a time goes on with a file") {
    const Folder folder;
    const std::string path = folder.file("scan.json");
    const auto is_taken = [&] {
        try {
            input::claim_resume_file(path);
            return false;
        } catch (const support::Failure& failure) {
            CHECK(failure.error().code == support::ExitCode::local_io);
            CHECK(failure.error().message.find("another scan goes on with '" + path + "'") != std::string::npos);
            return true;
        }
    };
    auto held = input::claim_resume_file(path);
    CHECK(held.is_open());
    CHECK(is_taken());
    for (int i = 0; i < 2; ++i) {
        held = input::write_resume_file(path, some_state());
        CHECK(is_taken());
    }
    held.close();
    CHECK_FALSE(is_taken());
    CHECK(input::read_resume_file(path) == some_state());
    CHECK_FALSE(input::claim_resume_file(folder.file("none/scan.json")).is_open());
}

TEST_CASE("a file that no scan wrote is refused and left alone") {
    const Folder folder;
    const std::string path = folder.file("notes");
    for (const char* text :
         {"my notes\n", "{}", "[1,2]", R"({"schema":"ratectl.plan.v1"})",
          R"({"schema":"ratectl.resume.v1","deployment":"x","question":{},"complete":false})",
          R"({"schema":"ratectl.resume.v1","deployment":"x","question":{},"complete":false,)"
          R"("shards":[{"shard":"a","node":"n","run_id":"r","cursor":"; DROP","complete":false,"windows":0}]})"}) {
        std::ofstream(path) << text;
        CHECK(resume_error(path).code == support::ExitCode::usage);
        CHECK(std::filesystem::file_size(path) == std::string_view(text).size());
    }
    std::ofstream(path).close();
    CHECK_FALSE(input::read_resume_file(path));  // as mktemp makes one
}

// They were taken for lists of fewer slots, or none, and windows were missing without a word.
TEST_CASE("a damaged file is refused whose cursors are fine") {
    const Folder folder;
    const std::string path = folder.file("scan.json");
    ResumeState state = some_state();
    state.slots = {{"alpha", "07c37df", "3", "0-5460 5470"}, {"beta", "67ed2db", "12", ""}};
    const auto refused = [&path](const ResumeState& damaged) {
        input::write_resume_file(path, damaged);
        const auto error = resume_error(path);
        CHECK(error.code == support::ExitCode::usage);
        return error.message;
    };
    for (const char* text :
         {"12x", "x", "1234-", "-5", "20000", "0-99999", "5-1", "5 5", "7 3-4", "5 ", " 5", "5  7"}) {
        INFO(text);
        auto moved = state;
        moved.moved_slots = text;
        CHECK(refused(moved).find(std::string("moved_slots is '") + text + "'") != std::string::npos);
        auto had = state;
        had.slots[0].slots = text;
        CHECK(refused(had).find(std::string("slots of shard 'alpha' is '") + text + "'") != std::string::npos);
    }
    auto twice = state;
    twice.shards.push_back(twice.shards.front());
    CHECK(refused(twice).find("shard 'alpha' is there twice") != std::string::npos);
    twice.shards.back().node = "10.0.0.2:6379";
    CHECK(refused(twice).find("shard 'alpha' is there twice") != std::string::npos);
    twice.question.emplace_back("--from", "all");
    input::write_resume_file(path, twice);
    CHECK(input::read_resume_file(path) == twice);
    auto twice_had = state;
    twice_had.slots.push_back(twice_had.slots.front());
    CHECK(refused(twice_had).find("the slots of shard 'alpha' are there twice") != std::string::npos);
    input::write_resume_file(path, state);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    auto negative = text.str();
    negative.replace(negative.find(": 12345"), 7, ": -5");
    std::ofstream(path) << negative;
    CHECK(resume_error(path).message.find("windows of shard 'alpha' is -5, no count") != std::string::npos);
}

// The link became a file of its own, and what it led to stayed as it was.
TEST_CASE("how far a scan came is written where links lead, also to where nothing is yet") {
    const Folder folder;
    std::filesystem::create_directory(folder.file("kept"));
    std::filesystem::create_symlink("kept/scan.json", folder.file("second"));
    std::filesystem::create_symlink(folder.file("second"), folder.file("first"));
    ResumeState state = some_state();
    for (const char* cursor : {"17", "18"}) {
        state.shards[0].cursor = cursor;
        input::write_resume_file(folder.file("first"), state);
        CHECK(std::filesystem::is_symlink(folder.file("first")));
        CHECK(std::filesystem::is_symlink(folder.file("second")));
        CHECK_FALSE(std::filesystem::is_symlink(folder.file("kept/scan.json")));
        CHECK(input::read_resume_file(folder.file("kept/scan.json")) == state);
        CHECK(input::read_resume_file(folder.file("first")) == state);
    }
    CHECK(folder.files() == 3);
    std::filesystem::create_symlink("round", folder.file("round"));
    CHECK(resume_error(folder.file("round")).code == support::ExitCode::local_io);
}

TEST_CASE("a resume file that cannot be read or written is a local failure that leaves nothing behind") {
    const Folder folder;
    CHECK(resume_error(folder.file("")).code == support::ExitCode::local_io);  // a folder
    try {
        input::write_resume_file(folder.file("no/such/scan.json"), some_state());
        FAIL("nothing was thrown");
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
    }
    CHECK(folder.files() == 0);
}
