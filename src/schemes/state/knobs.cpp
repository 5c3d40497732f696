// Reads a throttle's knobs.
#include "schemes/state/knobs.h"

#include <algorithm>

#include "domain/diagnosis/finding.h"
#include "schemes/packed.h"

namespace ratectl::schemes::knobs {
namespace {

constexpr state::Scripts kScripts{kCountScript, kRefundScript, kResetScript, kRestoreScript, &kPutScript};

}  // namespace

KnobsScheme::KnobsScheme() : StateScheme(kScripts, state::Clock::server, nullptr) {}

std::span<const domain::Limiter::Part> KnobsScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"knobs", "knobs", "hash", kFields}}};
    return all;
}

/// As long as they are there they say what counts.
std::optional<state::Meaning> KnobsScheme::meaning(const domain::WindowLook& look, const Texts& /*texts*/,
                                                   std::int64_t now_ns, std::optional<std::int64_t> /*limit*/) const {
    const auto& key = look.parts.front();
    const auto end = key.expires_at_ms ? *key.expires_at_ms * state::kMillisecondNs : now_ns;
    return state::Meaning{.used = {}, .counts = true, .end_ns = end, .endless = domain::never_expires(key)};
}

domain::Window KnobsScheme::judge(const domain::WindowLook& look, support::Instant now,
                                  std::optional<std::int64_t> limit) const {
    auto window = StateScheme::judge(look, now, limit);
    if (window.state == domain::WindowState::leaked) window.state = domain::WindowState::open;
    return window;
}

std::vector<domain::Finding> KnobsScheme::diagnose(const domain::WindowLook& look,
                                                   const domain::Circumstances& /*around*/) const {
    const auto fault = corruption(look);
    return fault.empty() ? std::vector<domain::Finding>()
                         : std::vector{domain::Finding{domain::FindingClass::corrupt, fault}};
}

std::optional<domain::Knobs> KnobsScheme::knobs_in(const domain::WindowLook& look) const {
    return read(look.parts.front());
}

std::string KnobsScheme::state_with(const domain::Knobs& knobs) const {
    std::string state;
    for (const auto& text : knobs.texts) append_packed(state, text);
    return state;
}

domain::StoredWindow KnobsScheme::stored(const domain::WindowLook& look) const {
    auto stored = StateScheme::stored(look);
    if (const auto knobs = knobs_in(look)) stored.used = domain::words_of(*knobs);
    return stored;
}

std::optional<domain::Knobs> read(const domain::StoredKey& key) {
    auto texts = key.value ? texts_of(*key.value, kFields.size()) : std::nullopt;
    if (!texts) return std::nullopt;
    domain::Knobs knobs;
    std::ranges::move(*texts, knobs.texts.begin());
    return knobs;
}

}  // namespace ratectl::schemes::knobs
