// The screen of ncurses, on a terminal that is put back even where the third signal ends the process.
#pragma once

#include <memory>

#include "output/screen.h"

namespace ratectl::app {

/// As output::open_ncurses_screen().
std::unique_ptr<output::Screen> open_kept_screen(const output::ScreenOptions& options);

}  // namespace ratectl::app
