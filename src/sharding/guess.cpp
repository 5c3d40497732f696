// Finds the preset that explains where a sample of keys is.
// Trying is cheap when it is done in the right order: a placement is built once for all hashes and tags, a key is
// hashed once for all placements, and only what explains a small part of the sample is asked about the rest of it.
#include "sharding/guess.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sharding/fitting.h"
#include "sharding/key_tag.h"
#include "sharding/label_rules.h"
#include "sharding/options.h"
#include "sharding/shard_map.h"

namespace ratectl::sharding {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";
constexpr std::string_view kLocalhost = "localhost";

/// The servers under other names, and what was done to them.
struct Spelling {
    std::string about;  // empty: as configured
    std::vector<Server> servers;
};

template <class Change>
Spelling changed(std::string about, std::span<const Server> servers, Change change) {
    Spelling spelling{std::move(about), {servers.begin(), servers.end()}};
    for (std::size_t i = 0; i < spelling.servers.size(); ++i) change(spelling.servers[i], i);
    return spelling;
}

std::string url(const Server& server, bool with_db) {
    if (!server.path.empty()) return fmt::format("unix://{}", server.path);
    const std::string base = fmt::format("{}://{}:{}", server.tls ? "rediss" : "redis", server.host, server.port);
    return with_db ? fmt::format("{}/{}", base, server.db) : base;
}

/// A label for labels and a name for presets that go by names: both, since a spelling does not know its preset.
void call(Server& server, const std::string& name) {
    server.name = name;
    server.label = name;
}

/// As configured first; then addresses, names and URLs as labels, localhost for 127.0.0.1 and the other way round, and
/// usual series of names.
std::vector<Spelling> spellings(std::span<const Server> servers) {
    std::vector<Spelling> all;
    all.push_back({"", {servers.begin(), servers.end()}});
    const auto any = [&servers](auto test) { return std::any_of(servers.begin(), servers.end(), test); };
    if (any([](const Server& s) { return s.name || s.label; })) {
        all.push_back(changed("addresses instead of names", servers, [](Server& server, std::size_t) {
            server.name.reset();
            server.label.reset();
        }));
    }
    if (!any([](const Server& s) { return !s.name; })) {
        all.push_back(changed("names as labels", servers, [](Server& s, std::size_t) { call(s, *s.name); }));
    }
    all.push_back(changed("host:port as names and labels", servers,
                          [](Server& s, std::size_t i) { call(s, nodes::address(s, i).value_or("")); }));
    all.push_back(changed("hosts alone as names and labels", servers,
                          [](Server& s, std::size_t) { call(s, s.path.empty() ? s.host : s.path); }));
    all.push_back(
        changed("URLs with the database as labels", servers, [](Server& s, std::size_t) { call(s, url(s, true)); }));
    all.push_back(changed("URLs without the database as labels", servers,
                          [](Server& s, std::size_t) { call(s, url(s, false)); }));
    for (const auto& [from, to] : {std::pair(kLoopback, kLocalhost), std::pair(kLocalhost, kLoopback)}) {
        if (!any([host = from](const Server& s) { return s.host == host; })) continue;
        all.push_back(changed(fmt::format("{} instead of {}", to, from), servers,
                              [source = from, target = to](Server& s, std::size_t) {
                                  s.name.reset();
                                  s.label.reset();
                                  if (s.host == source) s.host = target;
                              }));
    }
    for (const std::string_view word : {"server", "shard", "node", "redis"}) {
        all.push_back(changed(fmt::format("{0}1, {0}2 ... as names", word), servers,
                              [word](Server& s, std::size_t i) { call(s, fmt::format("{}{}", word, i + 1)); }));
    }
    return all;
}

constexpr std::size_t kScreened = 256;  // keys that every combination is asked about
constexpr std::size_t kFinalists = 64;  // combinations that are asked about all
constexpr std::size_t kEnoughKeys = 5;  // that only the best explains

/// One combination: where its servers come from, its options, what a key goes through.
struct Trial {
    Options options;
    const Spelling* spelling = nullptr;
    std::shared_ptr<const Placement> placement;
    Fitted parts;
    std::string prefix;
    bool weights_ignored = false;
    std::size_t screened = 0;
    std::size_t in_place = 0;
    std::size_t order = 0;  // in which it was made up

    /// How far it is from the preset as it comes with the configuration as it is: of two that explain the same, the
    /// nearer is likelier. Naming a hash is what people do anyway.
    std::size_t distance() const {
        return (spelling->about.empty() ? 0U : 4U) + (options.order ? 2U : 0U) + (options.key_tag ? 1U : 0U) +
               (options.strip_prefix ? 1U : 0U) + (options.signed_chars ? 1U : 0U);
    }
};

/// Whether the sample has a byte that tag rules or the sign of char could make something of.
bool any_key_has(std::span<const Sighting> sample, auto test) {
    return std::any_of(sample.begin(), sample.end(),
                       [&](const Sighting& s) { return std::any_of(s.key.begin(), s.key.end(), test); });
}

/// What all keys begin with, up to the last separator in it.
std::string common_prefix(std::span<const Sighting> sample) {
    if (sample.empty()) return {};
    std::string_view common = sample.front().key;
    for (const Sighting& s : sample) {
        const auto end = std::mismatch(common.begin(), common.end(), s.key.begin(), s.key.end()).first;
        common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
    }
    const auto separator = common.find_last_of(":_-./|");
    return separator == std::string_view::npos ? std::string{} : std::string(common.substr(0, separator + 1));
}

/// An evenly spread part of the sample.
std::vector<Sighting> spread(std::span<const Sighting> sample, std::size_t most) {
    std::vector<Sighting> part;
    const std::size_t count = std::min(sample.size(), most);
    for (std::size_t i = 0; i < count; ++i) part.push_back(sample[i * sample.size() / count]);
    return part;
}

class Guesser {
public:
    Guesser(std::span<const Server> servers, std::span<const Sighting> sample)
        : servers_(servers), sample_(sample), screen_(spread(sample, kScreened)), spellings_(spellings(servers)) {
        braces_ = any_key_has(sample, [](char c) { return c == '{'; });
        high_bytes_ = any_key_has(sample, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
        weighted_ = std::any_of(servers.begin(), servers.end(), [](const Server& s) { return s.weight != 1; });
        prefix_ = common_prefix(sample);
    }

    Ranking rank(std::size_t most);

private:
    struct Way {
        std::optional<ServerOrder> order;
        bool without_weights = false;
    };

    void try_preset(const Preset& preset);
    void try_spelling(const Preset& preset, const Spelling& spelling, const Way& way);
    void try_hash(const Fitted& parts, const Trial& start);
    void screen(Trial trial);
    std::vector<Options> hash_options(const Preset& preset) const;
    std::vector<std::optional<std::string>> tag_options(const Preset& preset) const;
    std::vector<Way> ways(const Preset& preset) const;
    const std::vector<HashValue>& hashes(const Fitted& parts, const std::string& prefix);
    static HashValue hash_of(const Fitted& parts, const std::string& prefix, std::string_view key);
    std::vector<std::size_t> places(Trial& trial) const;
    void keep_finalists();

    std::span<const Server> servers_;
    std::span<const Sighting> sample_;
    std::vector<Sighting> screen_;
    std::vector<Spelling> spellings_;
    bool braces_ = false;
    bool high_bytes_ = false;
    bool weighted_ = false;
    std::string prefix_;
    std::size_t tried_ = 0;
    std::vector<Trial> trials_;
    /// Per way to hash a key: the hashes of the screened keys.
    std::map<std::tuple<HashFunction, std::string, std::string, bool>, std::vector<HashValue>> hashes_;
    /// Spellings of the current preset that were tried, as what they come to.
    std::set<std::string> seen_;
};

HashValue Guesser::hash_of(const Fitted& parts, const std::string& prefix, std::string_view key) {
    if (key.starts_with(prefix)) key.remove_prefix(prefix.size());
    return hash_of_key(parts, find_tag(parts.tag, key).value_or(key));
}

const std::vector<HashValue>& Guesser::hashes(const Fitted& parts, const std::string& prefix) {
    auto& known = hashes_[{parts.key_hash, describe(parts.tag), prefix, parts.preset->empty_key_is_zero}];
    if (known.empty()) {
        for (const Sighting& s : screen_) known.push_back(hash_of(parts, prefix, s.key));
    }
    return known;
}

std::vector<Options> Guesser::hash_options(const Preset& preset) const {
    std::vector<Options> all;
    for (const NamedHash& hash : preset.hashes) {
        Options options;
        options.preset = preset.name;
        if (preset.hashes.size() > 1 && &hash != &preset.hashes.front()) options.hash = hash.name;
        if (!preset.default_hash.empty() && hash.name == preset.default_hash) options.hash.reset();
        if (!preset.default_hash.empty() && hash.name != preset.default_hash) options.hash = hash.name;
        all.push_back(options);
        if (high_bytes_ && hash.unsigned_chars != nullptr) {
            options.signed_chars = false;
            all.push_back(options);
        }
    }
    return all;
}

std::vector<std::optional<std::string>> Guesser::tag_options(const Preset& preset) const {
    std::vector<std::optional<std::string>> tags{std::nullopt};
    if (!braces_) return tags;
    const std::string own = describe(KeyTag{preset.tag});
    for (const auto* rule : {"none", "redis", "ruby", "ruby-any", "jedis"}) {
        const std::string_view name = rule;
        const bool fits = name == "none" || name == "redis" || preset.name.starts_with(name.substr(0, 4)) ||
                          (preset.tag == KeyTag::Rule::ruby && name == "ruby-any");
        if (fits && name != own) tags.emplace_back(rule);
    }
    return tags;
}

std::vector<Guesser::Way> Guesser::ways(const Preset& preset) const {
    std::vector<Way> all{{}};
    if (weighted_ && preset.weights) all.push_back({std::nullopt, true});
    if (!preset.positional) return all;
    const std::size_t plain = all.size();
    for (const ServerOrder order : {ServerOrder::sorted, ServerOrder::length}) {
        for (std::size_t i = 0; i < plain; ++i) all.push_back({order, all[i].without_weights});
    }
    return all;
}

void Guesser::screen(Trial trial) {
    const auto& keys = hashes(trial.parts, trial.prefix);
    for (std::size_t i = 0; i < screen_.size(); ++i) {
        if (trial.placement->find(keys[i]) == screen_[i].shard) ++trial.screened;
    }
    trial.order = tried_++;
    trials_.push_back(std::move(trial));
    if (trials_.size() > 8 * kFinalists) keep_finalists();
}

/// One placement, and every hash and tag that goes with it.
void Guesser::try_hash(const Fitted& parts, const Trial& start) {
    for (const auto& tag : tag_options(*parts.preset)) {
        Trial trial = start;
        trial.parts = parts;
        if (tag) {
            trial.options.key_tag = tag;
            trial.parts.tag = parse_key_tag(*tag).value_or(parts.tag);
        }
        screen(trial);
        const bool adds_prefix = parts.preset->tag == KeyTag::Rule::phpredis;
        if (prefix_.empty() || !adds_prefix) continue;
        trial.options.strip_prefix = prefix_;
        trial.prefix = prefix_;
        screen(std::move(trial));
    }
}

void Guesser::try_spelling(const Preset& preset, const Spelling& spelling, const Way& way) {
    std::vector<Server> servers = spelling.servers;
    const bool drop_weights = weighted_ && (!preset.weights || way.without_weights);
    for (Server& server : servers) {
        if (drop_weights) server.weight = 1;
        if (!preset.buckets || preset.buckets->slots == 0) server.slots.clear();
    }
    std::map<HashFunction, std::shared_ptr<const Placement>> built;
    bool fresh = false;
    for (Options options : hash_options(preset)) {
        options.order = way.order;
        auto parts = fit(options, servers);
        if (!parts) return;
        if (!fresh) {
            std::string identity;
            for (const Member& m : parts->members)
                identity += fmt::format("{}={}*{}\n", m.server, preset.positional ? "" : m.label, m.weight);
            if (!seen_.insert(identity).second) return;
            fresh = true;
        }
        auto& placement = built[parts->point_hash];
        if (!placement) placement = place(*parts, options);
        Trial trial;
        trial.options = options;
        trial.spelling = &spelling;
        trial.placement = placement;
        trial.weights_ignored = drop_weights;
        try_hash(*parts, trial);
    }
}

void Guesser::try_preset(const Preset& preset) {
    seen_.clear();
    for (const Way& way : ways(preset)) {
        for (const Spelling& spelling : spellings_) {
            try_spelling(preset, spelling, way);
            if (preset.positional && !way.order) break;  // then only the place counts
        }
    }
}

/// Ties: the nearest to the configuration, then as the preset stands in the table.
void Guesser::keep_finalists() {
    std::sort(trials_.begin(), trials_.end(), [](const Trial& a, const Trial& b) {
        return std::tuple(b.screened, a.distance(), a.order) < std::tuple(a.screened, b.distance(), b.order);
    });
    if (trials_.size() > kFinalists) trials_.erase(trials_.begin() + kFinalists, trials_.end());
}

/// Where the trial has each key of the whole sample; counts those that are there.
std::vector<std::size_t> Guesser::places(Trial& trial) const {
    std::vector<std::size_t> all;
    all.reserve(sample_.size());
    for (const Sighting& s : sample_) {
        all.push_back(trial.placement->find(hash_of(trial.parts, trial.prefix, s.key)));
        if (all.back() == s.shard) ++trial.in_place;
    }
    return all;
}

Ranking Guesser::rank(std::size_t most) {
    for (const Preset& preset : presets()) try_preset(preset);
    keep_finalists();
    std::map<std::vector<std::size_t>, std::size_t> leaders;  // places of the sample -> the first guess that has them
    std::vector<std::pair<Trial, Guess>> found;
    for (Trial& trial : trials_) {
        const auto [known, fresh] = leaders.emplace(places(trial), found.size());
        if (!fresh) {
            auto& same = found[known->second].second.same;
            std::string name = text_of(trial.options);
            if (!trial.spelling->about.empty()) name += fmt::format(" ({})", trial.spelling->about);
            same.push_back(std::move(name));
            continue;
        }
        Guess guess;
        guess.options = trial.options;
        guess.spelling = trial.spelling->about;
        guess.weights_ignored = trial.weights_ignored;
        guess.in_place = trial.in_place;
        if (!guess.spelling.empty()) {
            guess.labels.resize(servers_.size());
            for (const Member& member : trial.parts.members) guess.labels[member.server] = member.label;
        }
        found.emplace_back(trial, std::move(guess));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.second.in_place > b.second.in_place; });
    Ranking ranking;
    ranking.tried = tried_;
    for (std::size_t i = 0; i < found.size() && i < most; ++i) ranking.guesses.push_back(found[i].second);
    if (found.empty()) return ranking;
    const std::size_t best = found[0].second.in_place;
    ranking.evidence = best - (found.size() > 1 ? found[1].second.in_place : 0);
    ranking.decided = 4 * best >= 3 * sample_.size() && ranking.evidence >= kEnoughKeys;
    ranking.servers = found[0].first.spelling->servers;
    return ranking;
}

}  // namespace

Ranking guess(std::span<const Server> servers, std::span<const Sighting> sample, std::size_t most) {
    if (servers.size() < 2 || sample.empty()) return {};
    return Guesser(servers, sample).rank(most);
}

}  // namespace ratectl::sharding
