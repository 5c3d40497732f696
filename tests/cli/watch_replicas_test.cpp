// watch with --from all and --from replica: answers that are behind are told from changes of the window.

#include "cli/scenes_box.h"
#include "cli/watching.h"

namespace ratectl::test {
namespace {

TEST_CASE("watch says once that a replica is behind its primary, and when it has caught up") {
    SceneBox box;
    box.count_everywhere(kAlice, 5, seconds_from_now(1000));
    Watching watching(box, {kAlice, "--from", "all", "--every", "50ms"});
    watching.wait_for("first", 1);
    box.link().hold();
    box.primary().command({"INCRBY", kAlice, "3"});
    const auto stale = watching.wait_for("stale");
    CHECK(stale.at("node") == box.address(box.replica()));
    CHECK(stale.at("role") == "replica");
    CHECK(stale.at("key") == kAlice);
    CHECK(stale.at("used") == 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    box.link().release();
    CHECK(watching.wait_for("back").at("used") == 8);
    watching.interrupt();
    CHECK(watching.events() == "first first counted stale counted back");
}

TEST_CASE("watch of all nodes says in its table which node each line is about") {
    SceneBox box;
    box.count_everywhere(kAlice, 5, seconds_from_now(1000));
    const auto all = box.run({"watch", kAlice, "--from", "all", "--rounds", "1"});
    INFO(all.out << all.err);
    CHECK(all.code == 0);
    CHECK(contains(all.out.substr(0, all.out.find('\n')), " NODE"));
    CHECK(contains(all.out, box.address(box.primary())));
    CHECK(contains(all.out, box.address(box.replica())));
    CHECK(!contains(box.run({"watch", kAlice, "--rounds", "1"}).out, " NODE"));
}

TEST_CASE("watch marks a replica that has lost its primary as stale, and waits for no condition on its word") {
    SceneBox box;
    box.count_everywhere(kAlice, 5, seconds_from_now(1000));
    Watching watching(box, {kAlice, "--from", box.address(box.replica()), "--every", "50ms", "--until", "below:3"});
    watching.wait_for("first");
    box.replica().command({"REPLICAOF", "127.0.0.1", "1"});
    const auto stale = watching.wait_for("stale");
    CHECK(stale.at("key").is_null());
    CHECK(stale.at("node") == box.address(box.replica()));
    box.follow(box.link().endpoint());
    watching.wait_for("back");
    box.primary().command({"DECRBY", kAlice, "4"});
    CHECK(watching.end().code == 0);
    CHECK(watching.events() == "first stale back refunded");
}

}  // namespace
}  // namespace ratectl::test
