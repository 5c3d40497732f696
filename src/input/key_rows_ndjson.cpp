// Key rows as JSON objects, one a line.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "input/key_records.h"

namespace ratectl::input {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kFields{"key", "key_b64", "client", "amount", "reset_at", "stored_reset_at"};

class NdjsonRecords final : public KeyRowReader::Records {
public:
    explicit NdjsonRecords(ByteSource& source) : Records(source, '\n') {}

    std::optional<KeyRow> next() override {
        while (const auto line = lines().next()) {
            if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
            return row_of(parse(*line));
        }
        return std::nullopt;
    }

private:
    json parse(std::string_view line) const {
        std::string_view twice;
        std::array<bool, kFields.size()> seen{};
        const auto watch = [&](int depth, json::parse_event_t event, json& value) {
            if (depth != 1 || event != json::parse_event_t::key) return true;
            const auto* field = std::find(kFields.begin(), kFields.end(), value.get_ref<const std::string&>());
            if (field == kFields.end()) return true;
            bool& before = seen[static_cast<std::size_t>(field - kFields.begin())];
            if (before) twice = *field;
            before = true;
            return true;
        };
        json object = json::parse(line, watch, false);
        if (!object.is_object()) bad("this is not a JSON object");
        if (!twice.empty()) bad(fmt::format("'{}' occurs twice in the object", twice));
        return object;
    }

    /// The member as text, null when it is absent.
    std::optional<std::string> text_of(const json& object, const char* name) const {
        const auto member = object.find(name);
        if (member == object.end() || member->is_null()) return std::nullopt;
        if (!member->is_string()) bad(fmt::format("'{}' is not a string", name));
        return member->get<std::string>();
    }

    /// An integer member in its canonical text; 1.0 and 1e3 are no integers here.
    std::optional<std::string> integer_of(const json& object, const char* name) const {
        const auto member = object.find(name);
        if (member == object.end() || member->is_null()) return std::nullopt;
        if (!member->is_number_integer()) bad(fmt::format("'{}' is not a whole number", name));
        return member->dump();
    }

    KeyRow row_of(const json& object) const {
        KeyRow row;
        row.key = text_of(object, "key");
        if (const auto base64 = text_of(object, "key_b64")) {
            row.key = key_of_base64(*base64);
            row.key_exact = true;
        }
        row.client = text_of(object, "client");
        if (const auto amount = integer_of(object, "amount")) row.amount = amount_of(*amount);
        if (const auto reset = integer_of(object, "reset_at")) row.reset_at = reset_of(*reset);
        const auto stored = object.find("stored_reset_at");
        if (!row.reset_at && stored != object.end() && stored->is_string()) {
            row.ended_at = stored_reset_of(stored->get_ref<const std::string&>());
        }
        return checked(std::move(row));
    }
};

}  // namespace

std::unique_ptr<KeyRowReader::Records> make_ndjson_records(ByteSource& source) {
    return std::make_unique<NdjsonRecords>(source);
}

}  // namespace ratectl::input
