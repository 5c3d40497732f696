// The journal remembers what it was told, survives resumes, and answers questions.
#include "journal/journal.h"

#include "support/catch.h"
#include "unit/journal/sample_entries.h"

using namespace ratectl;
using namespace ratectl::test;
using domain::WriteStatus;

namespace {

struct OpenJournal : JournalFolder {
    Journal journal{file()};

    void begin_and_intend(const std::string& id, std::vector<Intent> intents, std::int64_t started_ms = 1000) {
        journal.begin(reset_head(id, started_ms));
        journal.intend(id, intents);
    }
    std::optional<WriteStatus> status(const std::string& id, std::uint64_t row) {
        Question question;
        question.operation = id;
        question.from_row = question.to_row = row;
        const auto entries = all(journal, question);
        if (entries.size() != 1 || !entries[0].outcome) return std::nullopt;
        return entries[0].outcome->status;
    }
};

std::string ids(const std::vector<Entry>& entries) {
    std::string text;
    for (const auto& entry : entries) text += entry.head.operation.id + "/" + std::to_string(entry.intent.row) + " ";
    return text;
}

}  // namespace

TEST_CASE("everything that was recorded is read back byte for byte") {
    OpenJournal open;
    OperationHead head = reset_head("OP");
    head.operation.reason = "l\xC3\xA4ngst \xFF f\xC3\xA4llig";
    head.undoes = "EARLIER";
    open.journal.begin(head);
    Intent one = intent(1, std::string("a\0b\xFF", 4));
    one.amount = 9007199254740991;
    open.journal.intend("OP", std::vector{one});
    Outcome result = removed(1, "not a number", "");
    result.after = {std::nullopt, "17", std::nullopt, -5};
    result.taken = 3;
    result.reason = "because";
    open.journal.conclude("OP", std::vector{result});

    const auto entries = all(open.journal);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].head == head);
    CHECK(entries[0].intent.key == one.key);
    CHECK(entries[0].intent.amount == one.amount);
    CHECK(entries[0].intent.slice == 1);
    CHECK(entries[0].intent.shard == "alpha");
    CHECK(entries[0].intent.node == "10.0.0.1:6379");
    CHECK(entries[0].intent.run_id == "run-a");
    CHECK(entries[0].intent.at == at_ms(1500));
    CHECK(entries[0].intent.fingerprint == "call 1");
    REQUIRE(entries[0].outcome);
    CHECK(entries[0].outcome->before == result.before);
    CHECK(entries[0].outcome->after == result.after);
    CHECK(entries[0].outcome->taken == 3);
    CHECK(entries[0].outcome->reason == "because");
    CHECK(entries[0].outcome->at == at_ms(2000));
}

TEST_CASE("an intent without an outcome is an entry without one") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "k")});
    const auto entries = all(open.journal);
    REQUIRE(entries.size() == 1);
    CHECK_FALSE(entries[0].outcome);
}

TEST_CASE("what is written is there for whoever opens the file next") {
    JournalFolder folder;
    {
        Journal first(folder.file());
        first.begin(reset_head("OP"));
        first.intend("OP", std::vector{intent(1, "k")});
    }
    Journal second(folder.file());
    CHECK(all(second).size() == 1);
    CHECK(second.find("OP") == reset_head("OP"));
    CHECK_FALSE(second.find("OTHER"));
}

TEST_CASE("a resume keeps the first head and another change under the same id is refused") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "k")});
    OperationHead again = reset_head("OP", 9000);
    again.operation.actor = "bob";
    again.operation.reason = "";
    open.journal.begin(again);
    CHECK(open.journal.find("OP") == reset_head("OP"));
    again.op_keys = false;
    open.journal.begin(again);
    open.journal.begin(reset_head("OP"));
    CHECK_FALSE(open.journal.find("OP")->op_keys);
    const auto refused = [&open](OperationHead other) {
        try {
            open.journal.begin(other);
        } catch (const support::Failure& failure) {
            return failure.error().code == support::ExitCode::guard;
        }
        return false;
    };
    OperationHead other = reset_head("OP");
    other.kind = domain::WriteKind::refund;
    CHECK(refused(other));
    other = reset_head("OP");
    other.deployment = "staging";
    CHECK(refused(other));
    other = reset_head("OP");
    other.command = "apply";
    CHECK(refused(other));
}

// An undo that was refused at first stood in history with the time and the reason of that attempt.
TEST_CASE("an operation under which nothing was written begins anew when it is repeated") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "k")});
    open.journal.conclude("OP", std::vector{outcome(1, WriteStatus::window_changed)});
    OperationHead again = reset_head("OP", 9000);
    again.operation.actor = "bob";
    again.operation.reason = "ticket 8";
    again.op_keys = false;
    open.journal.begin(again);
    CHECK(open.journal.find("OP") == again);
    open.journal.intend("OP", std::vector{intent(1, "k")});
    for (const auto status : {WriteStatus::unknown, WriteStatus::applied}) {
        open.journal.begin(reset_head("OP", 20000));
        CHECK(open.journal.find("OP") == again);
        open.journal.conclude("OP", std::vector{outcome(1, status)});
    }
    open.journal.begin(reset_head("OP", 20000));
    CHECK(open.journal.find("OP") == again);
}

TEST_CASE("an undo goes on under its id and the undo of anything else does not") {
    OpenJournal open;
    OperationHead undo = reset_head("UNDO");
    undo.undoes = "ONE";
    open.journal.begin(undo);
    open.journal.begin(undo);
    undo.undoes = "OTHER";
    auto code = support::ExitCode::done;
    try {
        open.journal.begin(undo);
    } catch (const support::Failure& failure) {
        code = failure.error().code;
    }
    CHECK(code == support::ExitCode::guard);
    CHECK(open.journal.find("UNDO")->undoes == "ONE");
}

TEST_CASE("a row that was applied stays as it is whatever a resume says") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "k")});
    open.journal.conclude("OP", std::vector{removed(1, "41", "1700")});
    Intent elsewhere = intent(1, "k");
    elsewhere.node = "10.9.9.9:6379";
    open.journal.intend("OP", std::vector{elsewhere});
    for (const auto status : {WriteStatus::already_applied, WriteStatus::refused, WriteStatus::unknown,
                              WriteStatus::not_attempted, WriteStatus::failed})
        open.journal.conclude("OP", std::vector{outcome(1, status)});
    const auto entries = all(open.journal);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].intent.node == "10.0.0.1:6379");
    CHECK(entries[0].outcome->status == WriteStatus::applied);
    CHECK(entries[0].outcome->before.used == "41");
}

TEST_CASE("an unknown outcome is replaced once somebody knows") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "k")});
    open.journal.conclude("OP", std::vector{outcome(1, WriteStatus::unknown)});
    open.journal.conclude("OP", std::vector{removed(1, "41", "1700")});
    CHECK(open.status("OP", 1) == WriteStatus::applied);
}

TEST_CASE("what becomes known of a row stays when its neighbour turns out not to have been sent") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "k"), intent(2, "never")});
    open.journal.conclude("OP", std::vector{outcome(1, WriteStatus::unknown)});
    open.journal.conclude("OP", std::vector{removed(1, "41", "1700"), outcome(2, WriteStatus::not_attempted)});
    CHECK(ids(all(open.journal)) == "OP/1 ");
    CHECK(open.status("OP", 1) == WriteStatus::applied);
}

TEST_CASE("a row that was refused is open again once it is about to be sent again") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "k"), intent(2, "l")});
    open.journal.conclude("OP", std::vector{outcome(1, WriteStatus::refused), outcome(2, WriteStatus::unknown)});
    Intent elsewhere = intent(1, "k");
    elsewhere.run_id = "run-b";
    open.journal.intend("OP", std::vector{elsewhere, intent(2, "l")});
    const auto entries = all(open.journal);
    REQUIRE(entries.size() == 2);
    CHECK_FALSE(entries[0].outcome);
    CHECK(entries[0].intent.run_id == "run-b");
    REQUIRE(entries[1].outcome);
    CHECK(entries[1].outcome->status == WriteStatus::unknown);
}

TEST_CASE("rows that were never sent leave no trace and those that may have been do") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "fresh"), intent(2, "open"), intent(3, "unknown")});
    open.journal.conclude("OP", std::vector{outcome(1, WriteStatus::not_attempted)});
    CHECK(ids(all(open.journal)) == "OP/2 OP/3 ");
    open.journal.conclude("OP", std::vector{outcome(3, WriteStatus::unknown)});
    // The next run wants to send them again and does not get so far.
    open.journal.intend("OP", std::vector{intent(1, "fresh"), intent(2, "open"), intent(3, "unknown")});
    open.journal.conclude("OP",
                          std::vector{outcome(1, WriteStatus::not_attempted), outcome(2, WriteStatus::not_attempted),
                                      outcome(3, WriteStatus::not_attempted)});
    CHECK(ids(all(open.journal)) == "OP/2 OP/3 ");
    CHECK_FALSE(open.status("OP", 2));
    CHECK(open.status("OP", 3) == WriteStatus::unknown);
}

TEST_CASE("the oldest operation comes first and its rows in order") {
    OpenJournal open;
    open.begin_and_intend("OLD", {intent(2, "b"), intent(1, "a")}, 1000);
    open.begin_and_intend("NEW", {intent(10, "c"), intent(9, "a")}, 2000);
    CHECK(ids(all(open.journal)) == "OLD/1 OLD/2 NEW/9 NEW/10 ");
    std::size_t seen = 0;
    open.journal.entries({}, [&seen](const Entry&) { return ++seen < 2; });
    CHECK(seen == 2);
}

TEST_CASE("the newest first is exactly the other way round although calls interleave") {
    OpenJournal open;
    open.begin_and_intend("OLD", {intent(1, "a"), intent(4, "b"), intent(6, "c")}, 1000);
    open.journal.intend("OLD", std::vector{intent(2, "d"), intent(3, "e"), intent(5, "f")});
    open.journal.intend("OLD", std::vector{intent(7, "g")});
    open.begin_and_intend("NEW", {intent(1, "a"), intent(2, "h")}, 2000);
    CHECK(ids(all(open.journal)) == "OLD/1 OLD/2 OLD/3 OLD/4 OLD/5 OLD/6 OLD/7 NEW/1 NEW/2 ");
    Question question;
    question.newest_first = true;
    CHECK(ids(all(open.journal, question)) == "NEW/2 NEW/1 OLD/7 OLD/6 OLD/5 OLD/4 OLD/3 OLD/2 OLD/1 ");
    question.from_row = 3;
    question.to_row = 6;
    CHECK(ids(all(open.journal, question)) == "OLD/6 OLD/5 OLD/4 OLD/3 ");
}

TEST_CASE("questions narrow by operation row key deployment and time") {
    OpenJournal open;
    open.begin_and_intend("OLD", {intent(1, "a"), intent(2, "b"), intent(3, "c")}, 1000);
    auto other = reset_head("NEW", 2000);
    other.deployment = "staging";
    open.journal.begin(other);
    open.journal.intend("NEW", std::vector{intent(1, "a")});
    const auto found = [&open](auto narrow) {
        Question question;
        narrow(question);
        return ids(all(open.journal, question));
    };
    CHECK(found([](Question& q) { q.operation = "OLD"; }) == "OLD/1 OLD/2 OLD/3 ");
    CHECK(found([](Question& q) { q.operation = "OL"; }).empty());
    CHECK(found([](Question& q) { q.from_row = 2; }) == "OLD/2 OLD/3 ");
    CHECK(found([](Question& q) { q.from_row = 2, q.to_row = 2; }) == "OLD/2 ");
    CHECK(found([](Question& q) { q.key = "a"; }) == "OLD/1 NEW/1 ");
    CHECK(found([](Question& q) { q.key = "%"; }).empty());
    CHECK(found([](Question& q) { q.deployment = "staging"; }) == "NEW/1 ");
    CHECK(found([](Question& q) { q.since = at_ms(1001); }) == "NEW/1 ");
    CHECK(found([](Question& q) { q.until = at_ms(1000); }) == "OLD/1 OLD/2 OLD/3 ");
    CHECK(found([](Question& q) { q.key = "a", q.since = at_ms(1000), q.until = at_ms(1000); }) == "OLD/1 ");
}

TEST_CASE("a resume is told which rows it need not send again") {
    OpenJournal open;
    open.begin_and_intend("OP", {intent(1, "a"), intent(2, "b"), intent(3, "c"), intent(4, "d")});
    open.journal.conclude("OP", std::vector{removed(1, "1", "2"), outcome(2, WriteStatus::already_applied),
                                            outcome(3, WriteStatus::unknown), removed(4, "1", "2")});
    CHECK(open.journal.applied_rows("OP", 1, UINT64_MAX) == std::vector<std::uint64_t>{1, 2, 4});
    CHECK(open.journal.applied_rows("OP", 2, 3) == std::vector<std::uint64_t>{2});
    CHECK(open.journal.applied_rows("OTHER", 1, 9).empty());
}

TEST_CASE("half an id finds the operations that begin so") {
    OpenJournal open;
    open.journal.begin(reset_head("01AAA", 1));
    open.journal.begin(reset_head("01AAB", 2));
    open.journal.begin(reset_head("01B_%", 3));
    CHECK(open.journal.operations_like("01A", 9) == std::vector<std::string>{"01AAB", "01AAA"});
    CHECK(open.journal.operations_like("01A", 1) == std::vector<std::string>{"01AAB"});
    CHECK(open.journal.operations_like("01B_", 9) == std::vector<std::string>{"01B_%"});
    CHECK(open.journal.operations_like("0_", 9).empty());
}

TEST_CASE("an operation knows which others take it back") {
    OpenJournal open;
    open.journal.begin(reset_head("OP", 1));
    for (const std::string id : {"UNDO-2", "UNDO-1"}) {
        auto undo = reset_head(id, id == "UNDO-1" ? 2 : 3);
        undo.undoes = "OP";
        open.journal.begin(undo);
    }
    const auto undone = open.journal.undone_by("OP");
    REQUIRE(undone.size() == 2);
    CHECK(undone[0].operation.id == "UNDO-1");
    CHECK(undone[1].operation.id == "UNDO-2");
    CHECK(open.journal.undone_by("UNDO-1").empty());
}

TEST_CASE("nothing can be intended for an operation that was never begun") {
    OpenJournal open;
    CHECK_THROWS_AS(open.journal.intend("OP", std::vector{intent(1, "k")}), support::Failure);
    CHECK(all(open.journal).empty());
}

TEST_CASE("the journal lives below the state folder and needs an absolute one") {
    CHECK(journal::default_path("/state", "/home/me") == "/state/ratectl/journal.db");
    CHECK(journal::default_path(std::nullopt, "/home/me") == "/home/me/.local/state/ratectl/journal.db");
    CHECK(journal::default_path("relative", "/home/me") == "/home/me/.local/state/ratectl/journal.db");
    CHECK_THROWS_AS(journal::default_path("", std::nullopt), support::Failure);
}
