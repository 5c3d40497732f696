// What stands on top's screen, as lines: a pure function of what was seen, what was chosen and the terminal's size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/top/view.h"
#include "domain/window.h"
#include "output/row_sink.h"
#include "output/screen.h"
#include "support/time.h"

namespace ratectl::commands::top {

/// A window as it stands now; all texts are printable, and fingerprints where clients are secret.
struct PictureRow {
    std::string id;
    std::string key;
    domain::Window window;
    std::optional<double> percent{};
    std::optional<double> rate{};                         // requests a second
    std::optional<support::Milliseconds> exhausted_in{};  // at that rate; null: not before the reset
    std::string shard{};
    std::string policy{};
    std::string client{};
    std::string client_class{};
    std::string limit_source{};
    std::string node{};           // `replica 10.0.0.1:6379`
    support::Milliseconds age{};  // of the look
    bool stale = false;
};

/// How far the windows have been swept, and what of them.
struct SweepPicture {
    std::optional<support::Milliseconds> age{};  // since the last one ended; null: none has
    support::Milliseconds took{};
    bool under_way = false;
    std::uint64_t windows = 0;  // of the last one; of the first one so far
    std::uint64_t exhausted = 0;
    std::uint64_t found = 0;  // of the one under way
    std::size_t shards = 0;
    std::size_t shards_done = 0;
    Order order{};           // that its rows were chosen by
    std::string left_out{};  // for their state, in words; empty: none
};

struct Picture {
    std::string deployment;
    support::Moment now{};  // the application's clock
    support::Milliseconds every{};
    SweepPicture sweep;
    std::vector<std::string> troubles{};  // a line for each shard that does not answer
    std::vector<PictureRow> rows{};       // in order, filtered
    View view{};
    output::SinkOptions style{};  // ascii, zone, thousands
};

std::vector<output::ScreenLine> lines_of(const Picture& picture, const output::ScreenSize& size);
/// How many rows have room.
std::size_t page_of(const Picture& picture, const output::ScreenSize& size);

}  // namespace ratectl::commands::top
