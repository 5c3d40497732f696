// What a change leaves in the journal and in the audit log, and when it is not sent because it could not.
#include "commands/write/write_record.h"

#include "support/catch.h"
#include "support/digest.h"
#include "support/json.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using namespace ratectl::test;
using commands::WriteRecord;
using domain::WriteStatus;
using nlohmann::json;

namespace {

/// A log that takes so many lines and then no more.
class LoggedContext final : public FakeContext {
public:
    void audit(std::string_view line) override {
        if (lines_left == 0) throw support::Failure(support::ExitCode::local_io, "the log is full");
        --lines_left;
        FakeContext::audit(line);
    }
    std::size_t lines_left = 100;
};

/// Three items in two script calls: the first and last go to alpha, the other to beta.
struct Call {
    explicit Call(FakeContext& context)
        : record(context, commands::start_operation(context, domain::WriteKind::refund, "refund", "OP", "ticket 3")) {
        one.number = 1;
        one.items = {0, 2};
        two.number = 2;
        two.items = {1};
        results.resize(3);
        for (auto& result : results) result.status = WriteStatus::applied;
        record.expect({{5, "core:a", 1}, {6, std::string("core:\xFF\0", 7), 2}, {7, "core:c", 3}});
    }
    std::vector<store::SliceAt> slices() const {
        return {{&one, node("alpha", "10.0.0.1"), "run-a"}, {&two, node("beta", "10.0.0.2"), ""}};
    }
    static domain::Node node(const std::string& shard, const std::string& host) {
        domain::Node made;
        made.shard = shard;
        made.endpoint.host = host;
        return made;
    }

    store::Slice one;
    store::Slice two;
    WriteRecord record;
    std::vector<store::WriteResult> results;
};

std::vector<journal::Entry> entries_of(FakeContext& context) {
    std::vector<journal::Entry> found;
    context.journal().entries({}, [&found](const journal::Entry& entry) {
        found.push_back(entry);
        return true;
    });
    return found;
}

support::ExitCode record_refusal(Call& call) {
    try {
        call.record.before(call.slices());
    } catch (const support::Failure& failure) {
        CHECK(failure.error().message.find("nothing was sent") != std::string::npos);
        return failure.error().code;
    }
    return support::ExitCode::done;
}

}  // namespace

TEST_CASE("every window is on disk before it is sent and has its outcome afterwards") {
    FakeContext context;
    Call call(context);
    call.record.before(call.slices());
    auto entries = entries_of(context);
    REQUIRE(entries.size() == 3);
    for (const auto& entry : entries) CHECK_FALSE(entry.outcome);
    CHECK(entries[0].head.operation == domain::Operation{"OP", "tester", "testhost", "ticket 3"});
    CHECK(entries[0].head.command == "refund");
    CHECK(entries[0].head.deployment == "test");
    CHECK(entries[1].intent.row == 6);
    CHECK(entries[1].intent.slice == 2);
    CHECK(entries[1].intent.shard == "beta");
    CHECK(entries[1].intent.node == "10.0.0.2:6379");
    CHECK(entries[1].intent.key == std::string("core:\xFF\0", 7));
    CHECK(entries[1].intent.amount == 2);
    CHECK(entries[2].intent.run_id == "run-a");

    call.results[0].before.used = "9";
    call.results[0].taken = 1;
    call.results[1].status = WriteStatus::refused;
    call.results[1].reason = "below-zero";
    call.results[2].status = WriteStatus::not_attempted;
    call.record.after(call.slices(), call.results);
    CHECK_FALSE(call.record.failure());
    entries = entries_of(context);
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].outcome->before.used == "9");
    CHECK(entries[0].outcome->taken == 1);
    CHECK(entries[1].outcome->status == WriteStatus::refused);
    CHECK(entries[1].outcome->reason == "below-zero");
    CHECK(context.audited.empty());
}

TEST_CASE("the audit log gets the same record as one line of ASCII before and after") {
    FakeContext context;
    context.given.audit = "syslog";
    Call call(context);
    call.record.before(call.slices());
    REQUIRE(context.audited.size() == 3);
    call.results[1].status = WriteStatus::refused;
    call.record.after(call.slices(), call.results);
    REQUIRE(context.audited.size() == 6);
    for (const auto& line : context.audited) {
        for (const char c : line) CHECK((c >= ' ' && c <= '~'));
    }
    const auto intent = parse_json(context.audited[2]);
    CHECK(intent.at("op") == "OP/6");
    CHECK(intent.at("status") == "intent");
    CHECK(intent.at("key_b64") == "Y29yZTr/AA==");
    CHECK(intent.at("actor") == "tester");
    CHECK(intent.at("reason_text") == "ticket 3");
    CHECK(parse_json(context.audited[3]).at("status") == "applied");
    CHECK(parse_json(context.audited[5]).at("status") == "refused");
}

TEST_CASE("a log that takes no record means that nothing is sent") {
    LoggedContext context;
    context.given.audit = "syslog";
    context.lines_left = 2;
    Call call(context);
    CHECK(record_refusal(call) == support::ExitCode::local_io);
    CHECK(entries_of(context).empty());
}

TEST_CASE("a log that fails afterwards is told and does not lose what was written") {
    LoggedContext context;
    context.given.audit = "syslog";
    context.lines_left = 4;
    Call call(context);
    call.record.before(call.slices());
    call.record.after(call.slices(), call.results);
    REQUIRE(call.record.failure());
    CHECK(call.record.failure()->code == support::ExitCode::local_io);
    CHECK(call.record.failure()->message.find("not recorded") != std::string::npos);
    for (const auto& entry : entries_of(context)) CHECK(entry.outcome);
}

TEST_CASE("an audit log that does not exist is a usage error before anything happens") {
    FakeContext context;
    context.given.audit = "paper";
    CHECK_THROWS_AS(Call(context), support::Failure);
}

TEST_CASE("an id that another command has is refused before anything is sent") {
    FakeContext context;
    journal::OperationHead other =
        commands::start_operation(context, domain::WriteKind::reset, "reset", "OP", std::nullopt);
    context.journal().begin(other);
    Call call(context);
    CHECK(record_refusal(call) == support::ExitCode::guard);
    CHECK(entries_of(context).empty());
}

TEST_CASE("an operation has a fresh id unless one is named and bad ones are refused") {
    FakeContext context;
    const auto start = [&context](const std::optional<std::string>& id) {
        return commands::start_operation(context, domain::WriteKind::reset, "reset", id, std::nullopt).operation.id;
    };
    CHECK(start(std::nullopt) != start(std::nullopt));
    CHECK(start("mine") == "mine");
    CHECK_THROWS_AS(start("a.b"), support::Failure);
    CHECK_THROWS_AS(start(""), support::Failure);
}

TEST_CASE("a secret client is in no record whether or not it is shown") {
    for (const bool masked : {true, false}) {
        FakeContext context;
        context.given.audit = "syslog";
        auto policies = context.configured.policies.policies();
        policies[0].secret = true;
        policies[0].masked = masked;
        context.configured.policies = domain::PolicyBook(policies);
        Call call(context);
        call.record.expect({{5, "core:tokSECRET", 1}, {6, "core:b", 2}, {7, "search:open", 3}});
        call.record.before(call.slices());
        call.record.after(call.slices(), call.results);
        const auto entries = entries_of(context);
        REQUIRE(entries.size() == 3);
        CHECK(entries[0].intent.key == "core:" + support::fingerprint("tokSECRET"));
        CHECK(entries[2].intent.key == "search:open");
        CHECK(context.audited.size() == 6);
        for (const auto& line : context.audited) CHECK(line.find("tokSECRET") == std::string::npos);
    }
}
