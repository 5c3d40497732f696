// Where a governor's load comes from: commands, files, Prometheus, standard input. Whatever goes wrong there is a
// missing load, said once, and never more: what was read is not repeated.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/context.h"
#include "domain/governor/decide.h"

namespace CLI {
class App;
}

namespace ratectl::commands::governor {

/// As given.
struct LoadFlags {
    std::vector<std::string> commands;   // --load-command CMD
    std::vector<std::string> files;      // --load-file FILE, `-` is standard input
    std::vector<std::string> queries;    // --query EXPR, asked of that server
    std::string prometheus;              // --load-prometheus URL
    std::string token_file;              // --load-token-file FILE
    std::string ca_file;                 // --load-ca-file FILE
    std::optional<std::string> timeout;  // --load-timeout D
};
void bind_loads(CLI::App& app, LoadFlags& flags);

/// One input.
class LoadSource {
public:
    virtual ~LoadSource() = default;
    /// A load, and when it was that where the source says so (null: now). Errors say why there is none.
    struct Load {
        double load = 0;
        std::optional<support::WallTime> at;
    };
    virtual support::Result<Load> read() = 0;
    /// `--load-command`, with its place among several.
    virtual std::string name() const = 0;
    /// It will never say anything again.
    virtual bool has_ended() const { return false; }
};

/// `2.5`, or a moment and a load: `1767225600 2.5`.
support::Result<LoadSource::Load> load_of_line(std::string_view line);
/// How a load that cannot be taken is told.
tl::unexpected<support::Error> no_load(std::string what);

class Loads {
public:
    /// `waits`: standard input is read to its end, for its last line; else what it has ready. Throws Failure (usage)
    /// where no input was named, or what is named cannot be one.
    Loads(const LoadFlags& flags, bool waits, Context& context);

    std::size_t size() const { return sources_.size(); }
    /// All of them, now.
    std::vector<domain::governor::Reading> read(const std::vector<double>& set_points);
    /// One of them, standard input, has said its last.
    bool have_ended() const;

private:
    Context& context_;
    std::vector<std::unique_ptr<LoadSource>> sources_;
    std::set<std::string> told_;
};

}  // namespace ratectl::commands::governor
