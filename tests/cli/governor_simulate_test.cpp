// governor simulate, as people run it: the model, loads of a file, the drawings, and what it refuses.
#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "support/contains.h"
#include "support/run_ratectl.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

RunResult simulated(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {"governor", "simulate"});
    RunOptions options;
    options.input = input;
    return run_ratectl(arguments, options);
}

json simulated_rows(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.end(), {"-o", "json"});
    const auto result = simulated(std::move(arguments), input);
    INFO(result.out << result.err);
    REQUIRE(result.code == 0);
    const auto document = json::parse(result.out);
    CHECK(document.at("schema") == "ratectl.governor.v1");
    return document.at("rows");
}

}  // namespace

TEST_CASE("the model's step of cost opens the breaker, and the rate comes back to a fifth") {
    const auto rows = simulated_rows({"--set-point", "2"});
    REQUIRE(rows.size() == 360);
    CHECK(rows.front().at("why") == "began");
    const auto tripped = std::find_if(rows.begin(), rows.end(), [](const json& r) { return r.at("why") == "tripped"; });
    REQUIRE(tripped != rows.end());
    CHECK(tripped->at("rps") == 0.0);
    CHECK(rows.back().at("rps").get<double>() > 18);
    CHECK(rows.back().at("rps").get<double>() < 22);
    CHECK(rows == simulated_rows({"--set-point", "2"}));
}

TEST_CASE("what would have been decided at the loads of a file is told row by row") {
    const auto rows =
        simulated_rows({"--csv", "-", "--set-point", "2"},
                       "time,load\n1767225600,1.8\n2026-01-01T00:00:15Z,7.5\n1767225630,NaN\n1767225645,\n");
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].at("at_iso") == "2026-01-01T00:00:00.000Z");
    CHECK(rows[1].at("why") == "tripped");
    CHECK(rows[2].at("load").is_null());
    CHECK(rows[3].at("why") == "open");
}

TEST_CASE("its own rows are read again, in all columns") {
    for (const std::string format : {"csv", "tsv"}) {
        const auto model = simulated({"--duration", "2m", "-o", format, "-q"});
        const auto again = simulated_rows({"--csv", "-"}, model.out);
        REQUIRE(again.size() == 8);
        CHECK(again[2].at("load") == 3.0);
        const auto replayed = simulated({"--csv", "-", "-o", format, "-q"}, "1767225600,1.8\n1767225615,1.5\n");
        const auto twice = simulated_rows({"--csv", "-"}, replayed.out);
        REQUIRE(twice.size() == 2);
        CHECK(twice[1].at("load") == 1.5);
        CHECK(twice[1].at("at_iso") == "2026-01-01T00:00:15.000Z");
    }
}

TEST_CASE("a file without a row is no recording, and one that goes back in time neither") {
    for (const std::string text : {"", "what?\n", "time,load\n"}) {
        const auto result = simulated({"--csv", "-"}, text);
        CHECK(result.code == 10);
        CHECK(contains(result.err, "no row of"));
    }
    const auto result = simulated({"--csv", "-"}, "100,1\n115,2\n105,1\n");
    CHECK(result.code == 10);
    CHECK(contains(result.err, "line 3"));
    CHECK(contains(result.err, "back in time"));
}

TEST_CASE("load and rate are drawn as text, as SVG and in a page that loads nothing") {
    const auto text = simulated({"-o", "plot"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "load (- - 2.00)"));
    CHECK(contains(text.out, "*"));
    const auto svg = simulated({"-o", "svg"});
    CHECK(svg.out.starts_with("<svg xmlns="));
    CHECK(contains(svg.out, "<polyline"));
    const auto page = simulated({"-o", "html"});
    CHECK(page.out.starts_with("<!doctype html>"));
    CHECK(contains(page.out, svg.out));
    CHECK_FALSE(contains(page.out, "<script"));
    CHECK_FALSE(contains(page.out, "%STYLE"));
}

TEST_CASE("what governor simulate cannot take is said") {
    const auto refused = [](std::vector<std::string> arguments, const std::string& words, int code = 2) {
        const auto result = simulated(std::move(arguments), "1,2\nyesterday?,3\n");
        INFO(result.err);
        CHECK(result.code == code);
        CHECK(contains(result.err, words));
    };
    refused({"--set-point", "0"}, "--set-point");
    refused({"--set-point", "nan"}, "--set-point");
    refused({"--max", "-5"}, "--max");
    refused({"--min", "0"}, "least rate");
    refused({"--ki", "5"}, "oscillate");
    refused({"--every", "7"}, "--every");
    refused({"--noise", "3"}, "percentage");
    refused({"--cost-at", "5"}, "--cost-at");
    refused({"--duration", "99d"}, "30 days");
    refused({"--csv", "/nonexistent/loads.csv"}, "/nonexistent/loads.csv", 10);
    refused({"--csv", "-"}, "line 2", 10);
}
