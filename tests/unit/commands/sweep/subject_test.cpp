// What a sweep asks servers for, and which keys it means, in all commands alike.
#include "commands/sweep/subject.h"

#include "support/catch.h"
#include "support/window_look.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using commands::Filter;
using commands::Selection;
using commands::SubjectRules;
using commands::SweepSubject;
using test::FakeContext;
using Others = SubjectRules::Others;

namespace {

Selection policies(std::vector<std::string> names) {
    Selection selection;
    selection.policies = std::move(names);
    return selection;
}

SubjectRules rules(Others others, std::optional<std::string> glob = {}) {
    SubjectRules rules;
    rules.others = others;
    rules.glob = std::move(glob);
    return rules;
}

std::string pattern(FakeContext& context, SubjectRules rules, const Selection& selection) {
    const Filter filter(selection, context.configured, context.directory());
    return SweepSubject(std::move(rules), filter, context.configured).pattern();
}

/// Whether a look is asked for, by the name alone.
bool is_looked_at(SweepSubject& subject, std::string_view key) {
    const auto question = subject.question();
    return !question.is_meant || question.is_meant(key);
}

domain::WindowLook look(const std::string& key, bool counter, bool expiry) {
    auto look = test::window_look();
    look.key = key;
    if (counter) counter_part(look).value = "7";
    if (expiry) expiry_part(look).value = "1600";
    return look;
}

}  // namespace

TEST_CASE("servers are asked for what the keys of all named policies have in common") {
    FakeContext context;
    auto made = test::sample_policies().policies();
    made[0].key = *domain::KeyTemplate::parse("app:core:{client}");
    made[1].key = *domain::KeyTemplate::parse("app:c*re:{client}");
    context.configured.policies = domain::PolicyBook(made);
    for (const auto others : {Others::unlisted, Others::counted, Others::meant}) {
        CHECK(pattern(context, rules(others), policies({"core"})) == "app:core:*");
        CHECK(pattern(context, rules(others), policies({"core", "search"})) == "app:c*");
        CHECK(pattern(context, rules(others), policies({"core", "repo"})) == "*");
        CHECK(pattern(context, rules(others), {}) == "*");
        CHECK(pattern(context, rules(others, "x*"), policies({"core"})) == "x*");
    }
    context.configured.policies = domain::PolicyBook({made[0]});
    CHECK(pattern(context, rules(Others::unlisted), {}) == "app:core:*");
    CHECK(pattern(context, rules(Others::counted), {}) == "*");
}

TEST_CASE("keys that are not meant are told by their names and counted once") {
    FakeContext context;
    const auto& settings = context.configured;
    const Selection two = policies({"core", "search"});
    const Filter filter(two, settings, context.directory());
    SweepSubject subject(rules(Others::unlisted), filter, settings);
    CHECK(is_looked_at(subject, "core:alice"));
    CHECK(is_looked_at(subject, "search:alice"));
    CHECK_FALSE(is_looked_at(subject, "repo:a/b"));
    CHECK_FALSE(is_looked_at(subject, "session:1"));
    CHECK(subject.unknown() == 1);
    CHECK(subject.passed_over() == 2);
    subject.begin();
    CHECK(subject.passed_over() == 0);
    const auto key = look("session:1", true, true);
    CHECK_FALSE(subject.takes(key, commands::meaning_of(key.key, settings)));
    CHECK(subject.unknown() == 1);
}

TEST_CASE("a pattern means what policies do not know but nothing that other filters leave out") {
    FakeContext context;
    const auto& settings = context.configured;
    const Filter any(Selection{}, settings, context.directory());
    SweepSubject all(rules(Others::unlisted, "*"), any, settings);
    CHECK(is_looked_at(all, "session:1"));
    const Selection core = policies({"core"});
    const Filter filter(core, settings, context.directory());
    SweepSubject narrowed(rules(Others::unlisted, "*"), filter, settings);
    CHECK(is_looked_at(narrowed, "core:alice"));
    CHECK_FALSE(is_looked_at(narrowed, "search:alice"));
    CHECK_FALSE(is_looked_at(narrowed, "session:1"));
    CHECK(narrowed.unknown() == 0);
}

TEST_CASE("counters without an expiry half are asked for only where a wanted policy matches them") {
    FakeContext context;
    for (const char* state : {"orphan-counter", "corrupt"}) {
        Selection selection = policies({"core"});
        selection.states = {state};
        const Filter filter(selection, context.configured, context.directory());
        SweepSubject subject(rules(Others::unlisted), filter, context.configured);
        const auto question = subject.question();
        REQUIRE(question.orphan_counters);
        CHECK(question.orphan_counters("core:alice"));
        CHECK_FALSE(question.orphan_counters("search:alice"));
        CHECK_FALSE(question.orphan_counters("session:1"));
    }
    // What is no counter cannot be told from one, and is not looked for.
    context.configured.policies = {};
    Selection corrupt;
    corrupt.states = {"corrupt"};
    const Filter filter(corrupt, context.configured, context.directory());
    SweepSubject subject(rules(Others::unlisted), filter, context.configured);
    CHECK_FALSE(subject.lists_orphans());
    CHECK_NOTHROW(subject.check_orphans());
}

TEST_CASE("without policies whole pairs are meant and halves only where they are asked for") {
    FakeContext context;
    context.configured.policies = {};
    const auto& settings = context.configured;
    const auto takes = [&](bool halves, const Selection& selection, bool counter, bool expiry) {
        const Filter filter(selection, settings, context.directory());
        SubjectRules rules;
        rules.lone_keys = halves;
        SweepSubject subject(rules, filter, settings);
        return subject.takes(look("a", counter, expiry), commands::KeyMeaning{});
    };
    CHECK(takes(false, {}, true, true));
    CHECK_FALSE(takes(false, {}, false, true));
    CHECK(takes(true, {}, false, true));
    CHECK_FALSE(takes(true, {}, false, false));
    Selection lone;
    lone.states = {"orphan-expiry"};
    CHECK(takes(false, lone, false, true));
}
