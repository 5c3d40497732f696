// Chunks of keys to the store and back.
#include "commands/named_looks.h"

#include <algorithm>
#include <numeric>

#include "commands/duplicates.h"
#include "commands/key_homes.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kChunk = 1000;

class NamedLooks {
public:
    NamedLooks(const NamedQuestion& question, const Filter& filter, Context& context, const LookReceiver& receiver)
        : question_(question),
          filter_(filter),
          context_(context),
          receiver_(receiver),
          home_unknown_(is_home_unknown(context)),
          duplicates_(context) {}

    void run(KeyStream& keys) {
        for (auto chunk = keys.next(kChunk); !chunk.empty() && !context_.stop(); chunk = keys.next(kChunk)) {
            const bool waits = chunk.size() < kChunk;
            look(chunk);
            if (waits) receiver_.idle();
        }
        duplicates_.finish();
    }

private:
    void look(const std::vector<NamedKey>& chunk) {
        asked_.clear();
        owners_.clear();
        keys_ = 0;
        for (const NamedKey& named : chunk) ask(named.key);
        if (asked_.empty()) return;
        const auto answers = context_.store().look({asked_, question_.from, question_.depth, question_.as_script});
        for (const store::NodeFailure& failure : context_.store().look_failures())
            receiver_.fail(failure.node, failure.error);
        for (auto begin = answers.begin(); begin != answers.end();) {
            const std::size_t owner = owners_[begin->key];
            const auto end = std::find_if(
                begin, answers.end(), [&](const store::LookAnswer& answer) { return owners_[answer.key] != owner; });
            deliver({begin, end}, meaning_of(asked_[begin->key].key, context_.settings()));
            begin = end;
        }
    }

    void ask(const std::string& key) {
        if (!filter_.accepts_match(meaning_of(key, context_.settings()).match)) return;
        for (const std::size_t shard : shards_to_ask(key, context_)) {
            if (!filter_.accepts_shard(shard)) continue;
            asked_.push_back({key, shard});
            owners_.push_back(keys_);
        }
        ++keys_;
    }

    void deliver(std::span<const store::LookAnswer> answers, const KeyMeaning& meaning) {
        const store::LookAnswer* absent = nullptr;
        bool found = false;
        bool failed = false;
        for (const store::LookAnswer& answer : answers) {
            if (!answer.look) {
                failed = true;
                if (context_.stop()) continue;  // we gave up, not the node
                receiver_.fail(answer.node, answer.look.error());
            } else if (home_unknown_ && is_absent(*answer.look)) {
                absent = &answer;
            } else {
                found = true;
                receiver_.take(*answer.look, meaning, &answer.node, answer.read_at, answer.stale);
            }
        }
        // While a shard has not answered, nobody can say that the key is absent.
        if (absent != nullptr && !found && !failed)
            receiver_.take(*absent->look, meaning, nullptr, absent->read_at, absent->stale);
        if (home_unknown_ && found) report_duplicate(answers);
    }

    void report_duplicate(std::span<const store::LookAnswer> answers) {
        std::vector<Copy> copies;
        for (const store::LookAnswer& answer : answers) {
            if (!answer.look || is_absent(*answer.look)) continue;
            if (!copies.empty() && copies.back().shard == answer.node.shard) continue;  // another node of it
            copies.push_back({answer.node.shard, &*answer.look,
                              context_.settings().now.value_or(support::to_instant(answer.read_at))});
        }
        if (copies.size() < 2) return;
        duplicates_.report(copies.front().look->key, copies);
        if (receiver_.duplicate) receiver_.duplicate();
    }

    const NamedQuestion& question_;
    const Filter& filter_;
    Context& context_;
    const LookReceiver& receiver_;
    bool home_unknown_;
    Duplicates duplicates_;
    std::vector<store::KeyAt> asked_;
    std::vector<std::size_t> owners_;  // of asked_: which key it is about
    std::size_t keys_ = 0;
};

}  // namespace

std::vector<std::size_t> shards_to_ask(std::string_view key, Context& context) {
    if (const auto* map = context.shard_map()) return {map->shard_of(key)};
    std::vector<std::size_t> shards(context.settings().shards.size());
    std::iota(shards.begin(), shards.end(), std::size_t{0});
    return shards;
}

void look_at_named(KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                   const LookReceiver& receiver) {
    if (is_home_unknown(context) && !context.settings().all_shards) {
        context.messages().notice(
            "nothing says how keys are shared out over the shards, so every shard is asked for every key",
            "say it with --sharding, or with `sharding` in the configuration; --all-shards if no rule places keys");
    }
    NamedLooks(question, filter, context, receiver).run(keys);
}

}  // namespace ratectl::commands
