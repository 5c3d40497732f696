// Answers to instant queries, as Prometheus 2.42 gave them, and what is none.
#include <vector>

#include "input/prometheus_answer.h"

#include "support/catch.h"

using ratectl::input::sample_in;

TEST_CASE("one series or a scalar is a sample") {
    const auto series = sample_in(
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"job":"self"},"value":[1764088642.981,"1.5"]}]}})");
    REQUIRE(series);
    CHECK(series->is_series);
    CHECK(series->at == "1764088642.981");
    CHECK(series->value == "1.5");
    const auto scalar =
        sample_in(R"({"status":"success","data":{"resultType":"scalar","result":[1764088642,"+Inf"]}})");
    REQUIRE(scalar);
    CHECK_FALSE(scalar->is_series);
    CHECK(scalar->at == "1764088642");
    CHECK(scalar->value == "+Inf");
}

TEST_CASE("what gives no single number says why") {
    const std::string vector = R"({"status":"success","data":{"resultType":"vector","result":)";
    const std::string one = R"({"metric":{},"value":[1,"2"]})";
    const std::vector<std::pair<std::string, std::string>> rows{
        {vector + "[]}}", "has no series for the query"},
        {vector + "[" + one + "," + one + "]}}", "has 2 series: sum(...) or max(...) makes one of them"},
        {R"({"status":"success","data":{"resultType":"matrix","result":[]}})",
         "has a result of another type than one number: 'matrix'"},
        {R"({"status":"error","errorType":"bad_data","error":"parse error: unclosed left parenthesis"})",
         "says 'parse error: unclosed left parenthesis'"},
        {vector + R"([{"metric":{},"value":[1,2]}]}})", "is no answer of Prometheus"},
        {vector + R"([{"metric":{},"value":["1","2"]}]}})", "is no answer of Prometheus"},
        {vector + R"([{"metric":{}}]}})", "is no answer of Prometheus"},
        {vector + R"([7]}})", "is no answer of Prometheus"},
        {R"({"status":"success"})", "is no answer of Prometheus"},
        {R"({"status":"error"})", "says ''"},
        {"[1]", "is no answer of Prometheus"},
        {"<html>", "is no answer of Prometheus"},
        {"", "is no answer of Prometheus"},
        {std::string(500'000, '['), "is no answer of Prometheus"},
    };
    for (const auto& [body, why] : rows) {
        INFO(body.substr(0, 200));
        const auto sample = sample_in(body);
        REQUIRE_FALSE(sample);
        CHECK(sample.error().message == why);
    }
}
