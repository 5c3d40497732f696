// Samples keys with one stream a shard, so that a full shard stops being read while others go on.
#include "commands/setup/sharding_sample.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "commands/report/row_writer.h"
#include "commands/sweep/subject.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kUsualSample = 2'000;
constexpr std::size_t kLargestSample = 1'000'000;

class Sampler {
public:
    Sampler(std::size_t per_shard, Context& context)
        : per_shard_(per_shard),
          context_(context),
          settings_(context.settings()),
          everything_({}, settings_, context.directory()),
          subject_({}, everything_, settings_),
          sample_{{}, Outcome(context)} {
        using Which = domain::ReadFrom::Which;
        const auto from = settings_.from_given ? settings_.read_from : settings_.scan_from;
        if (from.which == Which::all || from.which == Which::node) {
            throw support::Failure(ExitCode::usage, "a sample is taken from one node of every shard",
                                   "--from primary or --from replica");
        }
        for (std::size_t shard = 0; shard < context_.directory().places().size(); ++shard) {
            sample_.shards.push_back({.shard = shard, .node = {}, .keys = {}, .complete = false});
            auto question = subject_.question();
            question.shards = {shard};
            question.from = from;
            streams_.push_back(context.store().scan(std::move(question)));
        }
    }

    Sample run() {
        for (bool any = true; any;) {
            any = false;
            for (std::size_t shard = 0; shard < streams_.size(); ++shard) {
                if (streams_[shard] && pull(shard)) any = true;
            }
            context_.messages().progress(fmt::format("{} windows sampled", sample_.size()));
        }
        context_.messages().clear_progress();
        return std::move(sample_);
    }

private:
    /// False when this shard has given what it has, or enough.
    bool pull(std::size_t shard) {
        const auto* page = streams_[shard]->next();
        if (page) {
            take(*page);
            if (sample_.shards[shard].keys.size() < per_shard_) return true;
        }
        finish(shard);
        return false;
    }

    void take(const store::ScanPage& page) {
        // A node may have joined the Redis Cluster meanwhile.
        for (auto next = sample_.shards.size(); next <= page.shard; ++next)
            sample_.shards.push_back({.shard = next, .node = {}, .keys = {}, .complete = false});
        ShardSample& part = sample_.shards[page.shard];
        part.node = page.node;
        for (const domain::WindowLook& look : page.looks) {
            if (part.keys.size() == per_shard_) return;
            if (!subject_.takes(look, meaning_of(look, settings_))) continue;
            if (seen_.emplace(page.shard, look.key).second) part.keys.push_back(look.key);
        }
    }

    void finish(std::size_t shard) {
        const auto& stream = *streams_[shard];
        ShardSample& part = sample_.shards[shard];
        part.complete = !stream.progress().empty() &&
                        std::all_of(stream.progress().begin(), stream.progress().end(),
                                    [](const store::ShardProgress& progress) { return progress.complete; });
        for (const auto& [node, error] : stream.failures()) sample_.outcome.fail_once(node, error);
        if (part.node || stream.failures().empty()) sample_.outcome.answer();
        streams_[shard].reset();
    }

    std::size_t per_shard_;
    Context& context_;
    const config::Settings& settings_;
    Filter everything_;
    SweepSubject subject_;
    Sample sample_;
    std::vector<std::unique_ptr<store::ScanStream>> streams_;
    std::set<std::pair<std::size_t, std::string>> seen_;
};

}  // namespace

std::size_t Sample::size() const {
    std::size_t count = 0;
    for (const ShardSample& part : shards) count += part.keys.size();
    return count;
}

std::vector<sharding::Sighting> Sample::sightings() const {
    std::vector<sharding::Sighting> all;
    all.reserve(size());
    for (const ShardSample& part : shards) {
        for (const std::string& key : part.keys) all.push_back({key, part.shard});
    }
    return all;
}

std::size_t sample_size(const std::optional<std::string>& text) {
    if (!text) return kUsualSample;
    const auto number = support::parse_unsigned(*text, kLargestSample);
    if (!number || *number == 0) {
        throw support::Failure(ExitCode::usage, fmt::format("--sample: '{}' is not a number of windows", *text),
                               fmt::format("1 to {}, of each shard", kLargestSample));
    }
    return static_cast<std::size_t>(*number);
}

Sample take_sample(std::size_t per_shard, Context& context) { return Sampler(per_shard, context).run(); }

}  // namespace ratectl::commands
