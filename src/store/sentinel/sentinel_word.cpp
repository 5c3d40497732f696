// Reads the lists of names and values that sentinels answer with.
#include "store/sentinel/sentinel_word.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "support/number_text.h"

namespace ratectl::store::sentinel {
namespace {

using Values = std::map<std::string_view, std::string_view>;

std::optional<Values> values_in(const redis::Reply& reply) {
    const auto& texts = reply.elements;
    const bool is_list = reply.is_array() && texts.size() % 2 == 0 &&
                         std::ranges::all_of(texts, [](const redis::Reply& text) { return text.is_text(); });
    if (!is_list) return std::nullopt;
    Values values;
    for (std::size_t i = 0; i < texts.size(); i += 2) values.emplace(texts[i].text, texts[i + 1].text);
    return values;
}

std::string_view value_of(const Values& values, std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string_view{} : found->second;
}

std::optional<Address> address_of(std::string_view host, std::string_view port_text) {
    const auto port = support::parse_unsigned(port_text);
    if (host.empty() || !port || *port == 0 || *port > UINT16_MAX) return std::nullopt;
    return Address{std::string(host), static_cast<std::uint16_t>(*port)};
}

std::optional<Address> address_in(const Values& values) {
    return address_of(value_of(values, "ip"), value_of(values, "port"));
}

bool has_flag(const Values& values, std::string_view flag) {
    auto flags = value_of(values, "flags");
    while (!flags.empty()) {
        const auto end = flags.find(',');
        if (flags.substr(0, end) == flag) return true;
        flags = end == std::string_view::npos ? std::string_view{} : flags.substr(end + 1);
    }
    return false;
}

}  // namespace

bool is_unknown_master(const redis::Reply& reply) {
    return reply.is_error() && reply.text.starts_with("ERR No such master");
}

std::vector<std::string> masters_in(const redis::Reply& reply) {
    std::vector<std::string> names;
    if (!reply.is_array()) return names;
    for (const auto& element : reply.elements) {
        const auto master = values_in(element);
        const auto name = master ? value_of(*master, "name") : std::string_view{};
        if (!name.empty()) names.emplace_back(name);
    }
    std::ranges::sort(names);
    return names;
}

redis::Request question(const std::string& master) {
    redis::Request request;
    request.add({"SENTINEL", "MASTER", master});
    request.add({"SENTINEL", "SLAVES", master});  // REPLICAS since 5.0, and this one still
    request.add({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master});
    return request;
}

std::optional<Word> read_word(std::span<const redis::Reply> replies) {
    if (replies.size() != 3 || !replies[1].is_array()) return std::nullopt;
    const auto primary = values_in(replies[0]);
    if (!primary) return std::nullopt;
    const auto& current = replies[2].elements;
    const bool has_current = current.size() == 2 && current[0].is_text() && current[1].is_text();
    const auto address = has_current ? address_of(current[0].text, current[1].text) : address_in(*primary);
    if (!address) return std::nullopt;
    Word word;
    word.primary = *address;
    word.epoch = support::parse_decimal(value_of(*primary, "config-epoch")).value_or(0);
    word.is_down = has_flag(*primary, "s_down") || has_flag(*primary, "o_down");
    word.is_failing_over = has_flag(*primary, "failover_in_progress");
    if (const auto former = address_in(*primary); former && former->text() != word.primary.text())
        word.replicas.push_back(*former);
    for (const auto& reply : replies[1].elements) {
        const auto replica = values_in(reply);
        const auto at = replica ? address_in(*replica) : std::nullopt;
        if (at) word.replicas.push_back(*at);
    }
    return word;
}

}  // namespace ratectl::store::sentinel
