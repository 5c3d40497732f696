// governor simulate, as people run it: the model, loads of a file, the drawings, and what it refuses.
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
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
    const auto document = parse_json(result.out);
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

TEST_CASE("a load that falls through its set point while the breaker is open is not back") {
    CHECK(contains(simulated({"--duration", "31m"}).err, "not back within 10 %"));
    CHECK(contains(simulated({"--cost-at", "1h29m=5"}).err, "not back within 10 %"));
    CHECK(contains(simulated({}).err, "back within 10 % after 364 s"));
}

TEST_CASE("in a gap between recorded loads the breaker opens when it would have") {
    const auto rows = simulated_rows({"--csv", "-", "--hold-for", "5m"}, "0,1.8\n15,1.8\n3600,1.8\n");
    REQUIRE(rows.size() == 4);
    CHECK(rows[2].at("why") == "blind");
    CHECK(rows[2].at("second").is_null());
    CHECK(rows[2].at("at_iso") == "1970-01-01T00:05:15.000Z");
    CHECK(rows[2].at("rps") == 0.0);
    CHECK(rows[3].at("why") == "open");
    CHECK(simulated_rows({"--csv", "-", "--hold-for", "2h"}, "0,1.8\n3600,1.8\n").size() == 2);
}

TEST_CASE("what only the model has is refused beside recorded loads") {
    for (const std::string flag : {"--every", "--duration", "--offered", "--swing", "--capacity", "--background",
                                   "--cost-at", "--lag", "--delay", "--noise", "--seed"}) {
        const auto result = simulated({"--csv", "-", flag, "1"}, "0,1\n");
        INFO(flag << result.err);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "exclude each other"));
    }
    CHECK(simulated({"--csv", "-", "--start", "5"}, "0,1\n").code == 0);
}

TEST_CASE("a first row that is no row is refused, and only words are a heading") {
    for (const std::string text : {"2026-13-45T00:00:00Z,9", "yesterday,9", "-5,x", "2026-01-01 25:00,abc"}) {
        const auto result = simulated({"--csv", "-"}, text + "\n1767225600,1\n");
        INFO(text << result.err);
        CHECK(result.code == 10);
        CHECK(contains(result.err, "line 1"));
        CHECK(contains(result.err, "has no time"));
    }
    CHECK(simulated_rows({"--csv", "-"}, "when,how much\n1767225600,1\n").size() == 1);
}

TEST_CASE("recorded loads that are none are counted and told unless they say so") {
    const auto result = simulated({"--csv", "-"}, "0,1\n15,inf\n30,-1\n45,abc\n60,0x10\n75,NaN\n90,\n");
    CHECK(result.code == 1);
    CHECK(contains(result.err, "4 rows have no load that can be one"));
    CHECK(contains(result.err, "line 2 of standard input: 'inf'"));
    CHECK(simulated({"--csv", "-"}, "0,1\n15,NaN\n30,\n").code == 0);
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

// A time without a load was drawn as a load of 0.
TEST_CASE("a time without a load is a gap of the curve") {
    const auto drawn = [](const std::string& format, const std::string& between) {
        return simulated({"--csv", "-", "--hold-for", "1h", "-o", format},
                         "0,1\n15,1\n30," + between + "\n45," + between + "\n60,1\n75,1\n")
            .out;
    };
    const auto count = [](const std::string& text, const std::string& word) {
        std::size_t found = 0;
        for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
        return found;
    };
    const auto load_at_0 = [](const std::string& plot) {
        const auto line = plot.find("       0 |");
        return plot.substr(line, plot.find('\n', line) - line);
    };
    CHECK(contains(load_at_0(drawn("plot", "0")), "*"));
    CHECK_FALSE(contains(load_at_0(drawn("plot", "")), "*"));
    CHECK(count(drawn("svg", "0"), "<polyline") == 2);
    CHECK(count(drawn("svg", ""), "<polyline") == 3);
    CHECK(count(drawn("html", "NaN"), "<polyline") == 3);
}

TEST_CASE("rows that end before their load are refused, and none is taken for a time") {
    const auto result = simulated({"--csv", "-"}, "1\n9\n9\n");
    INFO(result.err);
    CHECK(result.code == 10);
    CHECK(contains(result.err, "line 1 of standard input has no load: '1'"));
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
