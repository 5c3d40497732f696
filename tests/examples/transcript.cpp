// Blocks of examples, run one after the other in one world.
#include "examples/transcript.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "examples/normal_text.h"
#include "support/contains.h"

namespace ratectl::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

/// Rows of sweeps are in no order of their own.
bool is_unordered(const std::string& script) {
    if (contains(script, "--top") || contains(script, "--sort") || contains(script, "explain") ||
        contains(script, "stats"))
        return false;
    for (const char* sweep : {"ratectl scan", "throttle list", "--policy", "--match", "ratectl doctor", "ratectl apply",
                              "replay", "nodes", "reshard", "watch"}) {
        if (contains(script, sweep)) return true;
    }
    return false;
}

/// The rules that guess ranks behind the first depend on the servers' ports.
std::string without_others(const std::string& text) {
    std::string out;
    for (const std::string& line : lines_of(text)) {
        if (!line.starts_with("  ") || line.starts_with("  1  ")) out += line + "\n";
    }
    return out;
}

/// Which windows end in the same second depends on how long it took to make them.
std::string without_resets(const std::string& text) {
    auto lines = lines_of(text);
    std::erase_if(lines, [](const std::string& line) { return contains(line, " reset") || contains(line, "  in <"); });
    return joined(lines);
}

/// The keys below `about to`, in the order in which a sweep met them.
std::string with_sorted_preview(const std::string& text) {
    auto lines = lines_of(text);
    const auto is_key = [](const std::string& line) { return line.starts_with("  "); };
    for (auto it = lines.begin(); it != lines.end();) {
        const auto first = std::find_if(it, lines.end(), is_key);
        it = std::find_if_not(first, lines.end(), is_key);
        std::sort(first, it);
    }
    return joined(lines);
}

std::string marked(const std::string& text, const std::string& mark) {
    std::string out;
    for (const std::string& line : lines_of(text)) out += mark + line + "\n";
    return out;
}

}  // namespace

std::string transcript_of_script(const std::string& script, const ExampleWorld& world) {
    const RunResult result = world.run(script);
    // Chance chooses what is looked at: there is something to report (1) or not (0).
    if (contains(script, "--sample") && (result.code == 0 || result.code == 1)) return "[a sample]\n";
    std::string out = normal_text(result.out, world.folder());
    if (contains(script, "ratectl nodes")) out = without_figures(out);
    if (contains(script, "sharding guess")) out = without_others(out);
    if (contains(script, "ratectl stats")) out = without_resets(out);
    if (is_unordered(script)) {
        auto lines = lines_of(out);
        std::ranges::sort(lines);
        out = joined(lines);
    }
    if (!out.empty() && out.back() != '\n') out += "\n";
    out += marked(with_sorted_preview(normal_text(result.err, world.folder())), "2> ");
    std::string questions = normal_text(result.terminal, world.folder());
    std::erase(questions, '\r');
    out += marked(questions, "tty> ");
    if (result.code != 0) out += "[exit " + std::to_string(result.code) + "]\n";
    return out;
}

std::string transcript_of(const std::string& examples, const ExampleWorld& world) {
    std::string out;
    std::string head;
    std::string script;
    const auto finish = [&] {
        if (!script.empty()) out += head + transcript_of_script(script, world) + "\n";
        head.clear();
        script.clear();
    };
    for (const std::string& line : lines_of(examples)) {
        if (line.starts_with("# ")) {
            finish();
            head = line + "\n";
            continue;
        }
        head += (line.starts_with(" ") ? "> " : "$ ") + line + "\n";
        script += line + "\n";
    }
    finish();
    return out;
}

}  // namespace ratectl::test
