// A whole file, byte for byte.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace ratectl::test {

/// Empty when it cannot be read.
inline std::string file_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace ratectl::test
