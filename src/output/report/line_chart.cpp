// Draws curves.
#include "output/report/line_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/printable.h"
#include "output/report/report.h"

namespace ratectl::output {
namespace {

constexpr std::size_t kUsualWidth = 72;
constexpr std::size_t kMargin = 10;  // of text, left of the curve
constexpr std::size_t kRows = 8;
constexpr double kWide = 900, kHigh = 180, kLeft = 70, kTop = 34, kGap = 44;
constexpr std::size_t kMostPoints = 1500;
constexpr std::string_view kColors[] = {"#2f7fd0", "#c8641b", "#3a9a54", "#8a5cc2"};
constexpr std::string_view kQuiet = "#7a828c";

std::string short_number(double number) {
    if (number == 0) return "0";
    const double size = std::abs(number);
    return size >= 100  ? fmt::format("{:.0f}", number)
           : size >= 10 ? fmt::format("{:.1f}", number)
                        : fmt::format("{:.2f}", number);
}

std::string time_words(double seconds) {
    if (seconds < 120) return fmt::format("{:.0f}s", seconds);
    if (seconds < 7200) return fmt::format("{:.0f}m", seconds / 60);
    return fmt::format("{:.1f}h", seconds / 3600);
}

/// The greatest value of each of so many equal parts of the times, NaN where none is known; of a part without a time
/// that of the one before.
std::vector<double> greatest(const LineChart& chart, const Curve& curve, std::size_t parts) {
    if (chart.times.empty()) return {};
    std::vector<std::optional<double>> found(parts);
    const double first = chart.times.front();
    const double span = std::max(1e-9, chart.times.back() - first);
    for (std::size_t i = 0; i < chart.times.size() && i < curve.values.size(); ++i) {
        const double place = (chart.times[i] - first) / span * static_cast<double>(parts);
        auto& value = found[std::min(parts - 1, static_cast<std::size_t>(place))];
        value = value ? std::fmax(*value, curve.values[i]) : curve.values[i];  // a number before NaN
    }
    std::vector<double> result;
    result.reserve(parts);
    for (const auto& value : found) result.push_back(value ? *value : result.back());  // the first part has a time
    return result;
}

double top_of(const Curve& curve) {
    double top = curve.mark.value_or(0);
    for (const double value : curve.values) top = std::max(top, value);
    return top > 0 ? top : 1;
}

std::size_t row_of(double value, double top) {
    const double row = std::round(value / top * static_cast<double>(kRows - 1));
    return static_cast<std::size_t>(std::clamp(row, 0.0, static_cast<double>(kRows - 1)));
}

std::string panel_text(const LineChart& chart, const Curve& curve, std::size_t columns) {
    const double top = top_of(curve);
    const auto values = greatest(chart, curve, columns);
    std::string text = curve.name + (curve.mark ? fmt::format(" (- - {})", short_number(*curve.mark)) : "") + "\n";
    for (std::size_t line = kRows; line-- > 0;) {
        const bool is_marked = curve.mark && row_of(*curve.mark, top) == line;
        const double level = top * static_cast<double>(line) / static_cast<double>(kRows - 1);
        std::string row = fmt::format("{:>{}} |", short_number(level), kMargin - 2);
        for (std::size_t i = 0; i < values.size(); ++i)
            row += !std::isnan(values[i]) && row_of(values[i], top) == line ? '*' : is_marked && i % 2 == 0 ? '-' : ' ';
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) {
        if (c == '<')
            result += "&lt;";
        else if (c == '&')
            result += "&amp;";
        else if (c == '"')
            result += "&quot;";
        else
            result += c;
    }
    return result;
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
    return fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\" fill=\"{}\" font-family=\"sans-serif\" "
        "font-size=\"12\">{}</text>\n",
        x, y, anchor, kQuiet, escaped(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view color, std::string_view more) {
    return fmt::format("<line x1=\"{:.0f}\" y1=\"{:.1f}\" x2=\"{:.0f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x1, y1, x2,
                       y2, color, more);
}

std::string panel_svg(const LineChart& chart, const Curve& curve, std::string_view color, double y) {
    const double top = top_of(curve), wide = kWide - kLeft - 10;
    const auto height = [&](double value) { return y + kHigh * (1 - std::clamp(value / top, 0.0, 1.0)); };
    std::string svg = svg_text(kLeft, y - 8, "start", curve.name);
    for (const double level : {0.0, top / 2, top}) {
        svg += svg_line(kLeft, height(level), kLeft + wide, height(level), kQuiet, " stroke-opacity=\"0.35\"");
        svg += svg_text(kLeft - 6, height(level) + 4, "end", short_number(level));
    }
    if (curve.mark) {
        svg += svg_line(kLeft, height(*curve.mark), kLeft + wide, height(*curve.mark), kQuiet,
                        " stroke-dasharray=\"6 4\"");
    }
    const auto values = greatest(chart, curve, std::clamp<std::size_t>(chart.times.size(), 2, kMostPoints));
    std::string points;
    const auto draw = [&] {
        if (points.empty()) return;
        // Between two gaps is a point, which is seen by its ends alone.
        const bool is_alone = points.find(' ') == std::string::npos;
        svg += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} points=\"{}\"/>\n", color,
                           is_alone ? " stroke-linecap=\"round\"" : "", is_alone ? points + " " + points : points);
        points.clear();
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) {
            draw();
            continue;
        }
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ",
                              kLeft + wide * static_cast<double>(i) / static_cast<double>(values.size() - 1),
                              height(values[i]));
    }
    draw();
    return svg;
}

}  // namespace

std::string text_of(const LineChart& chart, std::size_t width) {
    const std::size_t whole = std::max<std::size_t>(width == 0 ? kUsualWidth : width, 2 * kMargin);
    const std::size_t columns = whole - kMargin;
    std::string text;
    for (const auto& curve : chart.curves) text += panel_text(chart, curve, columns);
    if (chart.times.empty()) return text;
    const std::string from = time_words(chart.times.front()), to = time_words(chart.times.back());
    return text + fmt::format("{:{}}{}{:>{}}\n", "", kMargin, from, to, columns - from.size());
}

std::string svg_of(const LineChart& chart) {
    const double high = kTop + static_cast<double>(chart.curves.size()) * (kHigh + kGap);
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n",
        kWide, high, escaped(chart.title));
    double y = kTop;
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        svg += panel_svg(chart, chart.curves[i], kColors[i % std::size(kColors)], y);
        y += kHigh + kGap;
    }
    if (!chart.times.empty()) {
        const double first = chart.times.front(), span = chart.times.back() - first;
        for (int i = 0; i <= 4; ++i) {
            svg += svg_text(kLeft + (kWide - kLeft - 10) * i / 4, high - 18,
                            i == 0   ? "start"
                            : i == 4 ? "end"
                                     : "middle",
                            time_words(first + span * i / 4));
        }
    }
    return svg + "</svg>\n";
}

void write_chart_page(ByteSink& out, const LineChart& chart) {
    fill_page(out, kChartHtml.text, [&](std::string_view place) {
        if (place == "TITLE") return escaped(chart.title);
        if (place == "ABOUT") return escaped(chart.about);
        return svg_of(chart);
    });
}

}  // namespace ratectl::output
