// Asks every node for the windows, all at once; then for facts about itself; then again where nodes differ.
#include "commands/looks/node_views.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "domain/cluster/slot_faults.h"

namespace ratectl::commands {
namespace {

using support::Milliseconds;

constexpr std::array kPauses{Milliseconds{10}, Milliseconds{40}, Milliseconds{100}, Milliseconds{250},
                             Milliseconds{600}};
constexpr Milliseconds kLongestSleep{50};  // a stop signal waits no longer

using Indices = std::vector<std::size_t>;

/// What one node is asked, and its answers as they come.
struct Asked {
    std::size_t node = 0;  // index into the views of each window
    Indices windows;
    bool as_script = false;
    std::unique_ptr<store::LookStream> stream;
};

class ViewCollector {
public:
    ViewCollector(std::span<const store::KeyAt> keys, const ViewQuestion& question, Context& context)
        : question_(question), context_(context), keys_(keys.begin(), keys.end()), windows_(keys.size()) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            windows_[i].key = keys[i].key;
            windows_[i].limit = meaning_of(windows_[i].key, context.settings()).limit;
        }
    }

    std::vector<WindowViews> run() {
        Indices all(windows_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        look(all);
        note_facts(all);
        look_again(std::move(all));
        for (WindowViews& window : windows_) {
            leave_out_unknowing(window.views);
            window.divergence = domain::compare_views(window.views, comparison_of(window));
        }
        return std::move(windows_);
    }

private:
    /// At every node; once more where their slots have moved meanwhile.
    void look(Indices chosen) {
        for (std::size_t round = 0;; ++round) {
            place(chosen);
            std::erase_if(chosen, [&](std::size_t i) { return is_nowhere(windows_[i]); });
            // A primary removes what is expired as soon as a client asks for it, and so from its replicas: whatever
            // scripts still see there has to be looked at before.
            take_answers(ask(chosen, true, domain::Role::replica));
            auto asked = ask(chosen, false, std::nullopt);
            for (auto& more : ask(chosen, true, domain::Role::primary)) asked.push_back(std::move(more));
            take_answers(std::move(asked));
            chosen = those_elsewhere(chosen);
            if (chosen.empty() || round == kPauses.size() || !rest(kPauses[round])) return;
        }
    }

    void place(const Indices& chosen) {
        std::vector<store::KeyAt> keys;
        for (const std::size_t i : chosen) keys.push_back(keys_[i]);
        auto found = context_.store().find_keys(keys);
        for (std::size_t n = 0; n < chosen.size(); ++n) {
            WindowViews& window = windows_[chosen[n]];
            auto& key = keys_[chosen[n]];
            key = std::move(found[n].at);
            window.shard = key.place.shard;
            window.views.clear();
            for (const domain::Node& node : context_.store().nodes(key.place.shard)) {
                auto silence = support::failure(ExitCode::unavailable, "it was not asked");
                if (found[n].nowhere) silence = tl::make_unexpected(*found[n].nowhere);
                window.views.push_back({node, std::move(silence), {}, {}, false, {}, {}});
            }
        }
    }

    /// No node shows it.
    static bool is_nowhere(const WindowViews& window) {
        const auto& primary = window.views.front().look;
        return !primary && domain::is_nowhere(primary.error());
    }

    static bool sent_us_away(const domain::NodeView& view) {
        return !view.look && view.look.error().reason == domain::kSlotElsewhere;
    }

    /// Replicas hear of a slot's arrival a moment later than their primary; before it they are asked in vain.
    Indices those_elsewhere(const Indices& chosen) const {
        Indices moved;
        std::ranges::copy_if(chosen, std::back_inserter(moved), [&](std::size_t i) {
            const auto& views = windows_[i].views;
            return keys_[i].place.ahead ? sent_us_away(views.front()) : std::ranges::any_of(views, sent_us_away);
        });
        return moved;
    }

    /// What a primary shows no replica has to that its slot leaves; where no primary can, or no node has the slot, its
    /// replicas have nothing to add.
    void leave_out_unknowing(std::vector<domain::NodeView>& views) const {
        const auto& primary = views.front().look;
        const bool says_all =
            !primary && (domain::is_of_moving_slot(primary.error()) || domain::blames_no_node(primary.error()));
        std::erase_if(views, [&](const domain::NodeView& view) {
            const bool may_have_left = !view.look && view.look.error().reason == domain::kMayHaveLeft;
            const bool is_needless = may_have_left || (sent_us_away(view) && !question_.every_node);
            return &view != &views.front() && (says_all || (primary && is_needless));
        });
    }

    domain::Comparison comparison_of(const WindowViews& window) const {
        return {question_.now, window.limit, question_.min_delta, !context_.settings().now.has_value()};
    }

    /// Windows of several shards have other nodes each.
    std::vector<Asked> ask(const Indices& chosen, bool as_script, std::optional<domain::Role> configured) {
        std::vector<Asked> asked;
        std::vector<std::pair<std::size_t, std::size_t>> places;  // shard and node of each
        for (const std::size_t i : chosen) {
            const WindowViews& window = windows_[i];
            for (std::size_t node = 0; node < window.views.size(); ++node) {
                if (configured && window.views[node].node.role != *configured) continue;
                const std::pair place{window.shard, node};
                const auto found = std::find(places.begin(), places.end(), place);
                const auto at = static_cast<std::size_t>(found - places.begin());
                if (found == places.end()) {
                    places.push_back(place);
                    asked.push_back({node, {}, as_script, stream_to(window, node, as_script)});
                }
                asked[at].windows.push_back(i);
                asked[at].stream->ask(window.key, keys_[i].place);
            }
        }
        return asked;
    }

    std::unique_ptr<store::LookStream> stream_to(const WindowViews& window, std::size_t node, bool as_script) {
        const domain::ReadFrom from{domain::ReadFrom::Which::node, window.views[node].node.name()};
        return context_.store().look_stream({from, domain::LookDepth::full, as_script, {window.shard}});
    }

    void take_answers(std::vector<Asked> asked) {
        for (Asked& one : asked) {
            for (auto answers = one.stream->next(); !answers.empty(); answers = one.stream->next()) {
                for (store::LookView& answer : answers) take(answer, one);
            }
        }
    }

    void take(store::LookView& answer, const Asked& asked) {
        domain::NodeView& view = windows_[asked.windows[answer.key]].views[asked.node];
        if (asked.as_script) {
            view.through_lua.reset();
            if (answer.look != nullptr) view.through_lua = std::move(*answer.look);
            return;
        }
        if (answer.look != nullptr) {
            view.look = std::move(*answer.look);
        } else {
            view.look = tl::make_unexpected(*answer.error);
            // The second key of a memcached's window is another server's to show.
            if (!view.node.endpoint.same_server(answer.node->endpoint)) view.node = *answer.node;
        }
        view.read_at = answer.read_at;
        view.stale = answer.stale;
    }

    void note_facts(const Indices& chosen) {
        Indices shards;
        for (const std::size_t i : chosen) shards.push_back(windows_[i].shard);
        std::sort(shards.begin(), shards.end());
        shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
        if (shards.empty()) return;
        const auto reports = context_.store().node_reports(shards);
        for (const std::size_t i : chosen) {
            for (domain::NodeView& view : windows_[i].views) {
                const auto found = std::find_if(reports.begin(), reports.end(), [&](const auto& report) {
                    return report.node.shard == view.node.shard && report.node.endpoint.same_server(view.node.endpoint);
                });
                view.facts.reset();
                if (found != reports.end() && found->facts) view.facts = *found->facts;
            }
        }
    }

    void look_again(Indices chosen) {
        for (std::size_t round = 0; round < kPauses.size(); ++round) {
            if (round >= static_cast<std::size_t>(question_.looks_again)) return;
            std::erase_if(chosen, [&](std::size_t i) {
                return !domain::is_worth_another_look(windows_[i].views, comparison_of(windows_[i]));
            });
            if (chosen.empty() || !rest(kPauses[round])) return;
            for (const std::size_t i : chosen) remember(windows_[i]);
            take_answers(ask(chosen, false, std::nullopt));
            if (auto moved = those_elsewhere(chosen); !moved.empty()) look(std::move(moved));
            note_facts(chosen);
        }
    }

    static void remember(WindowViews& window) {
        for (domain::NodeView& view : window.views) {
            if (!view.look) continue;
            view.earlier.push_back(
                {*view.look, view.read_at, view.facts ? view.facts->offset : std::optional<std::int64_t>{}});
        }
    }

    /// False: we are to stop.
    bool rest(Milliseconds pause) const {
        for (; pause.count() > 0 && !context_.stop(); pause -= kLongestSleep)
            std::this_thread::sleep_for(std::min(pause, kLongestSleep));
        return !context_.stop();
    }

    const ViewQuestion& question_;
    Context& context_;
    std::vector<store::KeyAt> keys_;  // with their places as they are now
    std::vector<WindowViews> windows_;
};

}  // namespace

void say_from_is_unused(Context& context) {
    if (!context.options().overrides.read_from) return;
    context.messages().notice("--from has no effect on named keys: every node of their shard is asked",
                              "it chooses the nodes that --match and --all sweep");
}

const domain::WindowLook* counting_look(const WindowViews& shown) {
    const auto& reference = shown.divergence.reference;
    return reference ? &*shown.views[*reference].look : nullptr;
}

KeyMeaning meaning_of(const WindowViews& shown, const config::Settings& settings) {
    const auto* look = counting_look(shown);
    return look != nullptr ? meaning_of(*look, settings) : meaning_of(shown.key, settings);
}

std::vector<WindowViews> view_windows(std::span<const store::KeyAt> keys, const ViewQuestion& question,
                                      Context& context) {
    if (keys.empty()) return {};
    return ViewCollector(keys, question, context).run();
}

std::vector<StrayWindow> look_on_other_shards(std::span<const store::KeyAt> keys, Context& context) {
    const std::size_t shards = context.directory().places().size();
    if (keys.empty() || shards < 2 || context.directory().leads_to_keys()) return {};
    const auto stream = context.store().look_stream({{}, domain::LookDepth::full, false, {}});
    for (const auto& [key, home] : keys) {
        std::vector<store::Place> others;
        for (std::size_t shard = 0; shard < shards; ++shard) {
            if (shard != home.shard) others.push_back({shard});
        }
        stream->ask(key, others);
    }
    std::vector<StrayWindow> strays;
    for (auto answers = stream->next(); !answers.empty(); answers = stream->next()) {
        for (store::LookView& answer : answers) {
            if (answer.look == nullptr || domain::is_absent(*answer.look)) continue;
            strays.push_back(
                {static_cast<std::size_t>(answer.key), *answer.node, std::move(*answer.look), answer.read_at});
        }
    }
    return strays;
}

}  // namespace ratectl::commands
