// locate: prints each key's place, one row at a time; the shard map computes it, the configuration names the servers.
#include "commands/all_commands.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/locate_fields.h"
#include "commands/report/property_sheet.h"
#include "commands/report/row_writer.h"
#include "commands/report/sharding_collisions.h"
#include "commands/request/refused_flags.h"
#include "commands/request/selection.h"
#include "domain/cluster/slot_faults.h"
#include "store/directory.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kLocatedAtOnce = 1000;
constexpr std::string_view kPlacesSchema = "ratectl.places.v1";
constexpr std::string_view kRingSteps = "key,tag,hash,hash_value,point,label,shard,runner_up";
constexpr std::string_view kBucketSteps = "key,tag,hash,hash_value,bucket,shard";
constexpr std::string_view kSlotSteps = "key,tag,hash,hash_value,bucket,shard,slot_state";
constexpr std::size_t kToldUnfit = 10;
constexpr std::string_view kOwnerless = "no node has it";

struct LocateRequest {
    Selection selection;
    bool steps = false;
    ColumnOrder order;
};

void bind_locate(Syntax syntax, LocateRequest& request) {
    Selection& s = request.selection;
    syntax.add_option("key", s.keys, "a key, literally; `-` reads keys from standard input").type_name("KEY");
    const auto add = [&syntax](const char* name, auto& value, const char* type, const char* about) {
        return syntax.add_option(name, value, about).type_name(type).group("Selection");
    };
    add("--client", s.clients, "ID", "every key of this client, over all policies; `-` reads ids from standard input");
    add("--policy", s.policies, "NAME", "only keys of these policies").delimiter(',');
    bind_input_format(syntax, s);
    syntax.add_flag("--steps", request.steps,
                    "how the key gets there: tag, hash, ring point and its label, the points beside it, runner-up");
    bind_row_order(syntax, request.order);
    refuse_other_nodes(syntax, "where a key lives is computed, and no node is asked");
}

/// The application's rule; without one, where a key lives is not known.
const sharding::ShardMap& map_to_locate_by(Context& context) {
    if (const sharding::ShardMap* map = context.directory().rule()) return *map;
    const std::size_t shards = context.directory().places().size();
    if (context.settings().all_shards) {
        throw support::Failure(ExitCode::configuration,
                               fmt::format("{} shards, and no rule places keys on them (all-shards): which one a key "
                                           "lives on cannot be computed",
                                           shards),
                               "`ratectl check KEY` looks on every shard and names those that have it");
    }
    throw support::Failure(
        ExitCode::configuration, fmt::format("{} shards, and nothing says how keys are shared out among them", shards),
        "name the application's rule with --sharding, or sharding = \"...\" in the configuration; `check` "
        "looks on every shard instead");
}

/// True when --columns names one of the steps.
bool names_a_step(const Context& context) {
    const std::string names = "," + context.options().columns.value_or("") + ",";
    const auto steps = step_fields().subspan(place_fields().size());
    return std::any_of(steps.begin(), steps.end(), [&](const auto& field) {
        return names.find(fmt::format(",{},", field.column.name)) != std::string::npos;
    });
}

bool names_one_key(const Selection& selection) {
    return selection.clients.empty() && selection.keys.size() == 1 && selection.keys.front() != "-";
}

/// The steps that this kind of distribution has.
std::string_view steps_of(const sharding::ShardMap& map, const store::Directory& directory) {
    if (directory.has_slots()) return kSlotSteps;
    return map.explain("").bucket ? kBucketSteps : kRingSteps;
}

/// What the nodes of a Redis Cluster say of slots that are on their way, asked once.
class SlotStates {
public:
    explicit SlotStates(Context& context) : directory_(context.directory()) {
        if (directory_.has_slots()) open_ = context.store().open_slots();
    }
    bool is_ownerless(const std::optional<std::uint16_t>& slot) const {
        if (!open_ || !slot) return false;
        const auto found = open_->slots.find(*slot);
        return found != open_->slots.end() && !found->second.from && !found->second.to;
    }
    /// On its way: some of its keys may have gone ahead.
    bool is_moving(const std::optional<std::uint16_t>& slot) const {
        return open_ && slot && open_->slots.contains(*slot) && !is_ownerless(slot);
    }
    /// Valid until it is asked again.
    std::string_view of(const std::optional<std::size_t>& slot, std::size_t shard) {
        if (!open_ || !slot) return {};
        const auto found = open_->slots.find(static_cast<std::uint16_t>(*slot));
        if (found == open_->slots.end()) {
            const bool told = std::ranges::find(open_->silent, shard) == open_->silent.end();
            return told ? "settled" : "";
        }
        const auto name_of = [this](const std::optional<std::size_t>& place) {
            return place ? directory_.name_of(*place) : std::string("a node that does not say so");
        };
        text_ = fmt::format("migrating from {} to {}", name_of(found->second.from), name_of(found->second.to));
        return text_;
    }

private:
    const store::Directory& directory_;
    std::optional<store::OpenSlots> open_;
    std::string text_;
};

/// Where sentinels tell of servers, they are asked. What they do not tell is said; where the key lives is computed.
std::vector<LocatedShard> located_shards(Context& context) {
    const auto& directory = context.directory();
    std::vector<LocatedShard> shards(directory.places().begin(), directory.places().end());
    if (!directory.is_told()) return shards;
    try {
        const auto& asked = context.store().directory();
        for (std::size_t i = 0; i < shards.size(); ++i) {
            const auto& primary = asked.primary(i);
            if (!primary.endpoint.is_to_be_told()) shards[i].node = primary.name();
            if (const auto why = asked.silence(i); why && why->code == ExitCode::configuration)
                context.messages().warning(fmt::format("shard '{}': {}", asked.name_of(i), why->message), why->hint);
        }
    } catch (const support::Failure& failure) {
        if (failure.error().code != ExitCode::configuration) throw;
        context.messages().warning(failure.error().message, failure.error().hint);
    }
    return shards;
}

class Locator {
public:
    Locator(const LocateRequest& request, Context& context)
        : context_(context),
          settings_(context.settings()),
          limiter_(limiter_of(settings_)),
          map_(map_to_locate_by(context)),
          shards_(located_shards(context)),
          filter_(request.selection, settings_, context.directory()),
          steps_(request.steps || names_a_step(context)),
          upright_(request.steps && names_one_key(request.selection) && stands_upright(context, kPlacesSchema)),
          writer_(context, steps_ ? step_fields() : place_fields(), kPlacesSchema,
                  steps_ ? steps_of(map_, context.directory()) : std::string_view{}, true, request.order) {}

    void take(const std::string& key, const KeyStream& keys) {
        keys.meant().note_part(key);  // the row shows where that name would live
        const auto match = match_of(key, settings_);
        if (const auto refused = filter_.refused_by(match); !refused.empty()) return keys.left_out().note(key, refused);
        if (!slots_) slots_.emplace(context_);
        const auto& directory = context_.directory();
        const auto place = directory.has_slots() ? directory.place_of(key) : std::nullopt;
        const bool has_owner = !place || !slots_->is_ownerless(place->slot);
        const bool is_fit = is_taken(key);
        if (is_fit) ++(has_owner ? owned_ : ownerless_);
        const auto& shard = has_owner && is_fit ? located(shard_of(key, place)) : nowhere_;
        if (!steps_) return writer_.write({key, shard, match, nullptr, shards_, limiter_.of(key)});
        const sharding::Steps steps = map_.explain(key);
        const LocateRow row{key,
                            shard,
                            match,
                            &steps,
                            shards_,
                            limiter_.of(key),
                            has_owner ? slots_->of(steps.bucket, steps.shard) : kOwnerless};
        if (upright_) {
            upright_code_ = write_properties(properties_of(step_fields(), row), kPlacesSchema, context_);
        } else {
            writer_.write(row);
        }
    }
    void flush() { writer_.flush(); }
    void end(Outcome& outcome, bool complete) {
        if (owned_ > 0) outcome.answer();
        if (ownerless_ > 0) {
            const support::Error error{
                ExitCode::unavailable,
                fmt::format("{} of {} keys: no node of the Redis Cluster has the slot, so that nothing can be counted "
                            "there",
                            ownerless_, owned_ + ownerless_),
                std::string(domain::kGiveSlotANode)};
            outcome.fail({}, error);
        }
        for (const auto& error : unfit_) outcome.fail({}, error);
        if (more_unfit_ > 0) {
            outcome.fail({}, {ExitCode::usage, fmt::format("{} more keys are none that a memcached has", more_unfit_),
                              "their rows name no server"});
        }
        outcome.add(upright_code_ ? *upright_code_ : writer_.end(outcome.footer(complete)));
    }
    const sharding::ShardMap& map() const { return map_; }

private:
    /// Where the key is now: ahead of its slot, it may be at the node that this goes to.
    std::size_t shard_of(const std::string& key, const std::optional<store::Place>& place) {
        if (!place) return map_.shard_of(key);
        if (!slots_->is_moving(place->slot)) return place->shard;
        const store::KeyAt asked{key, *place};
        return context_.store().find_keys({&asked, 1}).front().at.place.shard;
    }
    /// Nodes of a Redis Cluster come, and there are failovers.
    const LocatedShard& located(std::size_t shard) {
        const auto& directory = context_.directory();
        if (!directory.has_slots()) return shards_.at(shard);
        for (auto next = shards_.size(); next < directory.places().size(); ++next)
            shards_.emplace_back(directory.places()[next]);
        shards_.at(shard).node = context_.store().nodes(shard).front().name();
        return shards_.at(shard);
    }
    /// Of the others the first are kept, and why.
    bool is_taken(const std::string& key) {
        if (settings_.kind != config::DeploymentKind::memcached) return true;
        auto error = context_.store().unfit(key);
        if (!error) return true;
        if (unfit_.size() == kToldUnfit) {
            ++more_unfit_;
        } else {
            unfit_.push_back(*std::move(error));
        }
        return false;
    }

    Context& context_;
    const config::Settings& settings_;
    const domain::Limiter& limiter_;
    const sharding::ShardMap& map_;
    std::vector<LocatedShard> shards_;
    const LocatedShard nowhere_{domain::Shard{}};
    std::uint64_t owned_ = 0;
    std::uint64_t ownerless_ = 0;  // keys of slots that no node of a Redis Cluster has
    std::vector<support::Error> unfit_;
    std::uint64_t more_unfit_ = 0;
    Filter filter_;
    bool steps_;
    bool upright_;
    RowWriter<LocateRow> writer_;
    std::optional<SlotStates> slots_;  // once a key has been taken
    std::optional<ExitCode> upright_code_;
};

ExitCode run_locate(const LocateRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(step_fields()))) return ExitCode::done;
    if (!names_keys(request.selection)) {
        throw support::Failure(ExitCode::usage, "which key?",
                               "name keys, or `-` to read them from standard input, or --client ID");
    }
    check_selection(request.selection);
    Locator locator(request, context);
    if (request.steps) {
        report_collisions(context, locator.map());
    } else {
        warn_of_open_collisions(context, locator.map());
    }
    KeyStream keys(request.selection, context);
    Outcome outcome(context);
    std::vector<NamedKey> memory;
    std::uint64_t located = 0;
    try {
        for (auto chunk = keys.next(kLocatedAtOnce, memory); !chunk.empty();
             chunk = keys.next(kLocatedAtOnce, memory)) {
            for (const NamedKey& named : chunk) locator.take(named.key, keys);
            located += chunk.size();
            if (!keys.ready()) locator.flush();
        }
    } catch (const support::Failure& failure) {  // a line that is no key: what came before it has its rows
        const auto told = outcome.broken_off(failure, located > 0);
        locator.end(outcome, false);
        throw support::Failure(told);
    }
    keys.left_out().tell(outcome);
    locator.end(outcome, true);
    return outcome.code();
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
