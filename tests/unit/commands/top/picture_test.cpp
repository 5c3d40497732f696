// What stands on the screen of top: golden texts of several sizes, and what each part says.
#include "commands/top/picture.h"

#include "output/printable.h"
#include "screen_text.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/golden.h"

using namespace ratectl;
using commands::top::lines_of;
using commands::top::Picture;
using test::contains;
using test::sample_picture;

namespace {

void check_picture(const std::string& name, const Picture& picture, output::ScreenSize size) {
    const auto lines = lines_of(picture, size);
    CHECK(lines.size() == size.height);
    for (const auto& line : lines) {
        std::size_t width = 0;
        for (const auto& piece : line) width += output::display_width(piece.text);
        INFO(test::text_of({line}));
        if (size.width >= 60) CHECK(width <= size.width);
    }
    test::check_golden("unit/commands/top/golden/" + name + ".txt", test::text_of(lines));
}

}  // namespace

TEST_CASE("top fits 80 columns") { check_picture("80", sample_picture(), {80, 16}); }

TEST_CASE("top shows more on 120 columns") { check_picture("120", sample_picture(), {120, 16}); }

TEST_CASE("top keeps to ASCII where the terminal knows no more") {
    Picture picture = sample_picture();
    picture.style.ascii = true;
    picture.rows.erase(picture.rows.begin() + 2);
    check_picture("ascii", picture, {80, 16});
    for (const char c : test::text_of(lines_of(picture, {80, 16}))) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("top is of use on a terminal of 40 columns and 10 lines") {
    check_picture("40x10", sample_picture(), {40, 10});
}

TEST_CASE("top draws the tiniest of terminals without a complaint") {
    for (std::size_t width = 1; width < 30; ++width) {
        for (std::size_t height = 1; height < 8; ++height)
            CHECK(lines_of(sample_picture(), {width, height}).size() >= height);
    }
}

TEST_CASE("top says why there are no rows") {
    Picture picture = sample_picture();
    picture.rows.clear();
    check_picture("no-rows", picture, {80, 14});
    picture.sweep = {};
    picture.sweep.under_way = true;
    picture.sweep.shards = 2;
    CHECK(contains(test::text_of(lines_of(picture, {80, 14})), "nothing has been read yet"));
    CHECK(contains(test::text_of(lines_of(picture, {80, 14})), "first sweep  sweeping: 0 of 2 shards, 0 windows"));
    picture.view.filter = "acme";
    CHECK(contains(test::text_of(lines_of(picture, {80, 14})), "no window of the ranking passes the filter"));
}

TEST_CASE("a shard that does not answer is a red line at the top") {
    Picture picture = sample_picture();
    picture.troubles = {"shard 'beta' (10.0.0.2:6379): no reply within 2s"};
    check_picture("trouble", picture, {80, 16});
    const auto line = lines_of(picture, {80, 16}).at(2);
    CHECK(line.at(0).tone == output::Tone::bad);
    picture.troubles = {"a", "b", "c", "d", "e"};
    CHECK(contains(test::text_of(lines_of(picture, {80, 16})), "c; and 2 more"));
}

TEST_CASE("a ranking that is old says how old and how far the next sweep is") {
    Picture picture = sample_picture();
    picture.sweep.age = support::Milliseconds{31'000};
    picture.sweep.under_way = true;
    picture.sweep.shards_done = 1;
    picture.sweep.found = 4000;
    const std::string text = test::text_of(lines_of(picture, {100, 16}));
    CHECK(contains(text, "by used, ranked 31s ago  sweeping: 1 of 2 shards, 4000 windows"));
    picture.sweep.under_way = false;
    picture.sweep.took = support::Milliseconds{22'121};
    picture.every = support::Milliseconds{44'242};
    CHECK(contains(test::text_of(lines_of(picture, {100, 16})), "ranked 31s ago  every 45s, a sweep takes 23s"));
}

TEST_CASE("what is left out of the ranking for its state stands in the second line as far as there is room") {
    Picture picture = sample_picture();
    picture.sweep.left_out = "3 keys left out: 1 corrupt, 2 closed";
    const auto second = [&](std::size_t width) { return test::text_of({lines_of(picture, {width, 16}).at(1)}); };
    CHECK(second(80).ends_with("  3 keys left out: 1 corrupt, 2 closed\n"));
    for (const std::size_t width : {std::size_t{40}, std::size_t{60}, std::size_t{70}})
        CHECK(output::display_width(second(width)) <= width + 1);
}

TEST_CASE("the details of a row stand below the ranking") {
    Picture picture = sample_picture();
    picture.view.details = picture.rows[1].id;
    picture.view.cursor = 1;
    check_picture("details", picture, {80, 16});
    picture.view.details = "0:gone";
    CHECK_FALSE(contains(test::text_of(lines_of(picture, {80, 16})), "looked at"));
}

TEST_CASE("the last line names the help at any width and as many keys as have room") {
    const Picture picture = sample_picture();
    for (const std::size_t width : {std::size_t{20}, std::size_t{40}, std::size_t{60}, std::size_t{80}}) {
        const auto line = lines_of(picture, {width, 16}).back();
        INFO(width);
        REQUIRE(line.size() == 1);
        CHECK(line[0].text.size() <= width);
        CHECK(line[0].text.ends_with("? help"));
        CHECK(line[0].text.starts_with("q quit"));
    }
    CHECK(contains(lines_of(picture, {80, 16}).back()[0].text, "Enter details"));
}

TEST_CASE("a ranking that is turned round says so at the top") {
    Picture picture = sample_picture();
    picture.view.order.reversed = true;
    CHECK(contains(test::text_of(lines_of(picture, {100, 16})),
                   "by used, least first with the next sweep; by used, ranked"));
    picture.sweep.order.reversed = true;
    CHECK(contains(test::text_of(lines_of(picture, {100, 16})), "by used, least first, ranked"));
    picture.view.order = picture.sweep.order = {commands::top::SortKey::key, true};
    CHECK(contains(test::text_of(lines_of(picture, {100, 16})), "by key, Z to A, ranked"));
}

TEST_CASE("the help of top tells every key") {
    Picture picture = sample_picture();
    picture.view.help = true;
    check_picture("help", picture, {80, 24});
}

TEST_CASE("a filter that is being typed and a pause are seen") {
    Picture picture = sample_picture();
    picture.view.filter = "ac\x1b[2J";
    picture.view.typing = true;
    picture.view.paused = true;
    const std::string typing = test::text_of(lines_of(picture, {80, 16}));
    CHECK(contains(typing, "filter: ac\\x1b[2J"));
    CHECK(contains(typing, "paused"));
    picture.view.typing = false;
    CHECK(contains(test::text_of(lines_of(picture, {100, 16})), "only 'ac\\x1b[2J'"));
}

TEST_CASE("states have a colour a mark and a word") {
    const auto lines = lines_of(sample_picture(), {80, 16});
    const auto state_of = [&](std::size_t row) { return lines.at(3 + row).back(); };
    CHECK(lines.at(3).size() == 1);  // the marked row is one reversed piece
    CHECK(contains(lines.at(3).front().text, "! exhausted"));
    CHECK(lines.at(3).front().reversed);
    CHECK(contains(state_of(1).text, "~ open"));
    CHECK(state_of(1).tone == output::Tone::warning);
    CHECK(contains(state_of(2).text, "  open"));
    CHECK(state_of(2).tone == output::Tone::good);
    CHECK(contains(state_of(4).text, "closed"));
    CHECK(state_of(4).tone == output::Tone::dim);
}

TEST_CASE("the column of shards comes and goes") {
    Picture picture = sample_picture();
    CHECK(contains(test::text_of(lines_of(picture, {120, 16})), "SHARD"));
    CHECK(contains(test::text_of(lines_of(picture, {120, 16})), "beta (stale)"));
    picture.view.shard_column = false;
    CHECK_FALSE(contains(test::text_of(lines_of(picture, {120, 16})), "SHARD"));
}
