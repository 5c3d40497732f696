// A screen's lines as text, and pictures for tests.
#pragma once

#include <string>
#include <vector>

#include "commands/top/picture.h"
#include "support/window_look.h"

namespace ratectl::test {

/// A line each, without blanks at their ends.
inline std::string text_of(const std::vector<output::ScreenLine>& lines) {
    std::string text;
    for (const output::ScreenLine& line : lines) {
        std::string one;
        for (const output::Styled& piece : line) one += piece.text;
        one.erase(one.find_last_not_of(' ') + 1);
        text += one + "\n";
    }
    return text;
}

/// The application's clock of the pictures, 2030-01-01T12:00:00Z.
inline constexpr std::int64_t kNoon = 1893499200;

inline commands::top::PictureRow picture_row(const std::string& key, std::int64_t used,
                                             std::optional<std::int64_t> limit, std::int64_t reset_in) {
    commands::top::PictureRow row;
    row.id = "0:" + key;
    row.key = key;
    auto look = test::window_look();
    look.key = key;
    counter_part(look).value = std::to_string(used);
    expiry_part(look).value = std::to_string(kNoon + reset_in);
    row.window = domain::judge(look, support::from_epoch(kNoon), limit);
    if (limit) row.percent = static_cast<double>(used) * 100 / static_cast<double>(*limit);
    row.shard = "alpha";
    row.policy = "core";
    row.node = "replica 10.0.0.1:6379";
    row.age = support::Milliseconds{1200};
    return row;
}

/// A sweep of two seconds ago that found five windows, and these rows.
inline commands::top::Picture sample_picture() {
    commands::top::Picture picture;
    picture.deployment = "production";
    picture.now = support::from_epoch(kNoon);
    picture.every = support::Milliseconds{2000};
    picture.sweep = {support::Milliseconds{1500}, support::Milliseconds{350}, false, 12345, 1, 0, 2, 2, {}};
    auto bob = picture_row("core:bob", 5000, 5000, 751);
    bob.rate = 12.25;
    bob.exhausted_in = support::Milliseconds{0};
    auto alice = picture_row("core:alice-of-a-company-with-a-long-name.example.org", 4321, 5000, 3599);
    alice.rate = 3.5;
    alice.exhausted_in = support::Milliseconds{194'000};
    alice.client = "alice-of-a-company-with-a-long-name.example.org";
    alice.limit_source = "policy:core";
    auto wide = picture_row("core:\u65e5\u672c", 120, 5000, 86'400);
    wide.rate = 0;
    auto unknown = picture_row("search:carol", 77, std::nullopt, 30);
    unknown.policy = "search";
    unknown.shard = "beta";
    unknown.stale = true;
    auto over = picture_row("core:dave", 7, 5000, -1);
    over.percent.reset();
    picture.rows = {bob, alice, wide, unknown, over};
    return picture;
}

}  // namespace ratectl::test
