// The one way by which keys and clients become visible: those of secret policies as fingerprints, unless --reveal was
// given.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "domain/limiter.h"
#include "domain/policy.h"
#include "output/cell.h"
#include "output/mask.h"

namespace ratectl::commands {

// Rows need nothing of this: a column of type key is masked by its sink, wherever it is printed, and so are keys in
// messages, because they stand between single quotes there. What goes another way to a reader (a screen, a page, a
// paragraph) goes through here.

/// The key as people, machines and files may see it.
std::string visible_key(std::string_view key, const config::Settings& settings);
/// The client of a key likewise; empty: none.
std::string visible_client(const domain::PolicyMatch& match);
/// The same as cells; a key without a policy is shown as it is, no client is null.
output::Cell key_cell(std::string_view key, const std::optional<domain::PolicyMatch>& match);
output::Cell client_cell(const std::optional<domain::PolicyMatch>& match);
/// The key as journals and logs may keep it, whatever may be shown.
std::string recorded_key(std::string_view key, const config::Settings& settings);
/// With a fingerprint for its client, whatever its policy wants.
std::string fingerprinted_key(std::string_view key, const config::Settings& settings);
/// What is wrong with a key that has a fingerprint instead of a client: nothing has such a key. Null: another key.
std::optional<support::Error> fingerprint_fault(std::string_view key, const config::Settings& settings);

/// The mask of a whole command: it hides what any deployment that was opened wants hidden.
class KeyMask final : public output::Mask {
public:
    void learn(const config::Settings& settings);
    bool hides() const override { return !rules_.empty(); }
    std::string key(std::string_view key) const override;

private:
    struct Rule {
        domain::PolicyBook policies;
        const domain::Limiter* limiter = nullptr;
    };
    std::vector<Rule> rules_;  // of the deployments that hide anything
};

}  // namespace ratectl::commands
