// Where the facts of an explanation come from: every server of the shard, the other shards, the policies, this
// machine's journal.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/explain/facts.h"
#include "commands/explain/redaction.h"
#include "commands/looks/node_views.h"
#include "commands/request/selection.h"
#include "store/stranded.h"

namespace ratectl::commands::explain {

class Explainer {
public:
    Explainer(const Redaction& redaction, Context& context);

    /// The facts of each key, in order; a key that was placed on several shards is explained once a shard that has it,
    /// and where none has it once in all. Nothing is written, and no journal is made where there is none. `accepts`
    /// chooses by the window as the server that counts shows it.
    using Accept = std::function<bool(const WindowViews& shown, const domain::Window& window, support::Moment now)>;
    std::vector<WindowFacts> explain(std::span<const store::KeyAt> keys, const Accept& accepts);

    /// Servers that did not answer, each once, under the names that may be shown.
    struct SilentServer {
        std::string shard;
        std::string address;
        support::Error error;
    };
    const std::vector<SilentServer>& silent() const { return silent_; }
    /// Some server of some window's shard has answered.
    bool any_answer() const { return any_answer_; }
    /// Why the journal of this machine could not be read; unset: it could, or there is none.
    const std::optional<support::Error>& journal_fault() const { return journal_fault_; }

private:
    WindowFacts facts_of(const WindowViews& shown, const KeyMeaning& meaning, std::span<const StrayWindow> strays);
    void add_names(WindowFacts& facts, const WindowViews& shown, const KeyMeaning& meaning) const;
    void add_servers(WindowFacts& facts, const WindowViews& shown, const domain::Divergence& divergence);
    void add_window(WindowFacts& facts, const domain::NodeView& view, const KeyMeaning& meaning) const;
    void note_part(WindowFacts& facts, const std::string& key) const;
    void add_strays(WindowFacts& facts, std::span<const StrayWindow> strays) const;
    store::StrandedWindows stranded_of(std::span<const store::KeyAt> keys) const;
    void add_stranded(WindowFacts& facts, const std::string& key, const store::StrandedWindows& stranded);
    /// Changes at the servers of these homes of one key.
    void add_changes(WindowFacts& facts, std::span<const WindowViews> homes);
    /// Those that the journal has under that name of the key.
    void add_changes_of(const std::string& name, WindowFacts& facts, std::span<const WindowViews> homes);
    void note_silent(const WindowViews& shown);
    void note_silent(const domain::Node& node, std::span<const domain::Node> beside, const support::Error& why);
    std::vector<WindowFacts> each_home(std::span<const WindowViews> shown, const Accept& accepts);

    const Redaction& redaction_;
    Context& context_;
    const config::Settings& settings_;
    journal::Journal* journal_ = nullptr;
    std::vector<SilentServer> silent_;
    std::optional<support::Error> journal_fault_;
    bool any_answer_ = false;
    support::Moment now_{};  // of the chunk at hand
};

}  // namespace ratectl::commands::explain
