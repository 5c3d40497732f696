// What is packed comes out again, byte for byte, and no bytes can do more than be refused.
#include "journal/packing.h"
#include "journal/slice_codec.h"

#include <random>

#include "support/catch.h"

using namespace ratectl;
using journal::Damaged;
using journal::Outcome;
using journal::Packer;
using journal::SliceWindow;
using journal::Unpacker;

namespace {

using Stored = std::optional<std::string>;

std::vector<Stored> through(const std::vector<Stored>& values) {
    std::string bytes;
    Packer packer(bytes);
    std::int64_t last = 0;
    for (const auto& value : values) packer.stored(value, last);
    Unpacker unpacker(bytes);
    last = 0;
    std::vector<Stored> found(values.size());
    for (auto& value : found) unpacker.stored(value, last);
    CHECK(unpacker.at_end());
    return found;
}

std::string pack(const std::vector<SliceWindow>& windows) {
    std::vector<journal::WindowView> views;
    for (const auto& window : windows) views.push_back(window.view());
    return journal::pack_windows(views);
}

std::vector<Outcome> some_outcomes() {
    std::vector<Outcome> outcomes;
    for (const auto status : {domain::WriteStatus::applied, domain::WriteStatus::window_changed,
                              domain::WriteStatus::unknown, domain::WriteStatus::failed}) {
        Outcome outcome;
        outcome.row = outcomes.size() + 7;
        outcome.status = status;
        outcome.reason = status == domain::WriteStatus::applied ? "" : "some-word";
        outcome.before = {"4998", "1767225600", 1'767'225'601'000, std::nullopt};
        outcome.after = {"-3", "x\0y", std::nullopt, -1};
        outcome.after.reset_at = std::string("x\0y", 3);
        outcome.taken = -5;
        outcome.at = support::WallTime{support::Milliseconds{1'767'000'000'123 - static_cast<int>(outcomes.size())}};
        outcomes.push_back(outcome);
    }
    return outcomes;
}

}  // namespace

TEST_CASE("stored values keep every byte in packed form") {
    const std::vector<Stored> values{"0",
                                     std::nullopt,
                                     "1767225600",
                                     "",
                                     "-0",
                                     "00",
                                     "007",
                                     "+7",
                                     " 7",
                                     "7 ",
                                     "-",
                                     "-12",
                                     "9007199254740993",
                                     "-9007199254740993",
                                     "9999999999999999",
                                     "99999999999999999999",
                                     "1e3",
                                     std::string("a\0b", 3),
                                     std::string(70'000, 'x')};
    CHECK(through(values) == values);
}

TEST_CASE("numbers of every size survive packing") {
    std::string bytes;
    Packer packer(bytes);
    std::int64_t last = 0;
    const std::int64_t values[] = {0, 1, -1, 127, 128, -64, INT64_MAX, INT64_MIN, 0, INT64_MIN, INT64_MAX};
    for (const auto value : values) packer.distance(value, last);
    packer.number(UINT64_MAX);
    Unpacker unpacker(bytes);
    last = 0;
    for (const auto value : values) CHECK(unpacker.distance(last) == value);
    CHECK(unpacker.number() == UINT64_MAX);
    CHECK_THROWS_AS(unpacker.number(), Damaged);
}

TEST_CASE("windows and outcomes of a slice survive packing with gaps") {
    const std::vector<SliceWindow> windows{{7, "core:1", {}}, {8, "", 3}, {1000, std::string("\0\xff", 2), -3}};
    const auto packed = pack(windows);
    const auto found = journal::unpack_windows(packed);
    REQUIRE(found.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(found[i].row == windows[i].row);
        CHECK(found[i].key == windows[i].key);
        CHECK(found[i].amount == windows[i].amount);
    }
    CHECK(journal::unpack_rows(packed) == std::vector<std::uint64_t>{7, 8, 1000});
    const auto outcomes = some_outcomes();
    const std::vector<const Outcome*> given{&outcomes[0], nullptr, &outcomes[1], &outcomes[2], &outcomes[3], nullptr};
    const auto bytes = journal::pack_outcomes(given, 1500);
    const std::vector<std::uint64_t> rows{7, 20, 8, 9, 10, 21};
    const auto back = journal::unpack_outcomes(bytes, rows, 1500);
    for (std::size_t i = 0; i < given.size(); ++i) {
        REQUIRE(back[i].has_value() == (given[i] != nullptr));
        if (given[i] == nullptr) continue;
        CHECK(back[i]->row == given[i]->row);
        CHECK(back[i]->status == given[i]->status);
        CHECK(back[i]->reason == given[i]->reason);
        CHECK(back[i]->before == given[i]->before);
        CHECK(back[i]->after == given[i]->after);
        CHECK(back[i]->taken == given[i]->taken);
        CHECK(back[i]->at == given[i]->at);
    }
}

TEST_CASE("broken packed bytes are refused or read as something and never more") {
    const auto outcomes = some_outcomes();
    const std::vector<const Outcome*> given{&outcomes[0], &outcomes[1], &outcomes[2], nullptr};
    const std::vector<std::uint64_t> rows{7, 8, 9, 10};
    const auto whole = journal::pack_outcomes(given, 0);
    const std::vector<SliceWindow> windows{{7, "core:1", 12}, {9, "core:2", -12}};
    const auto keys = pack(windows);
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_THROWS_AS(journal::unpack_outcomes(whole.substr(0, size), rows, 0), Damaged);
    CHECK_THROWS_AS(journal::unpack_outcomes(whole + 'x', rows, 0), Damaged);
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        auto bytes = i % 2 == 0 ? whole : keys;
        for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] = static_cast<char>(random());
        try {
            const bool good = i % 2 == 0 ? journal::unpack_outcomes(bytes, rows, 0).size() == rows.size()
                                         : journal::unpack_windows(bytes).size() == journal::unpack_rows(bytes).size();
            if (!good) FAIL("round " << i);
        } catch (const Damaged&) {
        }
    }
}
