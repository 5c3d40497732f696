// The limiter that GitHub had before Redis: the counter under K, the second at which the window ends under K:reset_at,
// on memcached servers that know nothing of the two belonging together.
#pragma once

#include "schemes/window/window_scheme.h"

namespace ratectl::schemes::memcached {

/// Until when both keys of a window are kept, a second behind its end: the epoch second of their expiry.
std::int64_t second_of_removal(support::Instant end);

/// The predecessor counts at the end of a request, and refuses one at whose beginning more than the limit is used: so
/// one more than the limit passes. Where the second key is missing it counts on in the counter that is there, with a
/// new end. Nothing is asked through Redis: store/memcached has this layout's questions.
class MemcachedScheme final : public window::WindowScheme {
public:
    explicit MemcachedScheme(const std::string& suffix) : WindowScheme(suffix), layout_("memcached" + suffix) {}

    std::string_view layout() const override { return layout_; }
    std::span<const Part> parts() const override;
    std::int64_t most_let_through(std::int64_t limit) const override;
    // Its servers forget what they have no room for: a key without an expiry is not one that stays.
    bool stays_for_good() const override { return true; }

    domain::Window judge(const domain::WindowLook& look, support::Moment now,
                         std::optional<std::int64_t> limit) const override;
    std::string corruption(const domain::WindowLook& look) const override;
    std::string words_of(const domain::WindowLook& look, support::Moment now) const override;
    std::string remark(const domain::WindowLook& look, support::Moment now) const override;
    std::int64_t carried_over(const domain::WindowLook& look, std::optional<std::int64_t> limit) const override;

    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    bool looks_sound(const domain::WindowLook& look, const domain::Circumstances& around) const override;
    /// No program set them for it: the predecessor's expiries are not those of Redis, and nothing repairs them.
    std::optional<std::int64_t> right_expiry_ms(const domain::WindowLook& /*look*/) const override { return {}; }

private:
    std::string layout_;
};

}  // namespace ratectl::schemes::memcached
