// The rules of consent, one by one, without servers: who is asked what, and what answers it.
#include "commands/write/consent.h"

#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl;
using commands::Consent;
using commands::ConsentFlags;
using commands::WritePlan;
using config::WriteMode;
using support::ExitCode;
using support::Failure;
using test::contains;

namespace {

/// Only what consent looks at; everything else is a mistake of the test.
class AskedContext final : public commands::Context {
public:
    AskedContext() {
        configured.deployment = "production";
        configured.writes = WriteMode::confirm;
        configured.max_keys = 10;
    }
    const commands::GlobalOptions& options() const override { return given; }
    const config::Settings& settings() override { return configured; }
    store::Store& store() override { throw std::logic_error("no store here"); }
    config::Settings settings_of(const std::string&, bool) override { throw std::logic_error("one deployment only"); }
    std::unique_ptr<store::Store> store_of(const config::Settings&) override {
        throw std::logic_error("no store here");
    }
    commands::OpenDeployment open_deployment(const commands::DeploymentName&) override {
        throw std::logic_error("not asked for here");
    }
    output::ByteSink& out() override { return out_; }
    output::Diagnostics& messages() override { return messages_; }
    input::ByteSource& in() override { return in_; }
    output::SinkOptions sink_options(std::string_view) override { return {}; }
    support::WallTime wall_clock() override { return {}; }
    support::Moment now() override { return {}; }
    std::optional<std::string> env(const std::string&) const override { return std::nullopt; }
    const support::StopSignal& stop() const override { return stop_signal; }
    std::optional<std::string> ask(std::string_view question) override {
        questions.emplace_back(question);
        return answer;
    }
    bool stdout_is_terminal() const override { return false; }
    bool stdin_is_terminal() const override { return false; }
    commands::Identity identity() override { return {"tester", "testhost"}; }
    std::string new_operation_id() override { return "01TEST"; }
    journal::Journal& journal() override { throw std::logic_error("no journal here"); }
    void audit(std::string_view) override {}

    commands::GlobalOptions given;
    config::Settings configured;
    std::optional<std::string> answer;
    std::vector<std::string> questions;
    support::StopSignal stop_signal;
    const std::string& errors() const { return err_.text; }

private:
    output::StringSink out_;
    output::StringSink err_;
    output::Diagnostics messages_{err_, {}};
    input::StringSource in_{""};
};

WritePlan plan_of(std::uint64_t keys) {
    WritePlan plan;
    plan.verb = "remove";
    plan.keys = keys;
    plan.keys_per_shard = {{"alpha", keys}};
    plan.named_one = keys == 1;
    return plan;
}

/// The refusal as its message and hint; empty when the plan may go ahead.
std::string refusal(AskedContext& context, const WritePlan& plan, const ConsentFlags& flags = {}) {
    try {
        Consent(flags, context).require(plan);
    } catch (const Failure& failure) {
        CHECK(failure.error().code == ExitCode::guard);
        return failure.error().message + " | " + failure.error().hint;
    }
    return {};
}

ConsentFlags confirm(const std::string& name) {
    ConsentFlags flags;
    flags.confirm = name;
    return flags;
}

}  // namespace

TEST_CASE("one named key needs no question and one found by a sweep does") {
    AskedContext context;
    CHECK(refusal(context, plan_of(1)).empty());
    CHECK(context.questions.empty());
    auto swept = plan_of(1);
    swept.named_one = false;
    CHECK(contains(refusal(context, swept), "-y"));
}

TEST_CASE("nothing to write needs no consent") {
    AskedContext context;
    context.configured.writes = WriteMode::confirm_all;
    CHECK(refusal(context, plan_of(0)).empty());
    CHECK(context.questions.empty());
}

TEST_CASE("only a clear yes is a yes") {
    AskedContext context;
    for (const std::string yes : {"y", "Y", "yes"}) {
        context.answer = yes;
        CHECK(refusal(context, plan_of(2)).empty());
    }
    for (const std::string no : {"", "n", "no", "yep", " y", "2", "production"}) {
        context.answer = no;
        CHECK(contains(refusal(context, plan_of(2)), "nothing was written"));
    }
}

TEST_CASE("the question names number and deployment and the plan its shards and first keys") {
    AskedContext context;
    context.answer = "y";
    auto plan = plan_of(5);
    plan.keys_per_shard = {{"alpha", 2}, {"beta", 3}};
    plan.first_keys = {"core:1", "core:\x1b"};
    CHECK(refusal(context, plan).empty());
    REQUIRE(context.questions.size() == 1);
    CHECK(context.questions[0] == "remove 5 windows of deployment 'production'? [y/N] ");
    CHECK(contains(context.errors(), "alpha 2, beta 3"));
    CHECK(contains(context.errors(), "core:1"));
    CHECK(contains(context.errors(), "and 3 more"));
    CHECK_FALSE(contains(context.errors(), "\x1b"));
}

TEST_CASE("the flag -y answers the question but not for the name of the deployment") {
    AskedContext context;
    context.given.yes = true;
    CHECK(refusal(context, plan_of(10)).empty());
    CHECK(context.questions.empty());
    CHECK(contains(refusal(context, plan_of(11)), "--confirm production"));
    auto all = plan_of(2);
    all.all = true;
    CHECK(contains(refusal(context, all), "--confirm production"));
    context.answer = "production";
    CHECK(refusal(context, plan_of(11)).empty());
    context.answer = "y";
    CHECK_FALSE(refusal(context, plan_of(11)).empty());
}

TEST_CASE("the right name given as a flag answers and a wrong one refuses even one key") {
    AskedContext context;
    CHECK(refusal(context, plan_of(1000), confirm("production")).empty());
    CHECK(context.questions.empty());
    CHECK(contains(refusal(context, plan_of(1), confirm("staging")), "staging"));
    context.configured.writes = WriteMode::allow;
    CHECK_FALSE(refusal(context, plan_of(1), confirm("staging")).empty());
}

TEST_CASE("flags only make counts stricter") {
    AskedContext context;
    context.given.yes = true;
    ConsentFlags flags;
    flags.max_keys = "3";
    CHECK(refusal(context, plan_of(3), flags).empty());
    CHECK(contains(refusal(context, plan_of(4), flags), "--max-keys 3"));
    flags.max_keys = "100";
    CHECK_FALSE(refusal(context, plan_of(11), flags).empty());
    flags.confirm = "production";
    CHECK(refusal(context, plan_of(100), flags).empty());
    CHECK_FALSE(refusal(context, plan_of(101), flags).empty());
    ConsentFlags expect;
    expect.expect = "4";
    CHECK(refusal(context, plan_of(4), expect).empty());
    CHECK_FALSE(refusal(context, plan_of(3), expect).empty());
    CHECK_FALSE(refusal(context, plan_of(0), expect).empty());
}

TEST_CASE("a number of keys that is no number is a usage error") {
    AskedContext context;
    for (const std::string bad : {"", "x", "-1", "010", "1e3"}) {
        ConsentFlags flags;
        flags.max_keys = bad;
        try {
            const Consent consent(flags, context);
            FAIL("taken: " << bad);
        } catch (const Failure& failure) {
            CHECK(failure.error().code == ExitCode::usage);
        }
    }
}

TEST_CASE("a free deployment never asks") {
    AskedContext context;
    context.configured.writes = WriteMode::allow;
    auto all = plan_of(100'000);
    all.all = true;
    CHECK(refusal(context, all).empty());
    CHECK(context.questions.empty());
}

TEST_CASE("read-only and denied and unreasoned runs end before any plan is made") {
    AskedContext context;
    context.configured.read_only = true;
    CHECK_THROWS_AS(Consent({}, context), Failure);
    context.given.dry_run = true;
    CHECK_NOTHROW(Consent({}, context));
    CHECK(refusal(context, plan_of(100'000)).empty());

    AskedContext denied;
    denied.configured.writes = WriteMode::deny;
    CHECK_THROWS_AS(Consent({}, denied), Failure);

    AskedContext reasons;
    reasons.configured.require_reason = true;
    CHECK_THROWS_AS(Consent({}, reasons), Failure);
    ConsentFlags flags;
    flags.reason = "";
    CHECK_THROWS_AS(Consent(flags, reasons), Failure);
    flags.reason = "ticket 7";
    CHECK_NOTHROW(Consent(flags, reasons));
}

TEST_CASE("how far ahead keys are read follows from what may have to be asked") {
    AskedContext context;
    CHECK_FALSE(Consent({}, context).keys_to_know().has_value());
    context.given.yes = true;
    CHECK(Consent({}, context).keys_to_know() == 11U);
    CHECK(Consent(confirm("production"), context).keys_to_know() == 0U);
    ConsentFlags flags = confirm("production");
    flags.max_keys = "50";
    CHECK(Consent(flags, context).keys_to_know() == 51U);
    flags.expect = "50";
    CHECK_FALSE(Consent(flags, context).keys_to_know().has_value());
    context.configured.writes = WriteMode::allow;
    CHECK(Consent({}, context).keys_to_know() == 0U);
    context.given.dry_run = true;
    CHECK_FALSE(Consent(flags, context).keys_to_know().has_value());
    flags.expect.reset();
    CHECK(Consent(flags, context).keys_to_know() == 51U);
    CHECK(Consent({}, context).keys_to_know() == 0U);
}

TEST_CASE("a dry run is asked nothing, and refused what its own flags forbid") {
    AskedContext context;
    context.given.dry_run = true;
    ConsentFlags flags;
    flags.max_keys = "5";
    CHECK(refusal(context, plan_of(5), flags).empty());
    CHECK(contains(refusal(context, plan_of(6), flags), "--max-keys 5, but the selection has 6 windows"));
    flags.expect = "4";
    CHECK(contains(refusal(context, plan_of(5), flags), "--expect 4, but the selection has 5 windows"));
    CHECK(contains(refusal(context, plan_of(1), confirm("staging")), "--confirm names 'staging'"));
    CHECK(context.questions.empty());
}

TEST_CASE("a question that was interrupted is no refusal but an interruption") {
    AskedContext context;
    context.stop_signal.set(2);
    try {
        Consent({}, context).require(plan_of(2));
        FAIL("went on");
    } catch (const Failure& failure) {
        CHECK(failure.error().code == ExitCode::interrupted);
    }
}

TEST_CASE("protected keys are told by pattern") {
    AskedContext context;
    context.configured.protect = {"internal:*", "core:[12]"};
    const Consent consent({}, context);
    CHECK(consent.is_protected("internal:x"));
    CHECK(consent.is_protected("core:2"));
    CHECK_FALSE(consent.is_protected("core:3"));
    CHECK_FALSE(consent.is_protected("my-internal:x"));
}
