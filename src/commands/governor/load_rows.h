// Rows of time and load, as a monitoring system exports them: `time,load`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "input/line_reader.h"

namespace ratectl::commands::governor {

/// A load and when it was that; null: the row says that there is none, or has none that can be.
struct TimedLoad {
    support::WallTime at{};
    std::optional<double> load;
};
/// A load as programs print it: `2`, `1.75`, `3e-05`; null: it is none (`NaN`, `-1`, nothing).
std::optional<double> load_in(std::string_view text);
/// An epoch second, with a fraction or without, or RFC 3339; null: it is neither.
std::optional<support::WallTime> moment_in(std::string_view text);

class LoadRows {
public:
    /// `path`: `-` is standard input. Throws Failure (local_io) where it cannot be opened.
    LoadRows(const std::string& path, Context& context);
    /// Null at the end. Throws Failure (local_io) that names a line whose time cannot be read, or is before that of the
    /// last one, or which ends before its load, and where there is no row at all. A first line with neither a number
    /// for a load nor a digit where its time begins is a heading: under one of ours the columns at_iso (or else second)
    /// and load count, else the first two.
    std::optional<TimedLoad> next();
    /// Rows whose load is neither a load nor said to be none (`NaN`, nothing), and the first of them, in words.
    std::uint64_t unreadable() const { return unreadable_; }
    const std::string& first_unreadable() const { return first_unreadable_; }

private:
    std::optional<double> load_of(const std::string& cell);
    bool take_heading(const std::vector<std::string>& cells);
    [[noreturn]] void refuse(const std::string& what) const;

    bool first_ = true;
    std::uint64_t unreadable_ = 0;
    std::string first_unreadable_;
    std::size_t time_ = 0, load_ = 1;
    std::optional<std::size_t> instead_;  // of the time, where there is none
    std::optional<support::WallTime> last_;
    std::unique_ptr<input::ByteSource> source_;
    input::LineReader lines_;
};

}  // namespace ratectl::commands::governor
