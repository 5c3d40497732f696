// Blocks of examples, run one after the other in one world.
#include "examples/transcript.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "examples/normal_text.h"

namespace ratectl::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Rows of sweeps are in no order of their own.
bool is_unordered(const std::string& script) {
    if (has(script, "--top") || has(script, "--sort") || has(script, "explain")) return false;
    for (const char* sweep : {"ratectl scan", "--policy", "--match", "ratectl doctor", "apply", "replay", "nodes"}) {
        if (has(script, sweep)) return true;
    }
    return false;
}

std::string marked(const std::string& text, const std::string& mark) {
    std::string out;
    for (const std::string& line : lines_of(text)) out += mark + line + "\n";
    return out;
}

}  // namespace

std::string transcript_of_script(const std::string& script, const ExampleWorld& world) {
    const RunResult result = world.run(script);
    std::string out = normal_text(result.out, world.folder());
    if (is_unordered(script)) {
        auto lines = lines_of(out);
        std::ranges::sort(lines);
        out.clear();
        for (const std::string& line : lines) out += line + "\n";
    }
    if (!out.empty() && out.back() != '\n') out += "\n";
    out += marked(normal_text(result.err, world.folder()), "2> ");
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
