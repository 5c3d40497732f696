// The page of `stats -o html` in a real browser: opens without a complaint, loads nothing, sorts and searches, and
// hostile keys stay text.
#include <algorithm>
#include <fstream>
#include <string>

#include "browser/web_driver.h"
#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

constexpr int kWindows = 100'000;

/// Keys that would break a page that took them for markup or script.
const std::vector<std::string> kHostile{
    "core:</script><script>window.broken=1</script>",
    "core:<img src=x onerror=window.broken=2>",
    "core:<!--<script>",
    "core:\xE2\x80\xA8\xE2\x80\xA9 lines",
    "core:\"';window.broken=3//",
    "core:\\u003cscript\\u003e",
    std::string("core:\0\xff\x1b[31m\r\n", 14),
    "core:\xE2\x80\xAE"
    "backwards",
    "core:&lt;b&gt;",
};

struct Report {
    WrittenDeployment box{"writes = \"deny\"", 2};
    std::string file = box.file("stats.html");
    RunResult result;

    /// Client i has used i of at most 100'000 requests; every hostile key has more.
    Report() {
        const std::int64_t later = seconds_from_now(3600);
        for (int shard = 0; shard < 2; ++shard) {
            const std::string script =
                "for i = " + std::to_string(shard) + ", " + std::to_string(kWindows - 1) +
                ", 2 do local k = 'core:client-number-' .. i redis.call('SET', k, i) redis.call('SET', k .. ':exp', " +
                std::to_string(later) + " + i % 3000) end return 'filled'";
            REQUIRE(box.server(static_cast<std::size_t>(shard)).command({"EVAL", script, "0"}) == "filled");
        }
        for (const std::string& key : kHostile) {
            box.server().command({"SET", key, "500000"});
            box.server().command({"SET", key + ":exp", std::to_string(later)});
        }
        RunOptions options;
        options.timeout = std::chrono::seconds(120);
        result = box.run({"stats", "-o", "html", "--names", "200000", "--limit", "90000", "--at-limit", "1000,50%"},
                         options);
        std::ofstream(file, std::ios::binary) << result.out;
    }
};

std::string cell(int row, int column) {
    return "return document.querySelectorAll('#rows tr')[" + std::to_string(row) + "].children[" +
           std::to_string(column) + "].textContent";
}

}  // namespace

TEST_CASE("a report of a hundred thousand windows works in a browser and harms nobody") {
    if (!browser_is_there()) return;
    const Report report;
    INFO(report.result.err);
    REQUIRE(report.result.code == 0);
    CHECK(report.result.out.size() < 5'000'000);
    WebDriver browser;
    browser.open("file://" + report.file);
    browser.wait_until("return document.documentElement.dataset.ready === 'yes'");

    SECTION("it shows figures, charts and the heaviest windows first") {
        CHECK(browser.run("return document.querySelectorAll('#charts figure svg rect').length").get<int>() > 30);
        CHECK(browser.run("return [...document.querySelectorAll('#charts figure')].map(f => f.id)") ==
              nlohmann::json{"chart-used", "chart-bands", "chart-resets", "chart-shards", "chart-policies",
                             "chart-limits"});
        CHECK(browser.run("return document.getElementById('found').textContent") == "100,009 of 100,009 live windows");
        CHECK(browser.run("return document.querySelectorAll('#rows tr').length") == 100);
        CHECK(browser.run(cell(0, 1)) == "500,000");
        CHECK(browser.run(cell(20, 0)) == "core:client-number-99988");
        CHECK(browser.run(cell(20, 4)) == "exhausted");
    }
    SECTION("search and sort find and order") {
        browser.type("#search", "number-4242");
        browser.wait_until("return document.getElementById('found').textContent.startsWith('11 of')");
        CHECK(browser.run(cell(0, 0)) == "core:client-number-42429");
        browser.click("#sort-1 button");
        CHECK(browser.run(cell(0, 0)) == "core:client-number-4242");
        CHECK(browser.run("return document.getElementById('sort-1').getAttribute('aria-sort')") == "ascending");
        browser.clear("#search");
        browser.run("document.getElementById('search').dispatchEvent(new Event('input'))");
        browser.wait_until("return document.getElementById('found').textContent.startsWith('100,009 of')");
        CHECK(browser.run(cell(0, 0)) == "core:client-number-0");
        browser.click("#next");
        CHECK(browser.run(cell(0, 0)) == "core:client-number-100");
        CHECK(browser.run("return document.getElementById('page').textContent") == "Page 2 of 1,001");
        browser.click("#sort-0 button");
        CHECK(browser.run("return document.getElementById('page').textContent") == "Page 1 of 1,001");
        // A second of a slow machine; a search that the eye sees would be far more.
        CHECK(browser
                  .run("const s = document.getElementById('search'); s.value = 'beta'; const t = performance.now();"
                       "document.querySelector('#sort-1 button').click(); return performance.now() - t")
                  .get<double>() < 5000);
        CHECK(browser.run("return document.getElementById('found').textContent") == "50,000 of 100,009 live windows");
    }
    SECTION("hostile keys are text and nothing of them runs") {
        CHECK(browser.run("return window.broken === undefined") == true);
        CHECK(browser.run("return document.querySelectorAll('script').length") == 2);
        CHECK(browser.run("return document.querySelectorAll('main img').length") == 0);
        const auto shown = browser.run(
            "return [...document.querySelectorAll('#rows tr')].slice(0, 9).map(r => r.children[0].textContent)");
        const auto has = [&](const std::string& key) {
            return std::find(shown.begin(), shown.end(), key) != shown.end();
        };
        CHECK(has("core:</script><script>window.broken=1</script>"));
        CHECK(has("core:<img src=x onerror=window.broken=2>"));
        CHECK(has("core:\\u{2028}\\u{2029} lines"));
        CHECK(has("core:\\\\u003cscript\\\\u003e"));
        CHECK(has("core:\\x00\\xff\\x1b[31m\\r\\n"));
        CHECK(has("core:\\u{202e}backwards"));
        CHECK(has("core:&lt;b&gt;"));
    }
    SECTION("its policy lets nothing else run or load") {
        browser.complaints();
        browser.run(
            "const s = document.createElement('script'); s.textContent = 'window.broken = 4'; document.body.append(s);"
            "const i = document.createElement('img'); i.src = 'http://127.0.0.1:1/x.png'; document.body.append(i)");
        CHECK(browser.run("return window.broken === undefined") == true);
        CHECK(browser.complaints().size() >= 2);
        return;
    }
    const auto complaints = browser.complaints();
    INFO((complaints.empty() ? std::string() : complaints.front()));
    CHECK(complaints.empty());
    for (const std::string& url : browser.requested()) {
        INFO(url);
        CHECK((url.starts_with("file://") || url.starts_with("data:")));
    }
}
