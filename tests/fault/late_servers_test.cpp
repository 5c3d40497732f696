// Servers that wake up after we gave up: what was sent to them is not carried out late.
#include <thread>

#include "fault/linked_store.h"
#include "support/link_gauge.h"

namespace ratectl::test {
namespace {

using domain::WriteKind;
using store::WriteStatus;
using support::ExitCode;

/// Long enough for a machine that is busy with other work to be in time.
const milliseconds kLateTimeout{600};

/// Nothing came of it, also not later: the window is as it was, and no operation key says otherwise.
void check_never_touched(LinkedStore& link) {
    link.settle();
    std::this_thread::sleep_for(milliseconds(30));
    CHECK(link.value("k") == "50");
    CHECK(link.value("k:exp") == std::to_string(support::epoch_seconds(link.ends)));
    CHECK(link.operation_keys().empty());
}

TEST_CASE("A server that is stopped during a write applies nothing when it goes on") {
    for (const auto kind : kKinds) {
        for (int trial = 0; trial < 3; ++trial) {
            LinkedStore link(kLateTimeout);
            link.set_window("k", "50");
            link.at_next_write([&] { link.server.pause(); });
            const auto result = [&] {
                const WithinPatience patience(kLateTimeout);
                return link.write(kind);
            }();
            CHECK(result.status == WriteStatus::unknown);
            CHECK(result.error->code == ExitCode::unknown);
            CHECK(says(result, "may have been applied"));
            link.server.resume();
            check_never_touched(link);
        }
    }
}

TEST_CASE("Several calls that a stopped server has in its hands are not carried out late") {
    LinkedStore link(kLateTimeout);
    link.at_next_write([&] { link.server.pause(); });
    std::vector<store::CountItem> items;
    for (int i = 0; i < 350; ++i) items.push_back(link.counted("k" + std::to_string(i)));
    const auto results = link.store().count(items, link.order());
    std::size_t unknown = 0;
    for (const auto& result : results) {
        CHECK((result.status == WriteStatus::unknown || result.status == WriteStatus::not_attempted));
        unknown += result.status == WriteStatus::unknown ? 1 : 0;
    }
    CHECK(unknown >= 100);
    link.server.resume();
    link.settle();
    std::this_thread::sleep_for(milliseconds(30));
    CHECK(link.server.command({"DBSIZE"}) == "0");
}

TEST_CASE("A server that is stopped for a while leaves no doubt that its value does not share") {
    for (const auto kind : kKinds) {
        for (const int stopped_ms : {90, 360, 570, 690, 900, 1950}) {
            LinkedStore link(kLateTimeout);
            link.set_window("k", "50");
            std::thread waker;
            link.at_next_write([&] {
                link.server.pause();
                waker = std::thread([&link, stopped_ms] {
                    std::this_thread::sleep_for(milliseconds(stopped_ms));
                    link.server.resume();
                });
            });
            const auto result = link.write(kind);
            waker.join();
            link.settle();
            INFO(domain::name_of(kind) << " stopped for " << stopped_ms << " ms: " << store::name_of(result.status));
            const auto value = link.value("k");
            if (result.status == WriteStatus::applied) CHECK(value == LinkedStore::after(kind));
            if (result.status != WriteStatus::applied) CHECK(value == "50");
            // It was there again before the finding out had to end.
            if (stopped_ms < 1000) CHECK(result.status != WriteStatus::unknown);
        }
    }
}

TEST_CASE("A server that sleeps through a write applies nothing when it wakes up") {
    for (const auto kind : kKinds) {
        LinkedStore link(kLateTimeout, debuggable());
        link.set_window("k", "50");
        link.at_next_write([&] { link.say({"DEBUG", "SLEEP", "2.1"}); });
        const auto result = [&] {
            const WithinPatience patience(kLateTimeout);
            return link.write(kind);
        }();
        CHECK(result.status == WriteStatus::unknown);
        std::this_thread::sleep_for(milliseconds(1000));
        check_never_touched(link);
    }
}

TEST_CASE("A server that holds back writes is known to have applied nothing") {
    for (const auto kind : kKinds) {
        LinkedStore link(kLateTimeout);
        link.set_window("k", "50");
        link.at_next_write([&] { link.server.command({"CLIENT", "PAUSE", "3000", "WRITE"}); });
        const LinkGauge gauge(link.proxy.endpoint());
        const auto result = [&] {
            const WithinPatience patience(kLateTimeout, 3);
            return link.write(kind);
        }();
        INFO("the machine kept the link waiting for " << gauge.late().count() / 1'000'000 << " ms");
        // A machine that is busy with others takes the time that finding out needs: what was written stays true.
        if (result.status != WriteStatus::unknown || gauge.late() < kLateTimeout / 3) {
            CHECK(result.status == WriteStatus::failed);
            CHECK(result.error->code == ExitCode::unavailable);
            CHECK(says(result, "nothing was written"));
        }
        link.server.command({"CLIENT", "UNPAUSE"});
        check_never_touched(link);
    }
}

TEST_CASE("A server that holds back everything is gone and applies nothing later") {
    LinkedStore link(kLateTimeout);
    link.set_window("k", "50");
    link.at_next_write([&] { link.server.command({"CLIENT", "PAUSE", "2100", "ALL"}); });
    const auto result = link.write(WriteKind::count);
    CHECK(result.status == WriteStatus::unknown);
    std::this_thread::sleep_for(milliseconds(1000));
    check_never_touched(link);
}

TEST_CASE("A request that the network delivers after we gave up is not carried out") {
    for (const auto kind : kKinds) {
        LinkedStore link(kLateTimeout);
        link.set_window("k", "50");
        // All attempts are held back until long after; meanwhile the server can be asked.
        link.proxy.choose([&](const LinkRequest& request) {
            if (!is_carried_out(link.server, request)) return LinkFault{};
            return LinkFault{FaultMode::delay_request, milliseconds(3000)};
        });
        const auto result = [&] {
            const WithinPatience patience(kLateTimeout, 3);
            return link.write(kind);
        }();
        CHECK(result.status == WriteStatus::failed);
        CHECK(result.attempts > 1);
        check_never_touched(link);
    }
}

TEST_CASE("A late reply is never taken for the answer to the next write") {
    LinkedStore link(kLateTimeout);
    REQUIRE(link.count("other").status == WriteStatus::applied);  // the server knows the script now
    link.proxy.hit_writes({FaultMode::delay_reply, milliseconds(1000)}, 1);
    const auto first = link.count("k", 3);
    CHECK(first.status == WriteStatus::applied);
    CHECK(first.resolved);
    CHECK(first.after.used == "3");
    const auto second = link.count("k", 4);
    CHECK(second.before.used == "3");
    CHECK(second.after.used == "7");
    const auto third = link.reset("k");
    CHECK(third.before.used == "7");
    CHECK(link.value("k") == "(nil)");
}

}  // namespace
}  // namespace ratectl::test
