// The keys that clients have under the policies of a selection.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/looks/left_out.h"
#include "commands/request/selection.h"

namespace ratectl::commands {

/// A client's keys: one for every policy whose key can be built, and those that its organisation shares; or these
/// alone.
class ClientKeys {
public:
    /// `left_out` and the context outlive it. Throws Failure: usage, or configuration where no policy says how keys are
    /// written.
    ClientKeys(const Selection& selection, LeftOut& left_out, Context& context);

    void append(std::deque<NamedKey>& keys, const std::string& client, const NamedKey& beside);
    void append_organisation(std::deque<NamedKey>& keys);

private:
    void choose_policies(const Selection& selection, Context& context);
    void note_need(std::string_view hint);
    bool is_named(const domain::Policy& policy) const;
    void check_organisation(const Selection& selection, Context& context);
    support::Result<std::string> key_of(const domain::Policy& policy, const std::string& client) const;
    void append_key(std::deque<NamedKey>& keys, const domain::Policy& policy, const std::string& client,
                    const NamedKey& beside) const;
    void check_flag(const domain::Policy& policy, const std::string& hole, const std::string& value) const;
    void check_path(const domain::Policy& policy, const std::string& client) const;
    std::optional<domain::Captures> known_of(const domain::Policy& policy) const;

    const config::Settings& settings_;
    const domain::PolicyBook& book_;
    const domain::Limiter& limiter_;
    support::Moment now_;
    LeftOut& left_out_;
    std::vector<std::string> named_;  // policies, by --policy
    domain::Captures known_;          // what holes hold beside the client
    std::optional<std::string> org_;
    std::optional<std::string> path_;  // of the request that policies have to limit
    std::vector<const domain::Policy*> policies_;
    std::string needs_;  // what the keys of the others take, as hints say it
    bool shared_named_ = false;
};

/// For a sweep for one client's windows: policies that --policy names, and whose windows are of organisations where
/// none is named; and an organisation whose windows are of none that is named. Throws Failure (usage) where no policy
/// knows organisations.
void note_ownerless(const Selection& selection, const domain::PolicyBook& book, LeftOut& left_out);

}  // namespace ratectl::commands
