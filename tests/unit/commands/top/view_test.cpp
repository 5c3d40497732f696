// What each key of top does.
#include "commands/top/view.h"

#include <string>
#include <vector>

#include "support/catch.h"

using namespace ratectl;
using commands::top::Order;
using commands::top::passes_filter;
using commands::top::press;
using commands::top::settle;
using commands::top::SortKey;
using commands::top::View;
using output::Key;

namespace {

std::vector<std::string> some_ids() {
    std::vector<std::string> ids;
    for (int i = 0; i < 50; ++i) ids.push_back("0:core:" + std::to_string(i));
    return ids;
}
const std::vector<std::string> kIds = some_ids();
const commands::top::Shown kShown{kIds, 10};

void type(View& view, std::u32string_view text) {
    for (const char32_t c : text) press(view, {Key::Kind::character, c}, kShown);
}
void hit(View& view, Key::Kind kind) { press(view, {kind}, kShown); }

}  // namespace

TEST_CASE("letters choose what windows are ranked by") {
    View view;
    const std::pair<char32_t, SortKey> keys[] = {{U'p', SortKey::percent},
                                                 {U'r', SortKey::rate},
                                                 {U't', SortKey::reset},
                                                 {U'n', SortKey::key},
                                                 {U'u', SortKey::used}};
    for (const auto& [letter, by] : keys) {
        view.cursor = 7;
        type(view, std::u32string(1, letter));
        CHECK(view.order == Order{by, false});
        CHECK(view.cursor == 0);
    }
    type(view, U"R");
    CHECK(view.order == Order{SortKey::used, true});
    type(view, U"p");
    CHECK_FALSE(view.order.reversed);
}

TEST_CASE("arrows and pages move the mark and the rows scroll with it") {
    View view;
    hit(view, Key::Kind::down);
    CHECK(view.cursor == 1);
    CHECK(view.first == 0);
    hit(view, Key::Kind::page_down);
    CHECK(view.cursor == 11);
    CHECK(view.first == 2);
    hit(view, Key::Kind::end);
    CHECK(view.cursor == 49);
    CHECK(view.first == 40);
    hit(view, Key::Kind::down);
    CHECK(view.cursor == 49);
    hit(view, Key::Kind::page_up);
    CHECK(view.cursor == 39);
    CHECK(view.first == 39);
    hit(view, Key::Kind::home);
    CHECK(view.cursor == 0);
    hit(view, Key::Kind::up);
    CHECK(view.cursor == 0);
    CHECK(view.first == 0);
}

TEST_CASE("j and k move the mark as the arrows do") {
    View view;
    type(view, U"jjj");
    CHECK(view.cursor == 3);
    type(view, U"k");
    CHECK(view.cursor == 2);
    CHECK(view.order == Order{SortKey::used, false});
    type(view, U"/jk");
    CHECK(view.filter == "jk");
}

TEST_CASE("the mark stays on a row when rows go and when the screen shrinks") {
    View view;
    view.cursor = 49;
    view.first = 40;
    settle(view, 12, 10);
    CHECK(view.cursor == 11);
    CHECK(view.first == 2);
    settle(view, 12, 3);
    CHECK(view.first == 9);
    settle(view, 0, 10);
    CHECK(view.cursor == 0);
    CHECK(view.first == 0);
}

TEST_CASE("a filter is typed as text and taken away by escape") {
    View view;
    type(view, U"/");
    CHECK(view.typing);
    type(view, U"qu\u00e9x");
    CHECK_FALSE(view.leaving);
    hit(view, Key::Kind::erase);
    CHECK(view.filter == "qu\u00e9");
    hit(view, Key::Kind::erase);
    CHECK(view.filter == "qu");
    hit(view, Key::Kind::enter);
    CHECK_FALSE(view.typing);
    CHECK(view.filter == "qu");
    CHECK_FALSE(view.details);
    hit(view, Key::Kind::escape);
    CHECK(view.filter.empty());
    type(view, U"/x");
    hit(view, Key::Kind::escape);
    CHECK_FALSE(view.typing);
    CHECK(view.filter.empty());
}

TEST_CASE("a filter is text anywhere in a key or a pattern of all of it") {
    CHECK(passes_filter("", "core:alice"));
    CHECK(passes_filter("ali", "core:alice"));
    CHECK_FALSE(passes_filter("Ali", "core:alice"));
    CHECK(passes_filter("core:*", "core:alice"));
    CHECK_FALSE(passes_filter("ali*", "core:alice"));
    CHECK(passes_filter("*ali*", "core:alice"));
    CHECK_FALSE(passes_filter("********************", "core:alice"));  // too costly a pattern is only text
}

TEST_CASE("enter shows the details of the marked window and takes them away") {
    View view;
    hit(view, Key::Kind::enter);
    CHECK(view.details == "0:core:0");
    hit(view, Key::Kind::enter);
    CHECK_FALSE(view.details);
    hit(view, Key::Kind::enter);
    view.filter = "core";
    hit(view, Key::Kind::escape);
    CHECK_FALSE(view.details);
    CHECK(view.filter == "core");
    press(view, {Key::Kind::enter}, {{}, 10});
    CHECK_FALSE(view.details);
}

TEST_CASE("the details are those of the marked row, and the mark goes with its window when the ranking changes") {
    View view;
    hit(view, Key::Kind::enter);
    hit(view, Key::Kind::down);
    CHECK(view.details == "0:core:1");
    type(view, U"j");
    CHECK(view.details == "0:core:2");
    const std::vector<std::string> other{"0:core:9", "0:core:8", "0:core:7", "0:core:2"};
    follow(view, other);
    CHECK(view.cursor == 3);
    type(view, U"p");
    CHECK(view.details == "0:core:2");
    follow(view, kIds);
    CHECK(view.cursor == 2);
    hit(view, Key::Kind::escape);
    hit(view, Key::Kind::down);
    CHECK_FALSE(view.details);
}

TEST_CASE("the other keys of top") {
    View view;
    type(view, U" ");
    CHECK(view.paused);
    type(view, U" s");
    CHECK_FALSE(view.paused);
    CHECK_FALSE(view.shard_column);
    type(view, U"?");
    CHECK(view.help);
    type(view, U"p");
    CHECK_FALSE(view.help);
    CHECK(view.order.by == SortKey::used);
    type(view, U"hq");
    CHECK(view.leaving);
    View other;
    type(other, U"xyz~");
    press(other, {Key::Kind::resized}, kShown);
    CHECK_FALSE(other.leaving);
    type(other, U"q");
    CHECK(other.leaving);
}
