// completions/ and man/ are what the program generates; set RATECTL_REGENERATE=1 to write them anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/completion.h"
#include "cli/grammar.h"
#include "cli/help.h"
#include "cli/topics.h"
#include "support/catch.h"
#include "support/places.h"
#include "support/run_ratectl.h"

namespace {

namespace fs = std::filesystem;
using ratectl::cli::Flag;
using ratectl::cli::Grammar;
using ratectl::cli::Language;

const fs::path kSource = ratectl::test::source_dir();

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void check_written(const fs::path& path, const std::string& text) {
    if (std::getenv("RATECTL_REGENERATE") != nullptr) {
        std::ofstream(path, std::ios::binary) << text;
    }
    INFO(path.string() << " is not what the program generates; run this test with RATECTL_REGENERATE=1");
    CHECK((read(path) == text));
}

std::set<std::string> pages_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".1") names.insert(entry.path().filename().string());
    }
    return names;
}

void check_shell(const std::string& shell, const fs::path& script) {
    const auto result = ratectl::test::run_program("/usr/bin/env", {shell, "-n", script.string()});
    INFO(shell << ": " << result.err);
    CHECK(result.code == 0);
}

/// What bash offers for a command line whose last word is being typed.
std::string bash_offers(const std::string& words, int at) {
    const std::string script = "source '" + (kSource / "completions/ratectl.bash").string() + "'; COMP_WORDS=(" +
                               words + "); COMP_CWORD=" + std::to_string(at) +
                               "; _ratectl; printf '%s ' \"${COMPREPLY[@]}\"";
    const auto result = ratectl::test::run_program("/usr/bin/env", {"bash", "-c", script});
    INFO(result.err);
    CHECK(result.code == 0);
    return result.out;
}

}  // namespace

TEST_CASE("the committed completions are the generated ones") {
    const Language language = ratectl::cli::whole_language();
    check_written(kSource / "completions/ratectl.bash", ratectl::cli::bash_completion(language));
    check_written(kSource / "completions/_ratectl", ratectl::cli::zsh_completion(language));
    check_written(kSource / "completions/ratectl.fish", ratectl::cli::fish_completion(language));
}

TEST_CASE("the committed manual is the generated one") {
    const Language language = ratectl::cli::whole_language();
    check_written(kSource / "man/ratectl.1", ratectl::cli::program_page(language));
    check_written(kSource / "man/ratectl-exit-codes.7", ratectl::cli::exit_codes_page());
    std::set<std::string> expected{"ratectl.1"};
    for (const auto& command : language.commands) {
        const std::string name = "ratectl-" + command.grammar.name + ".1";
        expected.insert(name);
        check_written(kSource / "man" / name, ratectl::cli::command_page(command.grammar, language));
    }
    CHECK(pages_in(kSource / "man") == expected);
}

TEST_CASE("every page of a command describes it and its exit codes and ends with its examples") {
    const Language language = ratectl::cli::whole_language();
    for (const auto& command : language.commands) {
        const std::string page = ratectl::cli::command_page(command.grammar, language);
        CAPTURE(command.grammar.name);
        CHECK_FALSE(ratectl::cli::description_of(command.grammar.name).empty());
        std::size_t before = 0;
        for (const char* section :
             {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"}) {
            const std::size_t at = page.find("\n.SH " + std::string(section) + "\n");
            CAPTURE(section);
            CHECK(at != std::string::npos);
            CHECK(at > before);
            before = at;
        }
    }
}

TEST_CASE("every command and every flag is in the manual and in each completion") {
    const Language language = ratectl::cli::whole_language();
    const std::string bash = ratectl::cli::bash_completion(language);
    const std::string zsh = ratectl::cli::zsh_completion(language);
    const std::string fish = ratectl::cli::fish_completion(language);
    const std::string program = ratectl::cli::program_page(language);
    ratectl::cli::for_each_grammar(language, [&](const Grammar& grammar) {
        for (const Flag* flag : ratectl::cli::shown_flags(grammar)) {
            INFO(grammar.path << " --" << flag->name);
            CHECK(bash.find("--" + flag->name) != std::string::npos);
            CHECK(zsh.find("--" + flag->name + "[") != std::string::npos);
            CHECK(fish.find(" -l " + flag->name + " ") != std::string::npos);
        }
    });
    for (const auto& command : language.commands) {
        const std::string page = ratectl::cli::command_page(command.grammar, language);
        INFO(command.grammar.name);
        CHECK(program.find("ratectl\\-" + command.grammar.name) != std::string::npos);
        for (const Flag* flag : ratectl::cli::shown_flags(command.grammar)) {
            std::string written = "\\-\\-";
            for (const char c : flag->name) written += c == '-' ? "\\-" : std::string{c};
            CHECK(page.find(written) != std::string::npos);
        }
    }
}

TEST_CASE("each shell accepts its completion script") {
    check_shell("bash", kSource / "completions/ratectl.bash");
    check_shell("zsh", kSource / "completions/_ratectl");
    check_shell("fish", kSource / "completions/ratectl.fish");
}

TEST_CASE("shellcheck finds nothing in the bash completion and in the scripts") {
    for (const char* file : {"completions/ratectl.bash", "scripts/bootstrap", "scripts/clean-machine", "scripts/demo",
                             "scripts/generate", "scripts/package", "scripts/test"}) {
        const auto result = ratectl::test::run_program(
            "/usr/bin/env", {"shellcheck", "-s", "bash", "-S", "style", "-e", "SC2016", (kSource / file).string()});
        const bool absent = result.code == 127 && std::getenv("CI") == nullptr;
        INFO(file << "\n" << result.out << result.err);
        CHECK((absent || result.code == 0));
    }
}

TEST_CASE("bash completes commands flags and choices and nothing else") {
    CHECK(bash_offers("ratectl sand", 1) == "sandbox ");
    CHECK(bash_offers("ratectl -o js", 2) == "json ");
    CHECK(bash_offers("ratectl --output = nd", 3) == "ndjson ");
    CHECK(bash_offers("ratectl -d prod sandbox st", 4) == "status ");
    CHECK(bash_offers("ratectl sandbox up --sha", 3).find("--shards") != std::string::npos);
    CHECK(bash_offers("ratectl help exit", 2) == "exit-codes ");
    CHECK(bash_offers("ratectl completion z", 2) == "zsh ");
    CHECK(bash_offers("ratectl --sharding twemproxy-k", 2) == "twemproxy-ketama ");
    CHECK(bash_offers("ratectl sharding show go-redis-7", 3) == "go-redis-7 ");
    CHECK(bash_offers("ratectl scan --state orph", 3) == "orphan-counter orphan-expiry ");
}

TEST_CASE("bash offers the formats columns and words that the command takes and no other") {
    CHECK(bash_offers("ratectl client alice -o git", 4) == "github ");
    CHECK(bash_offers("ratectl check core:1 -o git", 4) == " ");
    CHECK(bash_offers("ratectl stats -o prom", 3) == "prometheus ");
    CHECK(bash_offers("ratectl scan --columns reset_a", 3) == "reset_at ");
    CHECK(bash_offers("ratectl scan --columns key,us", 3) == "key,used ");
    CHECK(bash_offers("ratectl nodes --columns key,us", 3) == " ");
    CHECK(bash_offers("ratectl nodes --sort lag", 3) == "lag_bytes ");
    CHECK(bash_offers("ratectl scan --state open,orph", 3) == "open,orphan-counter open,orphan-expiry ");
    CHECK(bash_offers("ratectl headers core:1 --dialect dr", 4) == "draft-7 draft-8 ");
    CHECK(bash_offers("ratectl doctor --fix orphan-e", 3).find("orphan-expiry") == 0);
    CHECK(bash_offers("ratectl watch core:1 --until ex", 4) == "exhausted ");
    CHECK(bash_offers("ratectl history --since yes", 3) == "yesterday ");
}

TEST_CASE("fish completes commands flags and choices") {
    const auto offers = [](const std::string& line) {
        const std::string script =
            "source '" + (kSource / "completions/ratectl.fish").string() + "'; complete -C '" + line + "'";
        const auto result = ratectl::test::run_program("/usr/bin/env", {"fish", "--no-config", "-c", script});
        INFO(result.err);
        CHECK(result.code == 0);
        return result.out.substr(0, result.out.find_first_of("\t\n"));
    };
    CHECK(offers("ratectl sand") == "sandbox");
    CHECK(offers("ratectl -o nd") == "ndjson");
    CHECK(offers("ratectl -d prod sandbox st") == "status");
    CHECK(offers("ratectl sandbox up --repl") == "--replicas");
    CHECK(offers("ratectl help exit") == "exit-codes");
}

TEST_CASE("bash completion runs nothing that stands on the command line") {
    const fs::path trap = fs::temp_directory_path() / "ratectl-completion-trap";
    fs::remove(trap);
    bash_offers("ratectl -d '$(touch " + trap.string() + ")' sandbox ''", 4);
    bash_offers("ratectl -o '$(touch " + trap.string() + ")'", 2);
    CHECK_FALSE(fs::exists(trap));
}

TEST_CASE("the manual pages have nothing that mandoc warns about") {
    for (const auto& entry : fs::directory_iterator(kSource / "man")) {
        const auto result = ratectl::test::run_program(
            "/usr/bin/env", {"mandoc", "-T", "lint", "-W", "warning", entry.path().string()});
        INFO(entry.path().filename().string() << "\n" << result.out << result.err);
        CHECK(result.code == 0);
    }
}
