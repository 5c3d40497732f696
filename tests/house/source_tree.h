// The project's own sources as text, for the checks that guard its shape.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratectl::test {

struct SourceFile {
    std::string path;  // relative to the project: src/redis/reply.h
    std::vector<std::string> lines;
};

/// All .h, .cpp and .lua files below the folder, sorted.
std::vector<SourceFile> source_files(const std::string& folder);

struct FunctionSpan {
    std::string head;  // what stands before the brace, folded to one line
    std::size_t first_line = 0;
    std::size_t lines = 0;
};

/// The outermost function bodies of a file: a brace counter over text without comments and literals.
std::vector<FunctionSpan> functions_of(const SourceFile& file);

}  // namespace ratectl::test
