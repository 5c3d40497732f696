// Asks a governor's inputs.
#include "commands/governor/loads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "commands/governor/load_rows.h"
#include "config/password_source.h"
#include "input/line_reader.h"
#include "support/descriptor.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands::governor {
namespace {

using support::Failure;
using Load = LoadSource::Load;

constexpr support::Milliseconds kUsualTimeout{5000};
constexpr std::size_t kTail = 4096;

class CommandLoad final : public LoadSource {
public:
    CommandLoad(std::string command, std::string name, Context& context)
        : command_(std::move(command)), name_(std::move(name)), context_(context) {}

    support::Result<Load> read(support::Milliseconds limit) override {
        const auto line = config::first_line_of_command(command_, limit, context_.patience(), &complaint_);
        if (!line) return tl::make_unexpected(line.error());
        complaint_.clear();
        return load_of_line(*line);
    }
    std::string name() const override { return name_; }
    std::string complaint() const override { return complaint_; }

private:
    std::string command_, name_, complaint_;
    Context& context_;
};

/// The last line of a file; where it has no moment of its own it is as old as the file.
class FileLoad final : public LoadSource {
public:
    FileLoad(std::string path, std::string name) : path_(std::move(path)), name_(std::move(name)) {}

    support::Result<Load> read(support::Milliseconds) override {
        const support::Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        const int open_error = errno;
        if (file.get() < 0) return no_load("cannot be opened: " + support::errno_text(open_error));
        struct stat facts {};
        if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return no_load("is no regular file");
        const auto from = std::max<off_t>(0, facts.st_size - static_cast<off_t>(kTail));
        std::string tail(kTail, '\0');
        const auto got = ::pread(file.get(), tail.data(), tail.size(), from);
        const int read_error = errno;
        if (got < 0) return no_load("cannot be read: " + support::errno_text(read_error));
        tail.resize(static_cast<std::size_t>(got));
        while (!tail.empty() && (tail.back() == '\n' || tail.back() == '\r' || tail.back() == ' ')) tail.pop_back();
        auto load = load_of_line(std::string_view(tail).substr(tail.find_last_of('\n') + 1));
        if (load && !load->at) {
            const std::chrono::seconds seconds{facts.st_mtim.tv_sec};
            const auto rest =
                std::chrono::floor<support::Milliseconds>(std::chrono::nanoseconds{facts.st_mtim.tv_nsec});
            load->at = support::WallTime{seconds + rest};
        }
        return load;
    }
    std::string name() const override { return name_; }

private:
    std::string path_, name_;
};

/// A line a sample: the last one that is there counts, until another one comes, or the end is found.
class InputLoad final : public LoadSource {
public:
    InputLoad(bool waits, Context& context) : waits_(waits), context_(context), lines_(context.in()) {}

    support::Result<Load> read(support::Milliseconds) override {
        std::optional<std::string> last;
        while (!ended_ && !context_.stop() && (waits_ || lines_.ready())) {
            const auto line = lines_.next();
            ended_ = !line;
            if (line && !line->empty()) last = *line;
        }
        if (last) {
            auto load = load_of_line(*last);
            if (!load) return load;
            last_ = *load;
            if (!last_->at) last_->at = context_.wall_clock();
        }
        if (!last && ended_) {
            found_ended_ = true;
            return no_load("it has ended");
        }
        if (!last_) return no_load("has said nothing yet");
        return *last_;
    }
    std::string name() const override { return "standard input"; }
    bool has_ended() const override { return found_ended_; }

private:
    bool waits_;
    Context& context_;
    input::LineReader lines_;
    bool ended_ = false;
    /// The end may be read along with a last line, which is a load as any other.
    bool found_ended_ = false;
    std::optional<Load> last_;
};

std::string numbered(std::string_view flag, std::size_t number, std::size_t of) {
    return of > 1 ? fmt::format("{} {}", flag, number) : std::string(flag);
}

}  // namespace

void bind_loads(Syntax syntax, LoadFlags& flags) {
    const auto add = [&syntax](const char* name, auto& value, const char* type, const char* about) {
        return syntax.add_option(name, value, about).type_name(type).group("Load");
    };
    add("--load-command", flags.commands, "COMMAND", "run by the shell; the first line that it writes is the load");
    add("--load-file", flags.files, "FILE",
        "its last line is the load, which is as old as the file; `-`: standard input, a line a sample, until it ends");
    add("--query", flags.queries, "EXPRESSION", "an instant query whose one result is the load");
    add("--load-prometheus", flags.prometheus, "URL", "the Prometheus server that is asked: http://HOST:9090");
    add("--load-token-file", flags.token_file, "FILE", "the token that it wants (Authorization: Bearer)");
    add("--load-ca-file", flags.ca_file, "FILE", "who vouches for its certificate (default: the system's authorities)");
    add("--load-timeout", flags.timeout, "DURATION",
        "how long a command or a query may take (default 5s), and never past --hold-for");
}

tl::unexpected<support::Error> no_load(std::string what) {
    return support::failure(ExitCode::local_io, std::move(what));
}

support::Result<Load> load_of_line(std::string_view line) {
    const auto gap = line.find_last_of(" \t");
    const auto load = load_in(gap == std::string_view::npos ? line : line.substr(gap + 1));
    std::optional<support::WallTime> at;
    if (load && gap != std::string_view::npos) {
        at = moment_in(line.substr(0, gap));
        if (!at) return no_load("said two words of which the first is no time");
    }
    if (!load) return no_load("said no number from 0 on");
    return Load{*load, at};
}

Loads::Loads(const LoadFlags& flags, bool waits, Context& context)
    : context_(context),
      timeout_(flags.timeout ? support::duration_of("--load-timeout", *flags.timeout) : kUsualTimeout) {
    if (flags.prometheus.empty() != flags.queries.empty())
        throw Failure(ExitCode::usage, "--load-prometheus URL and --query EXPRESSION go together");
    if (std::ranges::count(flags.files, std::string("-")) > 1)
        throw Failure(ExitCode::usage, "standard input can be one input only", {});
    add_sources(flags, waits);
    if (inputs_.empty())
        throw Failure(ExitCode::usage, "what is the load? no input was named",
                      "--load-command COMMAND, --load-file FILE, or --load-prometheus URL --query EXPRESSION");
}

void Loads::add_sources(const LoadFlags& flags, bool waits) {
    for (const auto& command : flags.commands) {
        if (command.empty()) throw Failure(ExitCode::usage, "--load-command names no command", {});
        auto name = numbered("--load-command", inputs_.size() + 1, flags.commands.size());
        inputs_.push_back({std::make_unique<CommandLoad>(command, std::move(name), context_), {}});
    }
    for (const auto& path : flags.files) {
        auto& source = inputs_.emplace_back().source;
        if (path == "-")
            source = std::make_unique<InputLoad>(waits, context_);
        else
            source = std::make_unique<FileLoad>(path, "--load-file " + support::quoted(path));
    }
    for (const auto& query : flags.queries) {
        inputs_.push_back({prometheus_load({flags.prometheus, query, flags.token_file, flags.ca_file},
                                           "--query " + support::quoted(query), context_),
                           {}});
    }
}

void Loads::tell(Input& input, const std::string& kind, const std::string& what, const std::string& hint) {
    const auto text = input.source->name() + ": no load: " + what;
    missing_ += (missing_.empty() ? "" : "; ") + text;
    if (std::exchange(input.told, kind) != kind) context_.messages().warning(text, hint);
}

domain::governor::Reading Loads::read(Input& input, double set_point, support::Milliseconds stale_after,
                                      support::Milliseconds limit) {
    const auto load = input.source->read(limit);
    const auto now = context_.wall_clock();
    if (!load) {
        const auto& error = load.error();
        const auto complaint = input.source->complaint();
        tell(input, error.message, error.message + (complaint.empty() ? "" : "; it says " + support::quoted(complaint)),
             error.hint);
        return {{}, set_point, now};
    }
    const auto at = load->at.value_or(now);
    if (now - at > stale_after) {
        tell(input, "old",
             fmt::format("it is {} old, and --stale-after is {}", support::format_duration(now - at),
                         support::format_duration(stale_after)),
             {});
    } else if (at - now > stale_after) {
        tell(input, "ahead", fmt::format("it is dated {} ahead", support::format_duration(at - now)),
             "the clocks of the two differ, or its times are no epoch seconds in UTC");
    } else {
        input.told.clear();
    }
    return {load->load, set_point, at};
}

support::Milliseconds Loads::limit_of(std::size_t input, std::optional<support::Deadline> until) const {
    if (!until) return timeout_;
    const auto left = std::chrono::duration_cast<support::Milliseconds>(*until - std::chrono::steady_clock::now());
    const auto share = left / static_cast<std::int64_t>(inputs_.size() - input);
    return std::clamp(share, support::Milliseconds{1}, std::max(timeout_, support::Milliseconds{1}));
}

std::vector<domain::governor::Reading> Loads::read(const std::vector<double>& set_points,
                                                   support::Milliseconds stale_after,
                                                   std::optional<support::Deadline> until) {
    std::vector<domain::governor::Reading> readings;
    missing_.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        try {
            readings.push_back(read(inputs_[i], set_points[i], stale_after, limit_of(i, until)));
        } catch (const Failure&) {
            if (!context_.stop()) throw;
            readings.push_back({{}, set_points[i], {}});
        }
    }
    return readings;
}

bool Loads::have_ended() const {
    return std::ranges::all_of(inputs_, [](const Input& input) { return input.source->has_ended(); });
}

}  // namespace ratectl::commands::governor
