// PUT: knobs in the place of those that were seen, on random states and a real server.
#include <map>

#include "domain/knobs.h"
#include "lua/window_fixture.h"
#include "schemes/packed.h"

namespace ratectl::test {
namespace {

constexpr const char* kKnobsKey = "throttle:a:knobs";

const schemes::Scheme& knobs_scheme() { return schemes::scheme_of({"limitlion-knobs", ""}); }

using Fields = std::map<std::string, std::string>;

class KnobsBox {
public:
    explicit KnobsBox(std::uint32_t seed) : window_(seed) {}

    WindowFixture& window() { return window_; }
    RedisServer& server() { return window_.server(); }
    Fields fields() {
        Fields all;
        const auto reply = server().reply({"HGETALL", kKnobsKey});
        for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) all[reply.items[i].text] = reply.items[i + 1].text;
        return all;
    }
    domain::Knobs random_knobs() {
        static constexpr const char* texts[] = {"0", "1", "9", "0.5", "40", "-1", "many", "", "1\r\n2"};
        domain::Knobs knobs;
        for (auto& text : knobs.texts) {
            if (!window_.one_in(4)) text = texts[window_.between(0, std::ssize(texts) - 1)];
        }
        return knobs;
    }
    void store(const domain::Knobs& knobs, bool beside) {
        server().command({"DEL", kKnobsKey});
        for (std::size_t i = 0; i < knobs.texts.size(); ++i) {
            if (knobs.texts[i])
                server().command({"HSET", kKnobsKey, std::string(domain::kKnobNames[i]), *knobs.texts[i]});
        }
        if (beside) server().command({"HSET", kKnobsKey, "note", "ours"});
        if (window_.one_in(2)) server().command({"PEXPIRE", kKnobsKey, "604800000"});
    }
    schemes::WriteAnswer put(const domain::PutItem& item) {
        const std::vector<const domain::PutItem*> items{&item};
        const auto answers = window_.answers(knobs_scheme().put_call(items, {}));
        REQUIRE(answers);
        const auto& answer = answers->windows.at(0);
        window_.words.insert(answer.status == domain::WriteStatus::applied ? "" : answer.reason);
        return answer;
    }

private:
    WindowFixture window_;
};

bool holds_a_digit(const domain::Knobs& knobs) { return knobs != domain::Knobs(); }

}  // namespace

TEST_CASE("What is put stands there alone of what can be put and only in the place of what was seen") {
    KnobsBox box(21);
    auto& window = box.window();
    for (int i = 0; i < random_states(600); ++i) {
        const auto before = box.random_knobs();
        const bool beside = window.one_in(3);
        box.store(before, beside);
        if (window.one_in(30)) box.server().command({"SET", kKnobsKey, "x"});
        const bool wrong = box.server().command({"TYPE", kKnobsKey}) == "string";
        const auto fields = wrong ? Fields() : box.fields();
        const auto expires = box.server().command({"PEXPIRETIME", kKnobsKey});
        const bool there = !wrong && holds_a_digit(before);  // else its limiter finds no knobs
        const bool beside_them = !wrong && beside;
        const auto seen = window.one_in(5) ? box.random_knobs() : before;
        auto wanted = box.random_knobs();
        if (!holds_a_digit(wanted)) wanted.texts[0] = "7";
        domain::PutItem item{{kKnobsKey, 0}, knobs_scheme().state_with(wanted), std::nullopt};
        if (holds_a_digit(seen)) item.if_state = knobs_scheme().state_with(seen);
        if (window.one_in(6)) item.state.reset();
        INFO(i << ' ' << domain::words_of(before) << " / " << domain::words_of(seen) << " / "
               << domain::words_of(wanted));
        const auto answer = box.put(item);
        const bool as_seen = there ? seen == before : !holds_a_digit(seen);
        const char* const word = wrong                   ? "wrong-type"
                                 : !as_seen              ? "window-changed"
                                 : !there && !item.state ? "absent"
                                                         : "";
        CHECK(answer.reason == word);
        if (*word != '\0') {
            if (!wrong) CHECK(box.fields() == fields);
            continue;
        }
        CHECK(answer.before.state == (there ? std::optional{knobs_scheme().state_with(before)} : std::nullopt));
        CHECK(answer.after.state == item.state);
        if (!item.state) {
            CHECK(box.fields() == (beside_them ? Fields{{"note", "ours"}} : Fields()));
            continue;
        }
        Fields expected;
        if (beside_them) expected["note"] = "ours";
        for (std::size_t k = 0; k < wanted.texts.size(); ++k) {
            if (wanted.texts[k]) expected[std::string(domain::kKnobNames[k])] = *wanted.texts[k];
        }
        CHECK(box.fields() == expected);
        CHECK(box.server().command({"PEXPIRETIME", kKnobsKey}) == (there || beside_them ? expires : "-1"));
    }
    for (const char* word : {"", "wrong-type", "window-changed", "absent"}) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

}  // namespace ratectl::test
