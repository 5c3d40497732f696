// When a change asks, who answers, and what never needs asking.
#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

RunOptions typing(const std::string& answer, const std::string& input = {}) {
    RunOptions options;
    options.terminal_only_for_questions = true;
    options.typed = answer;
    options.input = input;
    return options;
}

struct ConfirmedBox : WrittenDeployment {
    explicit ConfirmedBox(const std::string& more = {}) : WrittenDeployment("writes = \"confirm\"\n" + more) {
        for (const std::string key : {"core:1", "core:2", "core:3"}) set_window(key, "50", seconds_from_now(1000));
    }
    std::string left() { return halves(); }
};

}  // namespace

TEST_CASE("one named key is changed at once") {
    ConfirmedBox box;
    CHECK(box.run({"reset", "core:1"}).code == 0);
    CHECK(box.left() == "4");
}

TEST_CASE("several keys without a terminal need -y and say so") {
    ConfirmedBox box;
    const auto refused = box.run({"reset", "core:1", "core:2"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "-y"));
    CHECK(contains(refused.err, "remove 2 windows of deployment 'box'"));
    CHECK(box.left() == "6");
    CHECK(box.run({"reset", "core:1", "core:2", "-y"}).code == 0);
    CHECK(box.left() == "2");
}

TEST_CASE("the question on the terminal shows the plan and takes yes and no") {
    ConfirmedBox box;
    const auto no = box.run({"reset", "core:1", "core:2"}, typing("n\n"));
    CHECK(no.code == 7);
    CHECK(contains(no.terminal, "remove 2 windows of deployment 'box'?"));
    CHECK(contains(no.err, "alpha 2"));
    CHECK(contains(no.err, "core:1"));
    CHECK(box.left() == "6");
    CHECK(box.run({"reset", "core:1", "core:2"}, typing("\n")).code == 7);
    const auto yes = box.run({"reset", "core:1", "core:2"}, typing("y\n"));
    CHECK(yes.code == 0);
    CHECK(box.left() == "2");
}

// "give 2 requests back in 2 windows" could be read as two in all.
TEST_CASE("the question says that each window is counted in") {
    ConfirmedBox box;
    const auto two = box.run({"refund", "core:1", "core:2", "--amount", "2"}, typing("n\n"));
    CHECK(contains(two.terminal, "give 2 requests back in each of 2 windows of deployment 'box'?"));
    CHECK(contains(box.run({"increment", "core:1", "core:2"}).err, "count requests in each of 2 windows"));
    const ConfirmedBox cautious("");
    CHECK(contains(cautious.run({"reset", "core:1", "core:2"}).err, "to remove 2 windows of"));
}

TEST_CASE("a pipe can feed the keys while the terminal answers") {
    ConfirmedBox box;
    const auto result = box.run({"reset", "-"}, typing("yes\n", "core:1\ncore:2\ncore:3\n"));
    CHECK(result.code == 0);
    CHECK(contains(result.terminal, "remove 3 windows"));
    CHECK(box.left() == "0");
}

TEST_CASE("no input means no question and no write") {
    ConfirmedBox box;
    CHECK(box.run({"reset", "core:1", "core:2", "--no-input"}, typing("y\n")).code == 7);
    CHECK(box.left() == "6");
}

TEST_CASE("no environment variable says yes") {
    ConfirmedBox box;
    RunOptions options;
    options.environment["RATECTL_YES"] = "1";
    CHECK(box.run({"reset", "core:1", "core:2"}, options).code == 7);
    CHECK(box.left() == "6");
}

TEST_CASE("more keys than allowed need the name of the deployment") {
    ConfirmedBox box("max_keys = 2");
    const std::vector<std::string> sweep = {"reset", "--match", "core:*", "-y"};
    auto with = [&sweep](std::vector<std::string> more) {
        more.insert(more.begin(), sweep.begin(), sweep.end());
        return more;
    };
    const auto refused = box.run(sweep);
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "--confirm box"));
    CHECK(box.run(with({"--max-keys", "10"})).code == 7);
    CHECK(box.run(with({"--confirm", "production"})).code == 7);
    CHECK(box.run(with({"--confirm", "box", "--max-keys", "2"})).code == 7);
    CHECK(box.run(sweep, typing("wrong\n")).code == 7);
    CHECK(box.left() == "6");
    CHECK(box.run(sweep, typing("box\n")).code == 0);
    CHECK(box.left() == "0");
}

TEST_CASE("naming the deployment on the command line answers for a long stream") {
    ConfirmedBox box("max_keys = 2");
    RunOptions options;
    options.input = "core:1\ncore:2\ncore:3\n";
    CHECK(box.run({"reset", "-", "-y"}, options).code == 7);
    CHECK(box.left() == "6");
    CHECK(box.run({"reset", "-", "-y", "--confirm", "box"}, options).code == 0);
    CHECK(box.left() == "0");
}

TEST_CASE("all windows at once need the name of the deployment") {
    ConfirmedBox box;
    const auto refused = box.run({"reset", "--all", "-y"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "--confirm box"));
    CHECK(box.run({"reset", "--all", "--confirm", "box"}).code == 0);
    CHECK(box.left() == "0");
}

TEST_CASE("an expected number of keys must be exactly that") {
    ConfirmedBox box;
    const auto refused = box.run({"reset", "--match", "core:*", "-y", "--expect", "2"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "3 windows"));
    CHECK(box.run({"reset", "--match", "core:*", "-y", "--expect", "x"}).code == 2);
    CHECK(box.left() == "6");
    CHECK(box.run({"reset", "--match", "core:*", "-y", "--expect", "3"}).code == 0);
    CHECK(box.left() == "0");
}

TEST_CASE("a flag limits the number of keys even where nothing else does") {
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:1", "5", seconds_from_now(1000));
    box.set_window("core:2", "5", seconds_from_now(1000));
    CHECK(box.run({"reset", "--match", "core:*", "--max-keys", "1"}).code == 7);
    CHECK(box.stored("core:1") == "5");
    CHECK(box.run({"reset", "--match", "core:*", "--max-keys", "2"}).code == 0);
}

TEST_CASE("a cautious deployment asks even for one named key") {
    WrittenDeployment box("writes = \"confirm-all\"");
    box.set_window("core:1", "5", seconds_from_now(1000));
    CHECK(box.run({"reset", "core:1"}).code == 7);
    CHECK(box.stored("core:1") == "5");
    CHECK(box.run({"reset", "core:1"}, typing("y\n")).code == 0);
}

TEST_CASE("nothing is written where writing is denied or the run is read-only") {
    WrittenDeployment denied("writes = \"deny\"");
    CHECK(denied.run({"increment", "core:1", "-y"}).code == 7);
    WrittenDeployment box("writes = \"allow\"");
    CHECK(box.run({"increment", "core:1", "--read-only"}).code == 7);
    RunOptions options;
    options.environment["RATECTL_READ_ONLY"] = "1";
    const auto result = box.run({"increment", "core:1"}, options);
    CHECK(result.code == 7);
    CHECK(contains(result.err, "read-only"));
    CHECK(box.halves() == "0");
    CHECK(denied.halves() == "0");
}

TEST_CASE("a deployment that wants reasons writes nothing without one") {
    WrittenDeployment box("writes = \"allow\"\nrequire_reason = true");
    const auto refused = box.run({"increment", "core:1"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "--reason"));
    CHECK(box.halves() == "0");
    CHECK(box.run({"increment", "core:1", "--reason", "ticket 7"}).code == 0);
}

TEST_CASE("a protected key is refused alone and left out of a sweep") {
    ConfirmedBox box("protect = [\"core:1\", \"internal:*\"]");
    const auto alone = box.run({"reset", "core:1"});
    CHECK(alone.code == 7);
    CHECK(contains(alone.err, "protected"));
    CHECK(box.run({"increment", "internal:x", "--period", "1h"}).code == 7);
    CHECK(box.run({"reset", "--match", "core:*", "-y"}).code == 9);
    CHECK(box.stored("core:1") == "50");
    CHECK(box.left() == "2");
}
