// The deployment that clients move from, beside the one that the command line names, which they move to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/deployment_context.h"

namespace ratectl::commands::rollout {

class OldSide {
public:
    /// `name`: as parse_deployment_or_url() has it. Throws Failure: usage (one server on both sides), configuration
    /// (no rule says where keys are, on either side).
    OldSide(const std::string& name, Context& context);
    OldSide(const OldSide&) = delete;
    OldSide& operator=(const OldSide&) = delete;

    Context& context() { return context_; }
    /// `deployment 'legacy'`
    const std::string& name() const { return name_; }
    /// The key that its policy of the same name has for the client of a key of the deployment here, who may have been
    /// `client` by name; the same key where there is none, or where it cannot be told.
    std::string key_of(const std::string& key, std::string_view client) const;
    /// The policy here of the same name as that of this key there, where its keys are others, and no policy here has
    /// this one; else null.
    const domain::Policy* policy_with_other_keys(std::string_view key) const;
    /// What lets the deployment here hide what this one hides.
    std::string how_to_hide() const;
    /// One answer a key, in their order, from its primary.
    std::vector<store::LookAnswer> look(std::span<const std::string_view> keys);

private:
    OpenDeployment opened_;
    Context& here_;
    DeploymentContext context_;
    std::string name_;
};

/// One a key of the deployment that knows where its keys are.
std::vector<store::KeyAt> places_of(std::span<const std::string_view> keys, const store::Directory& directory);
/// From their primaries; in one look that tells other types from nothing.
std::vector<store::LookAnswer> look_surely(std::span<const std::string_view> keys, store::Store& store);

}  // namespace ratectl::commands::rollout
