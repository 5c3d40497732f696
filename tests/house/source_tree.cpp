// Reads sources and finds function bodies by counting braces.
#include "house/source_tree.h"

#include <algorithm>
#include <fstream>
#include <regex>

#include "support/places.h"

namespace ratectl::test {

namespace {

/// Blanks comments, string and character literals, so that braces in them do not count. `state` carries over line ends.
struct Blanker {
    bool in_comment = false;
    bool in_raw = false;
    std::string raw_end;

    std::string blank(const std::string& line) {
        std::string out;
        for (std::size_t i = 0; i < line.size();) {
            if (in_comment) {
                const auto end = line.find("*/", i);
                if (end == std::string::npos) return out;
                in_comment = false;
                i = end + 2;
            } else if (in_raw) {
                const auto end = line.find(raw_end, i);
                if (end == std::string::npos) return out;
                in_raw = false;
                i = end + raw_end.size();
            } else if (line.compare(i, 2, "//") == 0) {
                return out;
            } else if (line.compare(i, 2, "/*") == 0) {
                in_comment = true;
                i += 2;
            } else if (line.compare(i, 2, "R\"") == 0) {
                const auto open = line.find('(', i);
                raw_end = ")" + line.substr(i + 2, open - i - 2) + "\"";
                in_raw = true;
                i = open + 1;
            } else if (line[i] == '"' ||
                       (line[i] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(line[i - 1]))))) {
                i = past_literal(line, i);
                out += '0';
            } else {
                out += line[i++];
            }
        }
        return out;
    }

    static std::size_t past_literal(const std::string& line, std::size_t i) {
        const char quote = line[i++];
        while (i < line.size() && line[i] != quote) i += line[i] == '\\' ? 2 : 1;
        return i + 1;
    }
};

bool opens_function(const std::string& head) {
    static const std::regex other(
        R"(^\s*((template\s*<[^{]*>\s*)?(class|struct|enum|union|namespace|extern)\b|[^(]*=\s*$))");
    return head.find('(') != std::string::npos && !std::regex_search(head, other);
}

}  // namespace

std::vector<SourceFile> source_files(const std::string& folder) {
    const std::filesystem::path root = source_dir();
    std::vector<SourceFile> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
        const auto extension = entry.path().extension();
        if (extension != ".h" && extension != ".cpp" && extension != ".lua") continue;
        SourceFile file{std::filesystem::relative(entry.path(), root).string(), {}};
        std::ifstream in(entry.path());
        for (std::string line; std::getline(in, line);) file.lines.push_back(line);
        files.push_back(std::move(file));
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return files;
}

std::vector<FunctionSpan> functions_of(const SourceFile& file) {
    std::vector<FunctionSpan> functions;
    Blanker blanker;
    std::string head;
    std::size_t head_line = 0;
    int depth_in_function = 0;
    for (std::size_t n = 0; n < file.lines.size(); ++n) {
        const std::string text = blanker.blank(file.lines[n]);
        if (!text.empty() && text[0] == '#') continue;
        for (const char c : text) {
            if (depth_in_function > 0) {
                if (c == '{') ++depth_in_function;
                if (c == '}' && --depth_in_function == 0)
                    functions.back().lines = n + 1 - functions.back().first_line + 1;
                continue;
            }
            if (c == '{' && opens_function(head)) {
                functions.push_back({head, head_line + 1, 0});
                depth_in_function = 1;
                head.clear();
            } else if (c == '{' || c == '}' || c == ';') {
                head.clear();
            } else {
                if (head.find_first_not_of(' ') == std::string::npos) head_line = n;
                head += c;
            }
        }
        if (depth_in_function == 0) head += ' ';
    }
    return functions;
}

}  // namespace ratectl::test
