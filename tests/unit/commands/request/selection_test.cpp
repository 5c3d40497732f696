// SELECTION: the filter alone, keys in chunks, and what a key means.
#include "commands/request/selection.h"

#include "commands/write/planned_keys.h"
#include "support/catch.h"
#include "support/window_look.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using commands::Filter;
using commands::KeyStream;
using commands::Selection;
using support::ExitCode;
using test::FakeContext;

namespace {

/// Gives a piece a read at the most, as a slow pipe would; never ready.
class SlowSource final : public input::ByteSource {
public:
    explicit SlowSource(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
    std::size_t read(std::span<char> buffer) override {
        if (at_ == pieces_.size()) return 0;
        std::string& piece = pieces_[at_];
        const std::size_t n = piece.copy(buffer.data(), buffer.size());
        piece.erase(0, n);
        if (piece.empty()) ++at_;
        return n;
    }
    bool ready() override { return false; }
    const std::string& name() const override { return name_; }

private:
    std::vector<std::string> pieces_;
    std::size_t at_ = 0;
    std::string name_ = "standard input";
};

class SlowContext final : public FakeContext {
public:
    using FakeContext::FakeContext;
    input::ByteSource& in() override { return source; }
    SlowSource source{{"core:a\ncore:b\ncor", "e:c\n", "core:d"}};
};

std::vector<std::string> named_keys(const std::vector<commands::NamedKey>& named) {
    std::vector<std::string> keys;
    for (const auto& each : named) keys.push_back(each.key);
    return keys;
}

domain::Window window(std::optional<std::int64_t> used, std::optional<std::int64_t> limit, std::int64_t reset = 1600) {
    auto look = test::window_look();
    look.key = "k";
    if (used) counter_part(look).value = std::to_string(*used);
    if (used) expiry_part(look).value = std::to_string(reset);
    return domain::judge(look, support::from_epoch(1000), limit);
}

bool accepts(const Selection& selection, const domain::Window& w) {
    FakeContext context;
    return Filter(selection, context.settings(), context.directory()).accepts("k", w, support::from_epoch(1000));
}

}  // namespace

TEST_CASE("a stream of keys comes in chunks and in order") {
    FakeContext context(1, "core:a\ncore:b\ncore:c\n");
    Selection selection;
    selection.keys = {"-"};
    KeyStream keys(selection, context);
    CHECK_FALSE(keys.count());
    CHECK(named_keys(keys.next(2)) == std::vector<std::string>{"core:a", "core:b"});
    CHECK(named_keys(keys.next(2)) == std::vector<std::string>{"core:c"});
    CHECK(keys.next(2).empty());
}

TEST_CASE("rows of ndjson are recognised unless somebody says what comes") {
    const std::string row = "{\"key\":\"core:a\",\"reset_at\":1600}\n";
    FakeContext context(1, row);
    Selection selection;
    selection.keys = {"-"};
    const auto keys = KeyStream(selection, context).next(2);
    REQUIRE(keys.size() == 1);
    CHECK(keys[0].key == "core:a");
    CHECK(keys[0].seen.reset_at == support::from_epoch(1600));
    FakeContext escaped(1, row);
    escaped.given.key_format = "escaped";
    CHECK(KeyStream(selection, escaped).next(2).at(0).key == "core:a");
    FakeContext said(1, row);
    selection.input = "keys";
    CHECK(KeyStream(selection, said).next(2).at(0).key == row.substr(0, row.size() - 1));
}

TEST_CASE("a stream gives what it has when standard input makes it wait") {
    SlowContext context;
    Selection selection;
    selection.keys = {"-"};
    KeyStream keys(selection, context);
    CHECK(named_keys(keys.next(100)) == std::vector<std::string>{"core:a", "core:b"});
    CHECK(named_keys(keys.next(100)) == std::vector<std::string>{"core:c"});
    CHECK(named_keys(keys.next(100)) == std::vector<std::string>{"core:d"});
    CHECK(keys.next(100).empty());
}

TEST_CASE("clients from standard input become keys of every policy") {
    FakeContext context(1, "alice\nbob\n");
    Selection selection;
    selection.clients = {"-"};
    KeyStream keys(selection, context);
    CHECK(named_keys(keys.next(100)) ==
          std::vector<std::string>{"core:alice", "search:alice", "core:bob", "search:bob"});
}

TEST_CASE("rows of ndjson bring amount and guard and may name a client") {
    FakeContext context(1,
                        "{\"key\":\"core:a\",\"amount\":5,\"reset_at\":1600}\n"
                        "{\"client\":\"bob\",\"reset_at\":1700}\n"
                        "{\"key\":\"lost\",\"key_b64\":\"/wo=\"}\n");
    Selection selection;
    selection.keys = {"-"};
    selection.input = "ndjson";
    selection.policies = {"core"};
    KeyStream keys(selection, context);
    const auto all = keys.next(100);
    REQUIRE(all.size() == 3);
    CHECK(all[0].amount == 5);
    CHECK(all[0].seen.reset_at == support::from_epoch(1600));
    CHECK(all[1].key == "core:bob");
    CHECK(all[1].seen.reset_at == support::from_epoch(1700));
    CHECK(all[2].key == "\xff\n");
}

TEST_CASE("keys are undone from the format in which they are printed") {
    for (const auto& [format, text] : {std::pair{"escaped", "core:\\xff\\n"}, std::pair{"hex", "636f72653aff0a"},
                                       std::pair{"base64", "Y29yZTr/Cg=="}}) {
        FakeContext context(1, std::string(text) + "\n");
        context.given.key_format = format;
        Selection selection;
        selection.keys = {"-"};
        KeyStream from_input(selection, context);
        CHECK(named_keys(from_input.next(9)) == std::vector<std::string>{"core:\xff\n"});
        selection.keys = {text};
        KeyStream from_arguments(selection, context);
        CHECK(named_keys(from_arguments.next(9)) == std::vector<std::string>{"core:\xff\n"});
        selection.keys = {"!"};
        if (std::string(format) != "escaped") CHECK_THROWS_AS(KeyStream(selection, context), support::Failure);
    }
}

TEST_CASE("NUL ends raw keys that hold anything else") {
    FakeContext context(1, std::string("a\nb\0c\r\0", 7));
    context.given.nul = true;
    Selection selection;
    selection.keys = {"-"};
    KeyStream keys(selection, context);
    CHECK(named_keys(keys.next(9)) == std::vector<std::string>{"a\nb", "c\r"});
}

TEST_CASE("a percentage is met from its exact share on") {
    Selection selection;
    selection.min_used = "80%";
    CHECK(accepts(selection, window(16, 20)));
    CHECK_FALSE(accepts(selection, window(15, 20)));
    CHECK_FALSE(accepts(selection, window(std::nullopt, 20)));
    CHECK_FALSE(accepts(selection, window(99, 20, 999)));
    selection.min_used = "80.5%";
    CHECK_FALSE(accepts(selection, window(16, 20)));
    CHECK_THROWS_AS(accepts(selection, window(16, std::nullopt)), support::Failure);
}

TEST_CASE("the states of a filter are any of those named") {
    Selection selection;
    selection.states = {"absent", "negative"};
    CHECK(accepts(selection, window(std::nullopt, 20)));
    CHECK(accepts(selection, window(-1, 20)));
    CHECK_FALSE(accepts(selection, window(1, 20)));
    selection.states = {"exhausted"};
    CHECK(accepts(selection, window(20, 20)));
    CHECK_FALSE(accepts(selection, window(19, 20)));
    CHECK_FALSE(accepts(selection, window(-1, std::nullopt)));
    CHECK_THROWS_AS(accepts(selection, window(1, std::nullopt)), support::Failure);
}

TEST_CASE("only leaked and corrupt need the full look") {
    FakeContext context;
    Selection selection;
    const auto needs = [&](const std::string& state) {
        selection.states = {state};
        return Filter(selection, context.settings(), context.directory()).needs_full_look();
    };
    CHECK(needs("leaked"));
    CHECK(needs("corrupt"));
    CHECK_FALSE(needs("exhausted"));
    CHECK_FALSE(needs("orphan-expiry"));
}

TEST_CASE("the flag's limit stands above every policy") {
    FakeContext context;
    auto meaning = commands::meaning_of("core:midas", context.settings());
    CHECK(meaning.limit == 50);
    CHECK(meaning.limit_source == "class:gold");
    context.configured.limit = 7;
    meaning = commands::meaning_of("core:midas", context.settings());
    CHECK(meaning.limit == 7);
    CHECK(meaning.limit_source == "flag");
    CHECK(meaning.match->client == "midas");
    context.configured.limit.reset();
    meaning = commands::meaning_of("unknown", context.settings());
    CHECK_FALSE(meaning.limit);
    CHECK_FALSE(meaning.match);
    CHECK(meaning.limit_source.empty());
}

TEST_CASE("a change of a key that is on another shard than the named one says where it is") {
    FakeContext context(3);
    const std::string key = "core:elsewhere";
    const auto home = context.shard_map()->shard_of(key);
    Selection selection;
    selection.keys = {key};
    selection.shards = {context.configured.shards[(home + 1) % 3].shard.name};
    const auto none = commands::plan_keys(selection, {}, context);
    CHECK(none->next(10).empty());
    commands::Outcome outcome(context);
    none->tell_left_out(outcome);
    CHECK(outcome.code() == support::ExitCode::partial);
    const auto& said = context.errors();
    const std::string& shard = context.configured.shards[home].shard.name;
    CHECK(said.find("key '" + key + "' is left out by --shard: it is on shard '" + shard + "'") != std::string::npos);

    FakeContext same(3);
    selection.shards = {same.configured.shards[home].shard.name};
    auto keys = commands::plan_keys(selection, {}, same);
    CHECK(keys->next(10).size() == 1);
    CHECK(keys->next(10).empty());
    commands::Outcome without(same);
    keys->tell_left_out(without);
    CHECK(without.code() == support::ExitCode::done);
    CHECK(same.errors().empty());
}

TEST_CASE("what a counter rules out no window with that counter would pass") {
    FakeContext context;
    std::vector<Selection> selections(7);
    selections[0].min_used = "10";
    selections[1].min_used = "50%";
    selections[2].states = {"exhausted"};
    selections[3].states = {"exhausted", "closed"};
    selections[4].states = {"exhausted"};
    selections[4].min_used = "15";
    selections[5].min_used = "-3";
    selections[6].resets_within = "10s";
    std::size_t ruled_out = 0;
    for (const Selection& selection : selections) {
        const Filter filter(selection, context.settings(), context.directory());
        for (const char* used : {"-5", "0", "9", "10", "15", "19", "20", "many", "", "99999999999999999999"}) {
            for (const auto limit :
                 {std::optional<std::int64_t>{}, std::optional<std::int64_t>{20}, std::optional<std::int64_t>{0}}) {
                if (!filter.rules_out(used, limit)) continue;
                ++ruled_out;
                CHECK(filter.can_rule_out());
                for (const char* reset : {"999", "1000", "1600", "x"}) {
                    auto look = test::window_look();
                    counter_part(look).value = used;
                    expiry_part(look).value = reset;
                    const auto now = support::from_epoch(1000);
                    CHECK_FALSE(filter.accepts("key", domain::judge(look, now, limit), now));
                }
            }
        }
    }
    CHECK(ruled_out > 40);
}
