// Finds where keys are by one look at every shard for every key.
#include "commands/write/key_homes.h"

#include <algorithm>
#include <numeric>

#include "commands/write/write_run.h"
#include "domain/cluster/slot_faults.h"

namespace ratectl::commands {
namespace {

/// `alpha and beta`, `alpha, beta and gamma`.
std::string names_of(std::span<const std::size_t> shards, const store::Directory& directory) {
    std::string text;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        if (i > 0) text += i + 1 == shards.size() ? " and " : ", ";
        text += "'" + directory.name_of(shards[i]) + "'";
    }
    return text;
}

}  // namespace

KeyHomes::KeyHomes(const Filter& filter, Context& context)
    : context_(context),
      unknown_(!context.directory().knows_homes() && filter.shards().size() != 1),
      shards_(filter.shards()) {
    if (!unknown_) return;
    if (!context.settings().all_shards) {
        throw support::Failure(
            ExitCode::configuration,
            "nothing says how keys are shared out over the " + std::to_string(context.directory().places().size()) +
                " shards, so no key may be written; nothing was written",
            "--sharding PRESET, `sharding` in the configuration, or name the one shard with --shard; "
            "--all-shards if no rule places keys");
    }
    if (!shards_.empty()) return;
    shards_.resize(context.directory().places().size());
    std::iota(shards_.begin(), shards_.end(), std::size_t{0});
}

void KeyHomes::find(std::span<PlannedKey> keys) {
    std::vector<store::KeyAt> question;
    question.reserve(keys.size() * shards_.size());
    for (const PlannedKey& key : keys) {
        for (const std::size_t shard : shards_) question.push_back({key.key, shard});
    }
    const auto depth = keys.size() <= kFullLookUpTo ? domain::LookDepth::full : domain::LookDepth::light;
    const auto answers = context_.store().look({question, {domain::ReadFrom::Which::primary, {}}, depth, false, true});
    std::vector<std::vector<std::size_t>> silent(keys.size());
    for (const store::LookAnswer& answer : answers) {
        const std::size_t key = answer.key / shards_.size();
        const std::size_t shard = question[answer.key].place.shard;
        if (!answer.look) {
            silent[key].push_back(shard);
            note_failure(answer);
        } else if (!domain::is_absent(*answer.look)) {
            keys[key].homes.push_back(shard);
        }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        PlannedKey& key = keys[i];
        if (key.homes.size() > 1) {
            key.home = Home::several;
        } else if (!silent[i].empty()) {
            key.home = Home::unseen;
            key.homes = std::move(silent[i]);
        } else if (key.homes.empty()) {
            key.home = Home::nowhere;
        } else {
            key.shard = key.homes.front();
            key.homes.clear();
        }
    }
}

void KeyHomes::note_failure(const store::LookAnswer& answer) {
    if (context_.stop()) return;  // we gave up, not the node
    const bool known = std::any_of(failures_.begin(), failures_.end(), [&](const store::NodeFailure& failure) {
        return failure.node.shard == answer.node.shard;
    });
    if (!known) failures_.push_back({answer.node, answer.look.error()});
}

Refusal refuse_homeless(const PlannedKey& planned, bool opens, const store::Directory& directory) {
    if (planned.home == Home::several) {
        return refused(planned, "ambiguous", "is on the shards " + names_of(planned.homes, directory),
                       "--shard names the one that is meant");
    }
    if (planned.home == Home::unseen) {
        auto refusal = refused(planned, "no-look",
                               "may be on " + names_of(planned.homes, directory) +
                                   (planned.homes.size() == 1 ? ", which does" : ", which do") + " not answer",
                               "--shard names one shard, whatever the others have", ExitCode::unavailable);
        refusal.status = RowStatus::failed;
        return refusal;
    }
    if (planned.home == Home::unlooked) {
        auto refusal = refused(planned, "no-look", "was not looked at, so it is unknown whether the filters choose it",
                               {}, ExitCode::unavailable);
        refusal.status = RowStatus::failed;
        return refusal;
    }
    if (!opens) return skipped("absent");
    return refused(planned, "no-shard", "is on no shard, and the application chooses where to open a window",
                   "--shard names the shard to open it on");
}

// As the store does: single keys may begin where the slot goes to, while those of several, or one with an operation key
// beside it, have to be all at one end.
std::optional<Refusal> foresee_slot(const Subject& subject, const store::OpenSlots& open,
                                    const store::Directory& directory, bool op_keys) {
    if (open.slots.empty()) return std::nullopt;
    const auto place = directory.place_of(subject.planned.key);
    const auto way = open.slots.find(place && place->slot ? *place->slot : 0);
    if (!place || way == open.slots.end() || !way->second.from) return std::nullopt;
    const auto& parts = subject.look.parts;
    if (!op_keys && (parts.size() == 1 || std::ranges::all_of(parts, domain::is_there))) return std::nullopt;
    auto refusal = refused(subject.planned, "unavailable",
                           "is in a slot that is on its way to another node of the Redis Cluster, and as long as it is "
                           "a change is refused",
                           std::string(domain::kWaitForSlot), ExitCode::unavailable);
    refusal.status = RowStatus::failed;
    if (op_keys) refusal.error->hint += domain::kAloneMeanwhile;
    return refusal;
}

}  // namespace ratectl::commands
