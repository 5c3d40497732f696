// Reads, writes and refuses options of presets, all by one table with a row an option.

#include "sharding/options.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sharding/key_tag.h"
#include "support/number_text.h"
#include "support/suggest.h"

namespace ratectl::sharding {

namespace {

using support::ExitCode;
using support::Result;
using Text = std::optional<std::string>;

constexpr std::uint32_t kMostPoints = 100'000;
constexpr std::uint32_t kMostPerLabel = 4;
constexpr std::uint32_t kLargestTable = 8'388'608;

constexpr std::array<std::pair<ServerOrder, std::string_view>, 3> kOrders{
    {{ServerOrder::configured, "configured"}, {ServerOrder::sorted, "sorted"}, {ServerOrder::length, "length"}}};

template <auto Member>
Text text_value(const Options& options) {
    return options.*Member;
}
template <auto Member>
Result<void> set_text(Options& options, std::string_view value) {
    options.*Member = std::string(value);
    return {};
}
template <auto Member>
Text number_value(const Options& options) {
    return options.*Member ? Text{fmt::format("{}", *(options.*Member))} : std::nullopt;
}
template <auto Member, std::uint32_t Most>
Result<void> set_number(Options& options, std::string_view value) {
    const auto number = support::parse_unsigned(value, Most);
    if (!number || *number == 0) {
        return support::failure(ExitCode::configuration,
                                fmt::format("'{}' is not a number of its kind: 1 to {} are possible", value, Most));
    }
    options.*Member = static_cast<std::uint32_t>(*number);
    return {};
}

Text order_value(const Options& options) {
    return options.order ? Text{std::string(name_of(*options.order))} : std::nullopt;
}
Result<void> set_order(Options& options, std::string_view value) {
    const auto order = parse_order(value);
    if (!order) return tl::make_unexpected(order.error());
    options.order = *order;
    return {};
}

Text chars_value(const Options& options) {
    return options.signed_chars ? Text{*options.signed_chars ? "true" : "false"} : std::nullopt;
}
Result<void> set_chars(Options& options, std::string_view value) {
    if (value != "true" && value != "false")
        return support::failure(ExitCode::configuration, fmt::format("'{}' is neither true nor false", value));
    options.signed_chars = value == "true";
    return {};
}

bool always(const Preset&) { return true; }
bool has_hashes(const Preset& preset) { return preset.hashes.size() > 1; }
bool has_point_hashes(const Preset& preset) { return preset.ring && !preset.ring->point_hashes.empty(); }
bool counts_points(const Preset& preset) { return preset.ring && preset.ring->points_option; }
bool counts_words(const Preset& preset) { return preset.ring && preset.ring->points_per_label_option; }
bool has_size(const Preset& preset) {
    return (preset.ring && preset.ring->running_sum) || (preset.buckets && preset.buckets->maglev);
}
bool adds_chars(const Preset& preset) {
    return std::any_of(preset.hashes.begin(), preset.hashes.end(),
                       [](const NamedHash& hash) { return hash.unsigned_chars != nullptr; });
}

constexpr OptionRule kRules[] = {
    {"hash", "the hash of keys", text_value<&Options::hash>, set_text<&Options::hash>, has_hashes},
    {"point_hash", "the hash of the servers' points", text_value<&Options::point_hash>, set_text<&Options::point_hash>,
     has_point_hashes},
    {"key_tag", "which part of a key is hashed: two characters such as {}, or a rule's name",
     text_value<&Options::key_tag>, set_text<&Options::key_tag>, always},
    {"strip_prefix", "what the library puts before keys without hashing it", text_value<&Options::strip_prefix>,
     set_text<&Options::strip_prefix>, always},
    {"order", "the servers' order: configured, sorted, or length (by length first)", order_value, set_order, always},
    {"points", "labels a server has on the ring", number_value<&Options::points>,
     set_number<&Options::points, kMostPoints>, counts_points, OptionRule::Kind::number, kMostPoints},
    {"points_per_label", "points a label makes, 1 to 4", number_value<&Options::points_per_label>,
     set_number<&Options::points_per_label, kMostPerLabel>, counts_words, OptionRule::Kind::number, kMostPerLabel},
    {"table_size", "Envoy's minimum_ring_size, or the size of the maglev table", number_value<&Options::table_size>,
     set_number<&Options::table_size, kLargestTable>, has_size, OptionRule::Kind::number, kLargestTable},
    {"signed_chars", "false where the application runs on ARM", chars_value, set_chars, adds_chars,
     OptionRule::Kind::boolean},
};

const OptionRule* rule_named(std::string_view name) {
    const auto found =
        std::find_if(std::begin(kRules), std::end(kRules), [&](const OptionRule& rule) { return rule.name == name; });
    return found == std::end(kRules) ? nullptr : found;
}

std::string as_toml_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            quoted += std::string{'\\', c};
        else if (byte < 0x20 || byte == 0x7f)
            quoted += fmt::format("\\u{:04X}", byte);
        else
            quoted += c;
    }
    return quoted + "\"";
}

Result<void> set_named(Options& options, std::string_view name, std::string_view value) {
    const OptionRule* rule = rule_named(name);
    if (rule == nullptr) {
        std::vector<std::string> names;
        for (const OptionRule& known : kRules) names.emplace_back(known.name);
        std::string hint = support::did_you_mean(name, names);
        if (hint.empty()) hint = fmt::format("one of: {}", fmt::join(names, ", "));
        return support::failure(ExitCode::configuration, fmt::format("sharding has no option '{}'", name), hint);
    }
    auto set = rule->set(options, value);
    if (!set) set.error().message = fmt::format("{}: {}", name, set.error().message);
    return set;
}

}  // namespace

std::span<const OptionRule> option_rules() { return kRules; }

std::vector<std::string> options_of(const Preset& preset) {
    std::vector<std::string> names;
    for (const OptionRule& rule : kRules) {
        if (rule.applies(preset)) names.emplace_back(rule.name);
    }
    return names;
}

Result<void> check_options(const Preset& preset, const Options& options) {
    for (const OptionRule& rule : kRules) {
        // A hash that is the only one may be named all the same; hash_of() in shard_map.cpp knows more to say about the
        // others.
        const auto value = rule.get(options);
        if (!value || rule.applies(preset) || rule.name == "hash") continue;
        return support::failure(ExitCode::configuration,
                                fmt::format("sharding preset '{}' has no option '{}'", preset.name, rule.name),
                                fmt::format("it takes {}", fmt::join(options_of(preset), ", ")));
    }
    // Numbers that did not come through set(), such as those of a file.
    for (const OptionRule& rule : kRules) {
        const auto value = rule.get(options);
        if (!value) continue;
        Options tried;
        if (auto set = rule.set(tried, *value); !set) {
            set.error().message = fmt::format("{}: {}", rule.name, set.error().message);
            return set;
        }
    }
    return {};
}

Result<Options> parse_options(std::string_view text) {
    Options options;
    const auto end_of_preset = std::min(text.find(','), text.size());
    options.preset = text.substr(0, end_of_preset);
    for (std::string_view rest = text.substr(end_of_preset); !rest.empty();) {
        rest.remove_prefix(1);
        const std::string_view part = rest.substr(0, std::min(rest.find(','), rest.size()));
        const auto equals = part.find('=');
        if (equals == std::string_view::npos) {
            return support::failure(ExitCode::configuration, fmt::format("'{}' is not an option of sharding", part),
                                    "PRESET,NAME=VALUE: twemproxy-ketama,hash=md5,key_tag={}");
        }
        const auto set = set_named(options, part.substr(0, equals), part.substr(equals + 1));
        if (!set) return tl::make_unexpected(set.error());
        rest.remove_prefix(part.size());
    }
    return options;
}

std::string text_of(const Options& options) {
    std::string text = options.preset;
    for (const OptionRule& rule : kRules) {
        if (const auto value = rule.get(options)) text += fmt::format(",{}={}", rule.name, *value);
    }
    return text;
}

std::string toml_of(const Options& options) {
    std::string rest;
    for (const OptionRule& rule : kRules) {
        const auto value = rule.get(options);
        if (value)
            rest += fmt::format(", {} = {}", rule.name,
                                rule.kind == OptionRule::Kind::text ? as_toml_string(*value) : *value);
    }
    const std::string preset = as_toml_string(options.preset);
    return rest.empty() ? fmt::format("sharding = {}", preset)
                        : fmt::format("sharding = {{ preset = {}{} }}", preset, rest);
}

Result<ServerOrder> parse_order(std::string_view text) {
    for (const auto& [order, name] : kOrders) {
        if (text == name) return order;
    }
    return support::failure(ExitCode::configuration, fmt::format("'{}' is not an order of servers", text),
                            "one of: configured, sorted, length");
}

std::string_view name_of(ServerOrder order) {
    for (const auto& [known, name] : kOrders) {
        if (order == known) return name;
    }
    return {};
}

Result<SlotRange> parse_slots(std::string_view text) {
    const auto dash = text.find('-');
    const auto first = support::parse_unsigned(text.substr(0, dash), kLargestTable);
    const auto last =
        dash == std::string_view::npos ? first : support::parse_unsigned(text.substr(dash + 1), kLargestTable);
    if (!first || !last || *last < *first) {
        return support::failure(ExitCode::configuration, fmt::format("'{}' is not a range of slots", text),
                                "such as 0-5460, or 7");
    }
    return SlotRange{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)};
}

}  // namespace ratectl::sharding
