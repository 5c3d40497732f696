// A plan is written whole or not at all, and read as it was written or not at all.
#include <sys/stat.h>

#include <cstdlib>
#include <vector>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "input/plan_file.h"
#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl;
using input::PlanHead;
using input::PlanReader;
using input::PlanRow;
using input::PlanWriter;
using test::contains;

namespace {

class PlanFolder {
public:
    PlanFolder() {
        char name[] = "/tmp/ratectl-test-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        folder_ = name;
    }
    ~PlanFolder() { std::filesystem::remove_all(folder_); }
    PlanFolder(const PlanFolder&) = delete;
    PlanFolder& operator=(const PlanFolder&) = delete;

    const std::string& folder() const { return folder_; }
    std::string path(const std::string& name = "a.plan") const { return folder_ + "/" + name; }
    std::string read(const std::string& name = "a.plan") const {
        std::ostringstream text;
        text << std::ifstream(path(name)).rdbuf();
        return text.str();
    }
    void write(const std::string& text, const std::string& name = "a.plan") const {
        std::ofstream(path(name), std::ios::trunc) << text;
    }

private:
    std::string folder_;
};

PlanHead sample_head() {
    PlanHead head;
    head.operation = "01ABC";
    head.kind = "refund";
    head.deployment = "prod";
    head.created_at = "2026-01-01T00:00:00.000Z";
    head.made_by = "alice@\"host\"";
    head.reason = "ticket\n7";
    head.clamp = true;
    head.if_used_at_least = 5;
    head.chunk = 5000;
    return head;
}

std::vector<PlanRow> sample_rows() {
    PlanRow plain{1, 1, "alpha", "core:1", "42", "1600", "open", 7, {}};
    PlanRow bytes{2, 1, "alpha", std::string("\xff\n\0\"", 4), "007", std::string(" x\x80"), "corrupt", {}, {}};
    PlanRow absent{3, 2, "beta", "core:3", {}, {}, "absent", 1, 3600};
    PlanRow empty{4, 2, "beta", "caf\xc3\xa9", "", "-5", "corrupt", {}, {}};
    empty.follows = true;
    absent.layout = "window:exp";
    return {plain, bytes, absent, empty};
}

void write_sample(const PlanFolder& folder) {
    PlanWriter writer(folder.path(), sample_head());
    for (const auto& row : sample_rows()) writer.row(row);
    writer.finish();
}

support::Error refusal(const PlanFolder& folder) {
    try {
        PlanReader reader(folder.path());
        while (reader.next()) {
        }
    } catch (const support::Failure& failure) {
        return failure.error();
    }
    FAIL("it was read");
    return {};
}

}  // namespace

TEST_CASE("a plan comes back as it was written whatever bytes it holds") {
    const PlanFolder folder;
    write_sample(folder);
    PlanReader reader(folder.path());
    CHECK(reader.head() == sample_head());
    CHECK(reader.rows() == 4);
    for (int pass = 0; pass < 2; ++pass) {
        for (const auto& wanted : sample_rows()) {
            const auto row = reader.next();
            REQUIRE(row);
            CHECK(*row == wanted);
        }
        CHECK_FALSE(reader.next());
        reader.rewind();
    }
    CHECK(folder.read().find("\n{\"row\":1,\"slice\":1,\"shard\":\"alpha\",\"key\":\"core:1\",\"used\":42,"
                             "\"reset_at\":1600,\"state\":\"open\",\"amount\":7}\n") != std::string::npos);
    struct stat facts {};
    REQUIRE(::stat(folder.path().c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
}

TEST_CASE("a plan never takes the place of another file and an unfinished one leaves nothing") {
    const PlanFolder folder;
    write_sample(folder);
    const auto before = folder.read();
    CHECK_THROWS_AS(PlanWriter(folder.path(), sample_head()), support::Failure);
    CHECK(folder.read() == before);
    { PlanWriter unfinished(folder.path("b.plan"), sample_head()); }
    CHECK(folder.read("b.plan").empty());
    {
        PlanWriter late(folder.path("c.plan"), sample_head());
        folder.write("somebody else's", "c.plan");
        CHECK_THROWS_AS(late.finish(), support::Failure);
    }
    CHECK(folder.read("c.plan") == "somebody else's");
    int files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.folder())) ++files;
    CHECK(files == 2);
}

TEST_CASE("a plan that cannot be written says so before anything else happens") {
    const PlanFolder folder;
    try {
        PlanWriter writer(folder.path("no/such/folder.plan"), sample_head());
        FAIL("it was opened");
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
        CHECK(contains(failure.error().message, "nothing was written"));
    }
}

TEST_CASE("a plan that is cut anywhere is refused") {
    const PlanFolder folder;
    write_sample(folder);
    const auto whole = folder.read();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        folder.write(whole.substr(0, length));
        INFO(length);
        CHECK(refusal(folder).code == support::ExitCode::guard);
    }
}

TEST_CASE("a plan in which any byte was changed is refused") {
    const PlanFolder folder;
    write_sample(folder);
    const auto whole = folder.read();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto changed = whole;
        changed[at] = changed[at] == '7' ? '8' : '7';
        folder.write(changed);
        INFO(at << " " << whole[at]);
        CHECK(refusal(folder).code == support::ExitCode::guard);
    }
}

TEST_CASE("a plan from which a row was taken or to which one was added is refused") {
    const PlanFolder folder;
    write_sample(folder);
    const auto whole = folder.read();
    const auto second = whole.find('\n') + 1;
    const auto third = whole.find('\n', second) + 1;
    folder.write(whole.substr(0, second) + whole.substr(third));
    CHECK(contains(refusal(folder).message, "changed"));
    folder.write(whole.substr(0, third) + whole.substr(second));
    CHECK(contains(refusal(folder).message, "changed"));
    folder.write(whole + "{\"row\":5}\n");
    CHECK(refusal(folder).code == support::ExitCode::guard);
}

TEST_CASE("what is no plan of ours is refused with words for it") {
    const PlanFolder folder;
    folder.write("{\"schema\":\"ratectl.plan.v9\",\"operation\":\"x\",\"kind\":\"reset\",\"chunk\":1}\n");
    CHECK(contains(refusal(folder).message, "ratectl.plan.v9"));
    folder.write("core:1\ncore:2\n");
    CHECK(contains(refusal(folder).message, "not the head"));
    folder.write("");
    CHECK(contains(refusal(folder).message, "empty"));
    std::filesystem::remove(folder.path());
    CHECK(refusal(folder).code == support::ExitCode::local_io);
    std::filesystem::create_directory(folder.path());
    CHECK(refusal(folder).code == support::ExitCode::local_io);
}

TEST_CASE("a plan in which a number is text, or none that counts, is refused even where its sum is right") {
    const std::vector<std::pair<std::string, std::string>> changes{
        {"\"amount\":7", "\"amount\":\"7\""},
        {"\"amount\":7", "\"amount\":7.5"},
        {"\"amount\":7", "\"amount\":18446744073709551615"},
        {"\"amount\":7", "\"amount\":9007199254740992"},
        {"\"used\":42", "\"used\":\"42\""},
        {"\"reset_at\":1600", "\"reset_at\":true"},
        {"\"clamp\":true", "\"clamp\":\"true\""},
        {"\"period_s\":3600", "\"period_s\":\"3600\""},
        {"\"period_s\":3600", "\"period_s\":-1"},
        {"\"if_used_at_least\":5", "\"if_used_at_least\":-9223372036854775808"},
        {"\"if_used_at_least\":5", "\"if_used_at_least\":\"5\""},
    };
    for (const auto& [was, is] : changes) {
        CAPTURE(is);
        const PlanFolder folder;
        write_sample(folder);
        auto text = folder.read();
        const auto at = text.find(was);
        REQUIRE(at != std::string::npos);
        text.replace(at, was.size(), is);
        text.resize(text.rfind('\n', text.size() - 2) + 1);
        input::PlanChecksum checksum;
        checksum.add(text);
        folder.write(text + "{\"rows\":4,\"checksum\":\"" + checksum.text() + "\"}\n");
        const auto error = refusal(folder);
        CHECK(error.code == support::ExitCode::guard);
        CHECK(contains(error.message, was.substr(1, was.find('"', 1) - 1)));
    }
}
