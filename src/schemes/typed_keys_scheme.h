// What all layouts share whose windows end by what one or two keys hold, of any type: how they are asked for, and how
// sweeps find them.
#pragma once

#include "redis/script.h"
#include "schemes/scheme.h"

namespace ratectl::schemes {

/// Of lists and sorted sets no more elements are read, nor written.
inline constexpr std::size_t kMostElements = 10'000;

/// Those of one layout, of which the build makes one text each: lua/ has what they share.
struct Scripts {
    const redis::Script& count;
    const redis::Script& refund;
    const redis::Script& reset;
    const redis::Script& restore;
    const redis::Script* put = nullptr;  // null: there is none
};

/// A look shows of a string its bytes, of a list its elements, packed; of a hash its parts' fields, packed in their
/// order; and of a sorted set, packed, the score of each element and its member (none: the same as the score), the
/// lowest score first.
class TypedKeysScheme : public Scheme {
public:
    /// Whose time it goes by: `timed`: the server's, so every look asks for that, too.
    explicit TypedKeysScheme(bool timed) : timed_(timed) {}

    std::optional<std::size_t> reset_part() const override { return std::nullopt; }
    // Of a layout of one key.
    std::string part_key(std::string_view key, std::size_t /*part*/) const override { return std::string(key); }
    std::string part_glob(std::string_view glob, std::size_t /*part*/) const override { return std::string(glob); }
    std::optional<PartOf> part_of(std::string_view /*stored*/) const override { return std::nullopt; }
    bool looks_sound(const domain::WindowLook& look, const domain::Circumstances& around) const override;
    std::optional<std::int64_t> right_expiry_ms(const domain::WindowLook& /*look*/) const override { return {}; }

    void ask_looks(redis::Request& request, std::span<const std::string> keys, domain::LookDepth depth,
                   const redis::ServerFacts& facts) const override;
    std::size_t look_replies(std::span<const std::string> keys, domain::LookDepth depth,
                             const redis::ServerFacts& facts) const override;
    void decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies, domain::LookDepth depth,
                      const redis::ServerFacts& facts, std::span<Look> looks) const override;
    bool decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies, domain::LookDepth depth,
                      const redis::ServerFacts& facts, std::span<domain::WindowLook> looks) const override;
    std::unique_ptr<LightLooks> receive_light_looks(std::span<domain::WindowLook> /*looks*/) const override {
        return nullptr;
    }
    std::vector<redis::ScriptCall> script_look_calls(std::span<const std::string> keys) const override;
    void decode_script_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                             std::span<Look> looks) const override;

    redis::ScriptCall repair_call(std::span<const domain::RepairItem* const> items,
                                  const CallHead& head) const override;

    std::string scan_pattern(std::string_view glob, bool /*orphans*/) const override { return std::string(glob); }
    std::optional<Scanned> scanned_as(std::string_view name) const override;
    void add_anchor(redis::Request& request, std::string_view key) const override { request.argument(key); }
    bool is_its_sighting(const domain::WindowLook& /*look*/, bool scan_key, bool /*by_name*/) const override {
        return scan_key;
    }

protected:
    /// `the counter's type is list`, `the log is a list of more than 10,000 elements`
    static std::string type_words(std::string_view name, std::string_view type);
    /// The first key of a look.
    static const domain::StoredKey& stored_in(const domain::WindowLook& look) { return look.parts.front(); }
    /// So many of its parts are a window's; those behind them are looked at alone.
    virtual std::size_t own_parts() const { return parts().size(); }
    /// Of a call of a write script.
    void add_keys(const std::string& key, std::vector<std::string>& keys) const;
    auto adds_keys() const {
        return [this](const std::string& key, std::vector<std::string>& keys) { add_keys(key, keys); };
    }

private:
    bool asks_time(const redis::ServerFacts& facts) const;
    void ask_value(redis::Request& request, const std::string& key, std::size_t part) const;
    std::size_t replies_per_key(const redis::ServerFacts& facts) const;
    void begin(domain::WindowLook& look, const std::string& key, domain::LookDepth depth) const;
    /// Of a full look: the facts of its parts, one behind the other.
    bool fill(domain::WindowLook& look, const std::string& key, domain::LookDepth depth,
              const redis::Reply& facts) const;
    bool fill_light(std::span<domain::WindowLook* const> looks, std::span<const std::string> keys,
                    const redis::ServerFacts& facts, const redis::Reply& executed) const;
    void take_look(Look& look, const std::string& key, domain::LookDepth depth, const redis::Reply* facts) const;

    bool timed_;
};

/// Embedded from lua/typed_keys/ at build.
extern const redis::Script kLookScript;

}  // namespace ratectl::schemes
