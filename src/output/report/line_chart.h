// Curves over one time, one panel above the other: as text, as SVG, and as a page around that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/byte_sink.h"

namespace ratectl::output {

struct Curve {
    std::string name;            // `load`
    std::vector<double> values;  // as many as the chart has times; NaN: none is known, and the curve has a gap
    std::optional<double> mark;  // a level that is drawn across: a set point
};

struct LineChart {
    std::string title;
    std::string about;          // one sentence below it
    std::vector<double> times;  // seconds, growing
    std::vector<Curve> curves;
};

/// ASCII, each panel eight lines high; `width` columns, 0: 72. A column shows the greatest value of its times.
std::string text_of(const LineChart& chart, std::size_t width);
/// Shapes and attributes alone, so that it is the same in a page whose policy forbids styles of its own.
std::string svg_of(const LineChart& chart);
/// A page that holds everything, loads nothing and runs nothing.
void write_chart_page(ByteSink& out, const LineChart& chart);

}  // namespace ratectl::output
