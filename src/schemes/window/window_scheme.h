// GitHub's layout: the counter under K, the second at which the window ends under K and a suffix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "domain/window.h"
#include "redis/script.h"
#include "schemes/scheme.h"
#include "support/time.h"

namespace ratectl::schemes::window {

class WindowScheme : public Scheme {
public:
    /// `carries_over`: a counter that outlives the second key goes on being counted in the next window, unless it has
    /// come to the limit. A counter at 0 lives on for a whole period from the next request, and so does outlive it.
    explicit WindowScheme(std::string expiry_suffix, bool carries_over = false);

    std::string_view layout() const override { return layout_; }
    std::span<const Part> parts() const override;
    std::optional<std::size_t> used_part() const override;
    std::optional<std::size_t> reset_part() const override;
    std::string part_key(std::string_view key, std::size_t part) const override;
    std::string part_glob(std::string_view glob, std::size_t part) const override;
    std::optional<PartOf> part_of(std::string_view stored) const override;

    domain::Window judge(const domain::WindowLook& look, support::Moment now,
                         std::optional<std::int64_t> limit) const override;
    std::optional<support::Instant> open_until(const domain::WindowLook& look, support::Moment now) const override;
    std::string corruption(const domain::WindowLook& look) const override;
    std::string words_of(const domain::WindowLook& look, support::Moment now) const override;

    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    bool looks_sound(const domain::WindowLook& look, const domain::Circumstances& around) const override;
    std::optional<std::int64_t> right_expiry_ms(const domain::WindowLook& look) const override;
    std::int64_t lowest_used() const override { return carries_over_ ? 1 : 0; }
    std::int64_t carried_over(const domain::WindowLook& look, std::optional<std::int64_t> limit) const override;

    domain::StoredWindow stored(const domain::WindowLook& look, support::Moment now) const override;
    domain::WindowLook look_at(std::string key, const domain::StoredWindow& stored) const override;

    void ask_looks(redis::Request& request, std::span<const std::string> keys, domain::LookDepth depth,
                   const redis::ServerFacts& facts) const override;
    std::size_t look_replies(std::span<const std::string> keys, domain::LookDepth depth,
                             const redis::ServerFacts& facts) const override;
    void decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies, domain::LookDepth depth,
                      const redis::ServerFacts& facts, std::span<Look> looks) const override;
    bool decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies, domain::LookDepth depth,
                      const redis::ServerFacts& facts, std::span<domain::WindowLook> looks) const override;
    std::unique_ptr<LightLooks> receive_light_looks(std::span<domain::WindowLook> looks) const override;
    std::vector<redis::ScriptCall> script_look_calls(std::span<const std::string> keys) const override;
    void decode_script_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                             std::span<Look> looks) const override;

    redis::ScriptCall count_call(std::span<const domain::CountItem* const> items, const CallHead& head) const override;
    redis::ScriptCall refund_call(std::span<const domain::RefundItem* const> items,
                                  const CallHead& head) const override;
    redis::ScriptCall reset_call(std::span<const domain::ResetItem* const> items, const CallHead& head) const override;
    redis::ScriptCall restore_call(std::span<const domain::RestoreItem* const> items,
                                   const CallHead& head) const override;
    redis::ScriptCall repair_call(std::span<const domain::RepairItem* const> items,
                                  const CallHead& head) const override;

    std::string scan_pattern(std::string_view glob, bool orphans) const override;
    std::optional<Scanned> scanned_as(std::string_view name) const override;
    void add_anchor(redis::Request& request, std::string_view key) const override;
    bool is_its_sighting(const domain::WindowLook& look, bool scan_key, bool by_name) const override;

private:
    template <class Item, class Arguments>
    redis::ScriptCall write_call(const redis::Script& script, std::span<const Item* const> items, const CallHead& head,
                                 Arguments arguments_of) const;
    std::string expiry_key(std::string_view key) const;
    void ask_full_look(redis::Request& request, std::string_view key, bool knows_expiretime) const;
    void ask_expiries(redis::Request& request, std::span<const std::string> keys, bool knows_expiretime) const;

    std::string suffix_;
    std::string layout_;
    bool carries_over_;
};

/// Embedded from lua/ at build.
extern const redis::Script kCheckScript;
extern const redis::Script kRateScript;
extern const redis::Script kRefundScript;
extern const redis::Script kRepairScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;

/// The two parts of a window's look.
inline constexpr std::size_t kCounter = 0;  // K
inline constexpr std::size_t kExpiry = 1;   // K and the suffix
inline constexpr std::size_t kParts = 2;

/// The second at which the window ends; null: nothing, or no second that is on any clock.
std::optional<support::Instant> end_of(const domain::StoredKey& expiry);
/// When both keys have to expire: EXPIREAT reset + 1, in milliseconds.
std::int64_t right_expiry_ms(support::Instant end);

}  // namespace ratectl::schemes::window
