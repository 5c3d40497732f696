// Reads and writes the gates of a feature.
#include "schemes/state/flipper.h"

#include <algorithm>

#include "domain/diagnosis/finding.h"
#include "schemes/packed.h"

namespace ratectl::schemes::flipper {
namespace {

constexpr state::Scripts kScripts{kCountScript, kRefundScript, kResetScript, kRestoreScript, &kPutScript};

}  // namespace

FlipperScheme::FlipperScheme() : StateScheme(kScripts, state::Clock::server, nullptr) {}

std::span<const domain::Limiter::Part> FlipperScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"feature", "features", "hash", domain::kGateFields, false, true}}};
    return all;
}

std::optional<state::Meaning> FlipperScheme::meaning(const domain::WindowLook& look, const Texts& /*texts*/,
                                                     std::int64_t now_ns, std::optional<std::int64_t> /*limit*/) const {
    const auto& key = look.parts.front();
    const auto end = key.expires_at_ms ? *key.expires_at_ms * state::kMillisecondNs : now_ns;
    return state::Meaning{.used = {}, .counts = true, .end_ns = end, .endless = domain::never_expires(key)};
}

domain::Window FlipperScheme::judge(const domain::WindowLook& look, support::Instant now,
                                    std::optional<std::int64_t> limit) const {
    auto window = StateScheme::judge(look, now, limit);
    if (window.state == domain::WindowState::leaked) window.state = domain::WindowState::open;
    return window;
}

std::vector<domain::Finding> FlipperScheme::diagnose(const domain::WindowLook& look,
                                                     const domain::Circumstances& /*around*/) const {
    const auto fault = corruption(look);
    return fault.empty() ? std::vector<domain::Finding>()
                         : std::vector{domain::Finding{domain::FindingClass::corrupt, fault}};
}

std::optional<domain::FeatureGates> FlipperScheme::gates_in(const domain::WindowLook& look) const {
    const auto& value = look.parts.front().value;
    auto texts = value ? texts_of(*value, domain::kGateFields.size()) : std::nullopt;
    if (!texts) return std::nullopt;
    domain::FeatureGates gates;
    std::ranges::move(*texts, gates.texts.begin());
    return gates;
}

std::string FlipperScheme::state_with(const domain::FeatureGates& gates) const {
    std::string state;
    for (const auto& text : gates.texts) append_packed(state, text);
    return state;
}

domain::StoredWindow FlipperScheme::stored(const domain::WindowLook& look) const {
    auto stored = StateScheme::stored(look);
    if (const auto gates = gates_in(look)) stored.used = domain::words_of(*gates);
    return stored;
}

}  // namespace ratectl::schemes::flipper
