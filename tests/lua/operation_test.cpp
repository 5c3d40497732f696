// What an operation key promises on a real server: how long it stays, whom it answers, and that nothing happens without
// it.
#include "lua/window_fixture.h"
#include "schemes/operation_key.h"
#include "schemes/window/window_scheme.h"

namespace ratectl::test {
namespace {

using domain::WriteStatus;
using schemes::CallHead;
using schemes::CallStatus;
using support::from_epoch;

constexpr std::uint32_t kOperationSeed = 3;
constexpr std::int64_t kTenMinutesMs = 600'000;
constexpr std::int64_t kDayMs = 86'400'000;

CallHead head_of(const std::string& operation) {
    return {domain::SliceId{operation, 1}, {}, "print", "ann", "here", "a ticket"};
}

domain::CountItem open_item(const std::string& key, std::int64_t amount, std::int64_t now, std::int64_t lasts_s) {
    return {{key, 0}, amount, from_epoch(now + lasts_s), from_epoch(now)};
}

redis::ScriptCall call_of(const schemes::Scheme& scheme, const std::vector<domain::CountItem>& items,
                          const CallHead& head) {
    std::vector<const domain::CountItem*> all;
    for (const auto& item : items) all.push_back(&item);
    return scheme.count_call(all, head);
}
redis::ScriptCall call_of(const schemes::Scheme& scheme, const std::vector<domain::RefundItem>& items,
                          const CallHead& head) {
    std::vector<const domain::RefundItem*> all;
    for (const auto& item : items) all.push_back(&item);
    return scheme.refund_call(all, head);
}
redis::ScriptCall call_of(const schemes::Scheme& scheme, const std::vector<domain::ResetItem>& items,
                          const CallHead& head) {
    std::vector<const domain::ResetItem*> all;
    for (const auto& item : items) all.push_back(&item);
    return scheme.reset_call(all, head);
}
redis::ScriptCall call_of(const schemes::Scheme& scheme, const std::vector<domain::RestoreItem>& items,
                          const CallHead& head) {
    std::vector<const domain::RestoreItem*> all;
    for (const auto& item : items) all.push_back(&item);
    return scheme.restore_call(all, head);
}

domain::ResetItem reset_item(const std::string& key) { return {{key, 0}, std::nullopt, std::nullopt}; }

template <class Item>
schemes::WriteAnswers write(WindowFixture& fixture, const std::vector<Item>& items, const CallHead& head) {
    auto answers = fixture.answers(call_of(fixture.scheme(), items, head));
    REQUIRE(answers.has_value());
    return std::move(*answers);
}

std::int64_t stays_ms(WindowFixture& fixture, const CallHead& head) {
    return *support::parse_decimal(fixture.server().command({"PTTL", schemes::operation_key(*head.id)}));
}

bool about(std::int64_t value, std::int64_t wanted) { return value <= wanted && value > wanted - 5'000; }

domain::OperationRecord record_of(WindowFixture& fixture, const CallHead& head) {
    const auto bytes = fixture.server().reply({"GET", schemes::operation_key(*head.id)}).text;
    return support::value_or_throw(schemes::decode_operation(*head.id, bytes));
}

/// Undo, as it is done from another machine: from what the operation key says.
std::vector<domain::RestoreItem> undo_of(const domain::OperationRecord& record, std::int64_t now) {
    std::vector<domain::RestoreItem> items;
    for (const auto& window : record.windows) {
        if (window.status == WriteStatus::applied)
            items.push_back({{window.key, 0}, window.before, false, from_epoch(now)});
    }
    return items;
}

TEST_CASE("An operation key stays for what is left of the longest window but 10 minutes at least and a day at most") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    const auto opened = [&](const std::string& id, const std::vector<domain::CountItem>& items) {
        write(fixture, items, head_of(id));
        return stays_ms(fixture, head_of(id));
    };
    CHECK(about(opened("SHORT", {open_item("a", 1, now, 60)}), kTenMinutesMs));
    CHECK(about(opened("LONGEST", {open_item("b", 1, now, 7200), open_item("c", 1, now, 900)}), 7'200'000));
    CHECK(about(opened("WEEK", {open_item("d", 1, now, 7 * 86'400)}), kDayMs));
    CHECK(about(opened("OLD", {open_item("b", 1, now, 90'000)}), 7'200'000));

    write(fixture, std::vector<domain::RefundItem>{{{"b", 0}, 1, from_epoch(now + 7200), false, from_epoch(now)}},
          head_of("REFUND"));
    CHECK(about(stays_ms(fixture, head_of("REFUND")), 7'200'000));
    write(fixture, std::vector<domain::ResetItem>{reset_item("b")}, head_of("RESET"));
    CHECK(about(stays_ms(fixture, head_of("RESET")), 7'200'000));
    write(fixture, undo_of(record_of(fixture, head_of("RESET")), now), head_of("UNDO"));
    CHECK(about(stays_ms(fixture, head_of("UNDO")), 7'200'000));
}

TEST_CASE("An operation key stays a day where a removed window does not say when it ends") {
    WindowFixture fixture(kOperationSeed);
    fixture.server().command({"SET", "orphan", "5"});
    write(fixture, std::vector<domain::ResetItem>{reset_item("orphan")}, head_of("RESET"));
    CHECK(about(stays_ms(fixture, head_of("RESET")), kDayMs));
}

TEST_CASE("A call that writes no window leaves no operation key and says the same again") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    fixture.server().command({"SET", "text", "abc"});
    for (int n = 0; n < 2; ++n) {
        const auto answers =
            write(fixture, std::vector<domain::CountItem>{open_item("text", 1, now, 60)}, head_of("NOTHING"));
        CHECK(answers.status == CallStatus::done);
        CHECK(answers.windows.at(0).reason == "not-an-integer");
    }
    CHECK(fixture.server().command({"KEYS", "*"}) == "text");
}

TEST_CASE("A call that may come again remembers also that it has written nothing") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    auto head = head_of("AGAIN");
    head.repeatable = true;
    const auto first = write(fixture, std::vector<domain::ResetItem>{reset_item("k")}, head);
    CHECK(first.status == CallStatus::done);
    CHECK(first.windows.at(0).reason == "absent");
    CHECK(about(stays_ms(fixture, head), 600'000));
    write(fixture, std::vector<domain::CountItem>{open_item("k", 3, now, 60)}, head_of("OTHER"));
    const auto again = write(fixture, std::vector<domain::ResetItem>{reset_item("k")}, head);
    CHECK(again.status == CallStatus::already);
    CHECK(again.windows.at(0).reason == "absent");
    CHECK(fixture.server().command({"GET", "k"}) == "3");
    // An undo, with nothing to put back, leaves no list beside its own key.
    auto undo = head_of("UNDO");
    undo.repeatable = true;
    undo.undoes = head.id;
    const auto taken =
        write(fixture, std::vector<domain::RestoreItem>{{{"text", 0}, {}, false, from_epoch(now)}}, undo);
    CHECK(taken.status == CallStatus::done);
    CHECK(fixture.server().command({"KEYS", "*undone"}).empty());
}

TEST_CASE("A repeated call does nothing although its window has gone on since") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    const std::vector<domain::CountItem> items{open_item("k", 3, now, 60)};
    write(fixture, items, head_of("ONE"));
    write(fixture, items, head_of("TWO"));
    const auto again = write(fixture, items, head_of("ONE"));
    CHECK(again.status == CallStatus::already);
    CHECK(again.windows.at(0).status == WriteStatus::already_applied);
    CHECK(again.windows.at(0).after.used == "3");
    CHECK(fixture.read("k").counter.value == "6");
}

TEST_CASE("A call with fewer or other windows of its operation is answered window by window") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    write(fixture, std::vector{open_item("a", 1, now, 60), open_item("b", 2, now, 60), open_item("c", 3, now, 60)},
          head_of("ONE"));
    const auto before = fixture.snapshot();
    const auto again =
        write(fixture, std::vector{open_item("c", 3, now, 60), open_item("new", 1, now, 60)}, head_of("ONE"));
    CHECK(again.status == CallStatus::already);
    CHECK(again.windows.at(0).after.used == "3");
    CHECK(again.windows.at(1).status == WriteStatus::refused);
    CHECK(again.windows.at(1).reason == "other-operation");
    CHECK(fixture.snapshot() == before);
}

TEST_CASE("An operation key of another format is not taken for one of ours") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    const std::vector<domain::ResetItem> items{reset_item("k")};
    write(fixture, std::vector{open_item("k", 3, now, 60)}, {});
    write(fixture, items, head_of("ONE"));
    const auto key = schemes::operation_key(*head_of("ONE").id);
    const auto record = fixture.server().reply({"GET", key}).text;
    REQUIRE(record.starts_with("1:3"));
    fixture.server().command({"SET", key, "1:1" + record.substr(3)});
    const auto again = write(fixture, items, head_of("ONE"));
    CHECK(again.status == CallStatus::other_operation);
    CHECK(again.windows.empty());
}

TEST_CASE("An operation key that holds anything else keeps everything as it is") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    const std::vector<domain::CountItem> count{open_item("k", 3, now, 60)};
    const std::vector<domain::ResetItem> items{reset_item("k")};
    write(fixture, count, {});
    const auto key = schemes::operation_key(*head_of("ONE").id);
    write(fixture, items, head_of("ONE"));
    const auto record = fixture.server().reply({"GET", key}).text;
    const auto refused = [&](const auto& of_call) {
        const auto before = fixture.snapshot();
        const auto answers = write(fixture, of_call, head_of("ONE"));
        CHECK(answers.windows.empty());
        CHECK(fixture.snapshot() == before);
        return answers.status == CallStatus::other_operation;
    };
    CHECK(refused(count));
    std::vector<std::string> odd_values{"abc", "1:2" + record.substr(3), record + "-", "99999999999:x"};
    for (std::size_t size = 0; size < record.size(); ++size) odd_values.push_back(record.substr(0, size));
    for (const auto& odd : odd_values) {
        fixture.server().command({"SET", key, odd});
        CHECK(refused(items));
    }
    fixture.server().command({"DEL", key});
    fixture.server().command({"RPUSH", key, record});
    CHECK(refused(items));
}

// Two undos that were both about to be sent, from two machines.
TEST_CASE("A window that an undo has taken back is answered as it was then to every other undo of its call") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    const auto ends = from_epoch(now + 7200);
    write(fixture,
          std::vector{open_item("a", 5, now, 7200), open_item("b", 6, now, 7200), open_item("c", 7, now, 7200)},
          head_of("ONE"));
    const auto undo = [&](const std::string& id, const std::vector<std::string>& keys) {
        std::vector<domain::RefundItem> items;
        for (const auto& key : keys) items.push_back({{key, 0}, 2, ends, false, from_epoch(now)});
        auto head = head_of(id);
        head.undoes = domain::SliceId{"ONE", 1};
        return write(fixture, items, head);
    };
    CHECK(undo("FIRST", {"a"}).windows.at(0).after.used == "3");
    const auto second = undo("SECOND", {"c", "a", "b"});
    CHECK(second.status == CallStatus::done);
    CHECK(second.windows.at(0).after.used == "5");
    CHECK(second.windows.at(1).status == WriteStatus::already_applied);
    CHECK(second.windows.at(1).reason == "already-undone");
    CHECK(second.windows.at(1).before.used == "5");
    CHECK(second.windows.at(1).after.used == "3");
    CHECK(second.windows.at(2).after.used == "4");
    const auto before = fixture.snapshot();
    for (const auto& window : undo("THIRD", {"a", "b", "c"}).windows) CHECK(window.reason == "already-undone");
    CHECK(fixture.snapshot() == before);
    const domain::SliceId one{"ONE", 1};
    CHECK(about(*support::parse_decimal(fixture.server().command({"PTTL", schemes::undone_key(one)})), 7'200'000));
    const auto list = fixture.server().reply({"GET", schemes::undone_key(one)}).text;
    CHECK(support::value_or_throw(schemes::decode_operation(one, list)).windows.size() == 3);

    fixture.server().command({"SET", schemes::undone_key(one), "1:2" + list});
    CHECK(undo("FOURTH", {"a"}).status == CallStatus::other_operation);
    fixture.server().command({"DEL", schemes::undone_key(one)});
    fixture.server().command({"RPUSH", schemes::undone_key(one), list});
    CHECK(undo("FOURTH", {"a"}).status == CallStatus::other_operation);
    CHECK(fixture.read("a").counter.value == "3");
}

TEST_CASE("A call is in time until the very millisecond of its deadline has passed") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    auto head = head_of("ONE");
    head.deadline_ms = fixture.server_ms() - 1;
    const std::vector<domain::CountItem> items{open_item("k", 3, now, 60)};
    const auto late = write(fixture, items, head);
    CHECK(late.status == CallStatus::late);
    CHECK(late.server_time_ms > *head.deadline_ms);
    CHECK(fixture.server().command({"DBSIZE"}) == "0");
    head.deadline_ms = fixture.server_ms() + 30'000;
    CHECK(write(fixture, items, head).status == CallStatus::done);
    head.deadline_ms = fixture.server_ms() - 1;
    CHECK(write(fixture, items, head).status == CallStatus::late);
}

TEST_CASE("One key twice in a call is refused before anything happens") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    for (const auto& other : {"a", "a:exp"}) {
        const auto reply = fixture.call(call_of(
            fixture.scheme(), std::vector{open_item("a", 1, now, 60), open_item(other, 1, now, 60)}, head_of("ONE")));
        CHECK(reply.text == "ERR one key occurs twice in a call");
        CHECK(fixture.server().command({"DBSIZE"}) == "0");
    }
}

TEST_CASE("A hundred windows pass through every script in one call and come back exactly") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    std::vector<domain::CountItem> counts;
    std::vector<domain::RefundItem> refunds;
    std::vector<domain::ResetItem> resets;
    for (int i = 0; i < 100; ++i) {
        const auto key = "w" + std::to_string(i);
        counts.push_back(open_item(key, 100 + i, now, 60 + i));
        refunds.push_back({{key, 0}, i, counts.back().next_reset, false, from_epoch(now)});
        resets.push_back(reset_item(key));
    }
    const auto all_applied = [](const schemes::WriteAnswers& answers) {
        return std::all_of(answers.windows.begin(), answers.windows.end(),
                           [](const auto& window) { return window.status == WriteStatus::applied; });
    };
    const CallHead no_key;
    CHECK(all_applied(write(fixture, counts, no_key)));
    CHECK(all_applied(write(fixture, refunds, no_key)));
    CHECK(fixture.read("w99").counter.value == "100");
    const auto before = fixture.snapshot();
    CHECK(all_applied(write(fixture, resets, head_of("RESET"))));
    CHECK(fixture.server().command({"DBSIZE"}) == "1");
    const auto record = record_of(fixture, head_of("RESET"));
    CHECK(record.windows.size() == 100);
    CHECK(all_applied(write(fixture, undo_of(record, now), no_key)));
    fixture.server().command({"DEL", schemes::operation_key(*head_of("RESET").id)});
    CHECK(fixture.snapshot() == before);
}

void reset_and_undo(std::uint32_t seed) {
    WindowFixture fixture(seed);
    for (int n = 0; n < 40; ++n) {
        fixture.server().command({"FLUSHALL"});
        const auto now = fixture.server_seconds();
        std::vector<domain::ResetItem> resets;
        for (int i = 0; i < 20; ++i) {
            // Windows that are over are not put back.
            StoredKeys keys;
            const auto key = "w" + std::to_string(i);
            do keys = fixture.randomize(key, now);
            while (keys.expiry.number().value_or(now) < now);
            resets.push_back(reset_item(key));
        }
        const auto before = fixture.snapshot();
        write(fixture, resets, head_of("RESET"));
        const auto record = record_of(fixture, head_of("RESET"));
        write(fixture, undo_of(record, now), head_of("UNDO"));
        fixture.server().command({"DEL", "ratectl:op:RESET.1", "ratectl:op:UNDO.1"});
        CHECK(fixture.snapshot() == before);
    }
}

TEST_CASE("What a reset removed comes back byte for byte and to the millisecond, orphans and odd values too") {
    reset_and_undo(kOperationSeed);
}

TEST_CASE("A merge leaves what would stand there had nobody reset the window") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    for (const auto& key : {"reset", "spared"}) {
        write(fixture, std::vector{open_item(key, 40, now, 600)}, {});
        if (key == std::string("reset")) write(fixture, std::vector{reset_item(key)}, head_of("RESET"));
        write(fixture, std::vector{open_item(key, 2, now + 5, 600)}, {});
    }
    auto undo = undo_of(record_of(fixture, head_of("RESET")), now);
    CHECK(write(fixture, undo, head_of("PLAIN")).windows.at(0).reason == "window-there");
    undo.at(0).merge = true;
    const auto merged = write(fixture, undo, head_of("MERGE"));
    CHECK(merged.windows.at(0).status == WriteStatus::applied);
    CHECK(merged.windows.at(0).before.used == "2");
    CHECK(merged.windows.at(0).before.expires[0] == (now + 606) * 1000);
    CHECK(fixture.read("reset").counter.value == "42");
    CHECK(fixture.read("reset") == fixture.read("spared"));
    undo.at(0).now = undo.at(0).now + support::Seconds(601);
    CHECK(write(fixture, undo, head_of("CLOSED")).windows.at(0).reason == "closed");
}

TEST_CASE("Halves of 64 KiB are removed and put back and one byte more is refused") {
    WindowFixture fixture(kOperationSeed);
    const auto now = fixture.server_seconds();
    fixture.server().command({"SET", "k", std::string(65536, '\n')});
    fixture.server().command({"SET", "k:exp", std::string(65536, ':'), "PX", "777777"});
    const auto before = fixture.snapshot();
    write(fixture, std::vector{reset_item("k")}, head_of("RESET"));
    auto undo = undo_of(record_of(fixture, head_of("RESET")), now);
    fixture.server().command({"DEL", "ratectl:op:RESET.1"});
    CHECK(fixture.server().command({"DBSIZE"}) == "0");
    auto larger = undo;
    larger.at(0).window.used->push_back('x');
    CHECK(write(fixture, larger, {}).windows.at(0).reason == "too-large");
    CHECK(write(fixture, undo, {}).windows.at(0).status == WriteStatus::applied);
    CHECK(fixture.snapshot() == before);
}

}  // namespace
}  // namespace ratectl::test
