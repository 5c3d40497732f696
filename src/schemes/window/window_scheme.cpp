// Names of the two halves, and the commands that look at them.
#include "schemes/window/window_scheme.h"

#include <array>

#include "domain/key_template.h"
#include "domain/operation.h"

namespace ratectl::schemes {

Scheme::Looks Scheme::decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                   domain::LookDepth depth, const redis::ServerFacts& facts) const {
    Looks looks(keys.size());
    decode_looks(keys, replies, depth, facts, looks);
    return looks;
}

Scheme::Looks Scheme::decode_script_looks(std::span<const std::string> keys,
                                          std::span<const redis::Reply> replies) const {
    Looks looks(keys.size());
    decode_script_looks(keys, replies, looks);
    return looks;
}

namespace window {
namespace {

constexpr std::string_view kLastByteShown = "65536";
static_assert(kMostOfValue == 65537);

bool knows_expiretime(const redis::ServerFacts& facts) { return facts.at_least(7); }

}  // namespace

WindowScheme::WindowScheme(std::string expiry_suffix, bool carries_over)
    : suffix_(std::move(expiry_suffix)), layout_("window" + suffix_), carries_over_(carries_over) {}

std::string WindowScheme::expiry_key(std::string_view key) const {
    std::string expiry;
    expiry.reserve(key.size() + suffix_.size());
    expiry.append(key).append(suffix_);
    return expiry;
}

std::span<const domain::Limiter::Part> WindowScheme::parts() const {
    static constexpr std::array<Part, kParts> all{{{"counter", "counters"}, {"expiry half", "expiry halves"}}};
    return all;
}

std::optional<std::size_t> WindowScheme::used_part() const { return kCounter; }
std::optional<std::size_t> WindowScheme::reset_part() const { return kExpiry; }

std::string WindowScheme::part_key(std::string_view key, std::size_t part) const {
    return part == kExpiry ? expiry_key(key) : std::string(key);
}

std::string WindowScheme::part_glob(std::string_view glob, std::size_t part) const {
    return part == kExpiry ? std::string(glob) + domain::escape_glob(suffix_) : std::string(glob);
}

std::optional<domain::Limiter::PartOf> WindowScheme::part_of(std::string_view stored) const {
    if (suffix_.empty() || stored.size() <= suffix_.size() || !stored.ends_with(suffix_)) return std::nullopt;
    return PartOf{stored.substr(0, stored.size() - suffix_.size()), kExpiry};
}

domain::StoredWindow WindowScheme::stored(const domain::WindowLook& look, support::Moment /*now*/) const {
    return {stored_used(look).value, stored_reset(look).value, {}};
}

domain::WindowLook WindowScheme::look_at(std::string key, const domain::StoredWindow& stored) const {
    domain::WindowLook look{std::move(key), domain::LookDepth::light, this, {}};
    look.parts.resize(kParts);
    look.parts[kCounter].value = stored.used;
    look.parts[kExpiry].value = stored.reset_at;
    return look;
}

void WindowScheme::ask_looks(redis::Request& request, std::span<const std::string> keys, domain::LookDepth depth,
                             const redis::ServerFacts& facts) const {
    if (depth == domain::LookDepth::full) {
        for (const auto& key : keys) ask_full_look(request, key, knows_expiretime(facts));
        return;
    }
    request.begin(1 + 2 * keys.size());
    request.argument("MGET");
    for (const auto& key : keys) {
        request.argument(key);
        request.argument(key, suffix_);
    }
    if (depth == domain::LookDepth::expiries) ask_expiries(request, keys, facts.tells_moments());
}

// Right behind the values, while the server's caches still have the keys. Without PEXPIRETIME an expiry is what is left
// and the time.
void WindowScheme::ask_expiries(redis::Request& request, std::span<const std::string> keys,
                                bool knows_expiretime) const {
    const std::string_view command = knows_expiretime ? "PEXPIRETIME" : "PTTL";
    for (const auto& key : keys) {
        request.begin(2);
        request.argument(command);
        request.argument(key);
        request.begin(2);
        request.argument(command);
        request.argument(key, suffix_);
    }
    if (!knows_expiretime) request.add({"TIME"});
}

// GETRANGE and not GET: a foreign value of 500 MB under a window's name must not travel. On a wrong type it is an error
// element of EXEC's array, and TYPE has the word.
void WindowScheme::ask_full_look(redis::Request& request, std::string_view key, bool knows_expiretime) const {
    const std::string expiry = expiry_key(key);
    request.add({"MULTI"});
    for (const std::string_view half : {key, std::string_view(expiry)}) {
        request.add({"TYPE", half});
        request.add({"GETRANGE", half, "0", kLastByteShown});
        request.add({"PTTL", half});
        if (knows_expiretime) request.add({"PEXPIRETIME", half});
    }
    request.add({"EXEC"});
}

std::size_t WindowScheme::look_replies(std::span<const std::string> keys, domain::LookDepth depth,
                                       const redis::ServerFacts& facts) const {
    if (depth == domain::LookDepth::light) return keys.empty() ? 0 : 1;
    if (depth == domain::LookDepth::expiries) return 1 + 2 * keys.size() + (facts.tells_moments() ? 0 : 1);
    return keys.size() * (knows_expiretime(facts) ? 10 : 8);
}

std::vector<redis::ScriptCall> WindowScheme::script_look_calls(std::span<const std::string> keys) const {
    redis::ScriptCall call{.script = &kCheckScript, .keys = {}, .arguments = {}, .read_only = true};
    call.keys.reserve(2 * keys.size());
    for (const auto& key : keys) {
        call.keys.push_back(key);
        call.keys.push_back(expiry_key(key));
    }
    return {std::move(call)};
}

std::string WindowScheme::scan_pattern(std::string_view glob, bool orphans) const {
    if (!orphans) return part_glob(glob, kExpiry);
    std::string pattern(glob);
    // Wider than the glob: it also has to find K and its suffix; the sweep compares K with the glob again.
    if (!pattern.ends_with('*')) pattern += '*';
    return pattern;
}

std::optional<Scheme::Scanned> WindowScheme::scanned_as(std::string_view name) const {
    if (domain::is_reserved_key(name)) return std::nullopt;
    const auto part = part_of(name);
    return part ? Scanned{part->stem, true} : Scanned{name, false};
}

void WindowScheme::add_anchor(redis::Request& request, std::string_view key) const { request.argument(key, suffix_); }

// A counter that has its expiry half is found by that half, or, by name, by itself.
bool WindowScheme::is_its_sighting(const domain::WindowLook& look, bool scan_key, bool by_name) const {
    const bool has_expiry = is_there(part(look, kExpiry));
    if (!by_name) return scan_key || !has_expiry;
    const bool has_counter = is_there(part(look, kCounter));
    const bool may_have_expiry = has_expiry || (has_counter && look.depth != domain::LookDepth::full);
    if (!may_have_expiry || scan_key == !has_counter) return may_have_expiry;
    const auto own = scanned_as(look.key);
    return own && own->is_scan_key;
}

}  // namespace window
}  // namespace ratectl::schemes
