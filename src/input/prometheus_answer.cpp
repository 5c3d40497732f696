// Reads answers to instant queries.
#include "input/prometheus_answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/quote.h"

namespace ratectl::input {
namespace {

using nlohmann::json;

tl::unexpected<support::Error> no_sample(std::string why) {
    return support::failure(support::ExitCode::protocol, std::move(why));
}

/// An object's member; an empty value where there is none.
const json& member(const json& object, const char* name) {
    static const json none;
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() ? *found : none;
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

}  // namespace

support::Result<PrometheusSample> sample_in(std::string_view body) {
    const json answer = json::parse(body, nullptr, false);
    const auto status = text_of(member(answer, "status"));
    if (status == "error") return no_sample("says " + support::quoted(text_of(member(answer, "error"))));
    const json& data = member(answer, "data");
    const json& result = member(data, "result");
    const auto type = text_of(member(data, "resultType"));
    if (status != "success" || !result.is_array()) return no_sample("is no answer of Prometheus");
    if (type != "vector" && type != "scalar")
        return no_sample("has a result of another type than one number: " + support::quoted(type));
    const bool is_series = type == "vector";
    if (is_series && result.size() != 1) {
        return no_sample(result.empty()
                             ? std::string("has no series for the query")
                             : fmt::format("has {} series: sum(...) or max(...) makes one of them", result.size()));
    }
    const json& pair = is_series ? member(result[0], "value") : result;
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_string())
        return no_sample("is no answer of Prometheus");
    return PrometheusSample{is_series, pair[0].dump(), pair[1].get<std::string>()};
}

}  // namespace ratectl::input
