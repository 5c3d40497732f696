// Where a governor's load comes from: commands, files, Prometheus, standard input. Whatever goes wrong there is a
// missing load, said once, and again only after there was one: what was read is not repeated, but for the last line of
// standard error of a command that failed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/request/syntax.h"
#include "domain/governor/decide.h"

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
void bind_loads(Syntax syntax, LoadFlags& flags);

/// One input.
class LoadSource {
public:
    virtual ~LoadSource() = default;
    /// A load, and when it was that where the source says so (null: now). Errors say why there is none.
    struct Load {
        double load = 0;
        std::optional<support::WallTime> at;
    };
    /// What would take longer than `limit` says nothing.
    virtual support::Result<Load> read(support::Milliseconds limit) = 0;
    /// `--load-command`, with its place among several.
    virtual std::string name() const = 0;
    /// It said when it was last read that it will never say anything again.
    virtual bool has_ended() const { return false; }
    /// What it said beside when it last failed: bytes of others. Empty: nothing.
    virtual std::string complaint() const { return {}; }
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

    std::size_t size() const { return inputs_.size(); }
    /// All of them, now: commands, then files, then queries. What is older than `stale_after`, or dated ahead by more,
    /// is handed on, and said to be no load. They share what is left until `until`, null: none waits for another.
    std::vector<domain::governor::Reading> read(const std::vector<double>& set_points,
                                                support::Milliseconds stale_after,
                                                std::optional<support::Deadline> until);
    /// Why some of them had no load when they were last read; empty: all had one.
    const std::string& missing() const { return missing_; }
    /// None of them will ever say anything again: standard input is the only one, and was found ended.
    bool have_ended() const;

private:
    struct Input {
        std::unique_ptr<LoadSource> source;
        std::string told;  // why it has no load; empty: it had one
    };

    void add_sources(const LoadFlags& flags, bool waits);
    /// `kind`: the same as long as it is not to be said again.
    void tell(Input& input, const std::string& kind, const std::string& what, const std::string& hint);
    support::Milliseconds limit_of(std::size_t input, std::optional<support::Deadline> until) const;
    domain::governor::Reading read(Input& input, double set_point, support::Milliseconds stale_after,
                                   support::Milliseconds limit);

    Context& context_;
    support::Milliseconds timeout_;
    std::string missing_;
    std::vector<Input> inputs_;
};

struct PrometheusFlags {
    std::string url;
    std::string query;
    std::string token_file;  // empty: no login
    std::string ca_file;     // empty: the system's authorities
};

/// Throws Failure (usage) for what is no URL, and (configuration) where the token cannot be read.
std::unique_ptr<LoadSource> prometheus_load(const PrometheusFlags& flags, std::string name, Context& context);

}  // namespace ratectl::commands::governor
