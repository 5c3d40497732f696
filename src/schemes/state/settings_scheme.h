// What is stored to be obeyed and not to be counted in: the settings of a throttle or a feature, in a hash of their
// own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::state {

/// They are looked at, put in place, removed and put back. As long as they are there they say what counts; without a
/// TTL they stay, which is no fault of theirs.
class SettingsScheme : public StateScheme {
public:
    explicit SettingsScheme(const Scripts& scripts) : StateScheme(scripts, Clock::server, nullptr) {}

    bool limits_clients() const override { return false; }
    bool stays_for_good() const override { return true; }
    std::string_view uncountable(const domain::WindowLook& /*look*/) const override { return "read-only"; }
    domain::Window judge(const domain::WindowLook& look, support::Moment now,
                         std::optional<std::int64_t> limit) const override;
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    /// `used` is what people read of them.
    domain::StoredWindow stored(const domain::WindowLook& look, support::Moment now) const override;

protected:
    /// `rps 9, burst 1, window 5`; null: what is stored is none of them.
    virtual std::optional<std::string> settings_in(const domain::WindowLook& look) const = 0;

private:
    Keys keys_after(const domain::WindowLook& /*look*/, support::Moment /*now*/,
                    std::int64_t /*requests*/) const override {
        return {};
    }
    std::optional<Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                   std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& /*key*/) const override { return {}; }
};

}  // namespace ratectl::schemes::state
