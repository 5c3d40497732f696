// Keys in, places out, one row at a time: the shard map does the work, the configuration names the servers.
#include "commands/locate.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include <fmt/format.h>

#include "commands/fields/locate_fields.h"
#include "commands/row_writer.h"
#include "commands/selection.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kChunk = 1000;
constexpr std::string_view kRingSteps = "key,tag,hash,hash_value,point,label,shard,runner_up";
constexpr std::string_view kBucketSteps = "key,tag,hash,hash_value,bucket,shard";

struct LocateRequest {
    Selection selection;
    bool steps = false;
};

void bind_locate(CLI::App& app, LocateRequest& request) {
    Selection& s = request.selection;
    app.add_option("key", s.keys, "a key, literally; `-` reads keys from standard input")->type_name("KEY");
    const auto add = [&app](const char* name, auto& value, const char* type, const char* about) {
        return app.add_option(name, value, about)->type_name(type)->group("Selection");
    };
    add("--client", s.clients, "ID", "every key of this client, over all policies; `-` reads ids from standard input");
    add("--policy", s.policies, "NAME", "only keys of these policies")->delimiter(',');
    add("--input", s.input, "keys|ndjson|csv",
        "what `-` holds (default: ndjson if it begins with {\", else keys, one a line)");
    app.add_flag("--steps", request.steps, "how the key gets there: tag, hash, ring point and its label, runner-up");
}

/// The application's rule; without one, nobody can know.
const sharding::ShardMap& map_of(Context& context) {
    if (const sharding::ShardMap* map = context.shard_map()) return *map;
    const std::size_t shards = context.settings().shards.size();
    if (context.settings().all_shards) {
        throw support::Failure(ExitCode::configuration,
                               fmt::format("{} shards, and no rule places keys on them (all-shards): which one a key "
                                           "lives on cannot be computed",
                                           shards),
                               "`ratectl check KEY` looks on every shard and names those that have it");
    }
    throw support::Failure(
        ExitCode::configuration, fmt::format("{} shards, and nobody said how keys are shared out among them", shards),
        "name the application's rule with --sharding, or sharding = \"...\" in the configuration; `check` "
        "looks on every shard instead");
}

void warn_of_collisions(Context& context, const sharding::ShardMap& map) {
    const auto& all = map.collisions();
    const auto open = std::count_if(all.begin(), all.end(), [](const sharding::Collision& c) { return !c.decided; });
    if (open == 0) return;
    context.messages().warning(fmt::format("{} of the ring's points belong to two shards at once; the library leaves "
                                           "open which of them has their keys",
                                           open),
                               "a key whose point is one of them may be on the other shard");
}

/// True when --columns names one of the steps.
bool names_a_step(const Context& context) {
    const std::string names = "," + context.options().columns.value_or("") + ",";
    const auto steps = step_fields().subspan(place_fields().size());
    return std::any_of(steps.begin(), steps.end(), [&](const auto& field) {
        return names.find(fmt::format(",{},", field.column.name)) != std::string::npos;
    });
}

/// The steps that this kind of distribution has.
std::string_view steps_of(const sharding::ShardMap& map) { return map.explain("").bucket ? kBucketSteps : kRingSteps; }

class Locator {
public:
    Locator(const LocateRequest& request, Context& context)
        : context_(context),
          settings_(context.settings()),
          map_(map_of(context)),
          filter_(request.selection, settings_),
          steps_(request.steps || names_a_step(context)),
          writer_(context, steps_ ? step_fields() : place_fields(), "ratectl.places.v1",
                  steps_ ? steps_of(map_) : std::string_view{}) {}

    void take(const std::string& key) {
        notice_half(key);
        const auto match = settings_.policies.match(key);
        if (!filter_.accepts_match(match)) return;
        if (!steps_) {
            writer_.write({key, settings_.shards[map_.shard_of(key)], match, nullptr, {}});
            return;
        }
        const sharding::Steps steps = map_.explain(key);
        const std::string_view runner_up =
            steps.runner_up ? settings_.shards[*steps.runner_up].shard.name : std::string_view{};
        writer_.write({key, settings_.shards[steps.shard], match, &steps, runner_up});
    }
    void flush() { writer_.flush(); }
    ExitCode end() { return writer_.end({}); }
    const sharding::ShardMap& map() const { return map_; }

private:
    /// An expiry half is not placed by its own name: said once, the row shows where that name would live.
    void notice_half(std::string_view key);

    Context& context_;
    const config::Settings& settings_;
    const sharding::ShardMap& map_;
    Filter filter_;
    bool steps_;
    bool half_noticed_ = false;
    RowWriter<LocateRow> writer_;
};

void Locator::notice_half(std::string_view key) {
    const std::string& suffix = settings_.expiry_suffix;
    if (half_noticed_ || suffix.empty() || !key.ends_with(suffix) || key.size() == suffix.size()) return;
    half_noticed_ = true;
    const std::string counter(key.substr(0, key.size() - suffix.size()));
    context_.messages().notice(
        fmt::format("'{}' looks like the expiry half of '{}', and both halves live where '{}' does", key, counter,
                    counter),
        fmt::format("ask for '{}' instead", counter));
}

ExitCode run_locate(const LocateRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(step_fields()))) return ExitCode::done;
    if (!names_keys(request.selection)) {
        throw support::Failure(ExitCode::usage, "which key?",
                               "name keys, or `-` to read them from standard input, or --client ID");
    }
    check_selection(request.selection);
    Locator locator(request, context);
    warn_of_collisions(context, locator.map());
    KeyStream keys(request.selection, context);
    for (auto chunk = keys.next(kChunk); !chunk.empty(); chunk = keys.next(kChunk)) {
        for (const NamedKey& named : chunk) locator.take(named.key);
        if (chunk.size() < kChunk) locator.flush();
    }
    return locator.end();
}

}  // namespace

Command locate_command() {
    return {"locate", Group::investigate, "which shard and servers a key lives on",
            "# on which shard is this client's counter?\n"
            "ratectl locate core:42\n"
            "# how did it get there?\n"
            "ratectl locate --steps core:42\n"
            "# a million keys, one JSON object each\n"
            "ratectl locate -o ndjson - < keys.txt",
            bind_request<LocateRequest, bind_locate, run_locate>};
}

}  // namespace ratectl::commands
