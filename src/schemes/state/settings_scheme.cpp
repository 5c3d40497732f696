// Judges settings: they are there or they are not, and they hold what can be read or they do not.
#include "schemes/state/settings_scheme.h"

#include "domain/diagnosis/finding.h"

namespace ratectl::schemes::state {

std::optional<Meaning> SettingsScheme::meaning(const domain::WindowLook& look, const Texts& /*texts*/,
                                               std::int64_t now_ns, std::optional<std::int64_t> /*limit*/) const {
    const auto& key = look.parts.front();
    const auto end = key.expires_at_ms ? *key.expires_at_ms * kMillisecondNs : now_ns;
    return Meaning{.used = {}, .counts = true, .end_ns = end, .endless = domain::never_expires(key)};
}

domain::Window SettingsScheme::judge(const domain::WindowLook& look, support::Moment now,
                                     std::optional<std::int64_t> limit) const {
    auto window = StateScheme::judge(look, now, limit);
    if (window.state == domain::WindowState::leaked) window.state = domain::WindowState::open;
    return window;
}

std::vector<domain::Finding> SettingsScheme::diagnose(const domain::WindowLook& look,
                                                      const domain::Circumstances& /*around*/) const {
    const auto fault = corruption(look);
    return fault.empty() ? std::vector<domain::Finding>()
                         : std::vector{domain::Finding{domain::FindingClass::corrupt, fault}};
}

domain::StoredWindow SettingsScheme::stored(const domain::WindowLook& look, support::Moment now) const {
    auto stored = StateScheme::stored(look, now);
    if (auto words = settings_in(look)) stored.used = std::move(*words);
    return stored;
}

}  // namespace ratectl::schemes::state
