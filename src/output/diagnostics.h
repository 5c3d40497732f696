// Everything said on standard error: notices, warnings, errors, progress and the summary; as text or as one JSON object
// a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/byte_sink.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::output {

class Mask;

/// How often a line of progress is worth saying.
inline constexpr support::Milliseconds kProgressEvery{100};

struct DiagnosticsOptions {
    bool json = false;  // --messages json
    bool color = false;
    bool terminal = false;  // progress only then
    bool quiet = false;     // -q: errors and failures only
    int verbose = 0;
    std::size_t width = 80;  // of the terminal: progress never wraps
    std::string program = "ratectl";
    std::shared_ptr<const Mask> mask{};  // null: everything is said
};

/// Texts may hold raw bytes: they are made printable here. Every line is written and flushed whole.
class Diagnostics {
public:
    Diagnostics(ByteSink& err, DiagnosticsOptions options) : err_(err), options_(std::move(options)) {}

    void configure(DiagnosticsOptions options) { options_ = std::move(options); }
    const DiagnosticsOptions& options() const { return options_; }

    void notice(std::string_view message, std::string_view hint = {});
    void warning(std::string_view message, std::string_view hint = {});
    /// A warning, and below it the keys that it is about, as they may be shown: a line each, then `and MORE more`.
    /// JSON: {keys, more}.
    void warning_about(std::string_view message, const std::vector<std::string>& keys, std::uint64_t more);
    /// `ratectl: message`, and `hint: ...` on a line of its own, unless the message before had the same. JSON: {kind,
    /// code, message, hint, shard, node}.
    void error(const support::Error& error, std::string_view shard = {}, std::string_view node = {});
    /// A transient line, overwritten by the next and wiped by anything else; nothing unless stderr is a terminal.
    void progress(std::string_view line);
    void clear_progress();
    /// From now on nothing is written: a screen has the whole terminal. release() says what was held back.
    void hold() { holding_ = true; }
    void release();
    /// The last line of a command that changes or sweeps: `ratectl: 41 applied, 1 refused`; JSON: {kind: summary, NAME:
    /// n ..., message}, once and last of all: end() says it. `facts` are names and texts that only JSON has of their
    /// own.
    void summary(std::string_view message, const std::vector<std::pair<std::string, std::int64_t>>& counts = {},
                 const std::vector<std::pair<std::string, std::string>>& facts = {});

    /// When all is said: JSON ends with a summary whatever happened, with the exit code where the command has none of
    /// its own.
    void end(support::ExitCode code);

private:
    std::string fitted(const std::string& text, std::size_t used, std::size_t indent) const;
    void say(const std::string& lines);
    /// `members`: of the JSON object, behind the others.
    void line(std::string_view kind, std::string_view message, std::string_view hint, int code, std::string_view shard,
              std::string_view node, std::string_view members = {});

    ByteSink& err_;
    DiagnosticsOptions options_;
    bool progress_shown_ = false;
    bool holding_ = false;
    std::string held_;
    std::string hint_;     // of the last message
    std::string summary_;  // the JSON of the last one, for end()
};

}  // namespace ratectl::output
