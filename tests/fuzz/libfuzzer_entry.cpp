// The fuzz targets under libFuzzer: `ratectl_fuzz --target=NAME tests/fuzz/corpus/NAME`.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "fuzz/targets.h"

namespace {

const ratectl::fuzz::Target* chosen = nullptr;

constexpr std::string_view kFlag = "--target=";

}  // namespace

/// Takes our one flag out of the arguments before libFuzzer reads them.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    int kept = 0;
    for (int i = 0; i < *argc; ++i) {
        const std::string_view word = (*argv)[i];
        if (!word.starts_with(kFlag)) {
            (*argv)[kept++] = (*argv)[i];
            continue;
        }
        for (const auto& target : ratectl::fuzz::targets()) {
            if (target.name == word.substr(kFlag.size())) chosen = &target;
        }
    }
    *argc = kept;
    if (chosen != nullptr) return 0;
    std::cerr << "which target? --target=NAME, one of:";
    for (const auto& target : ratectl::fuzz::targets()) std::cerr << ' ' << target.name;
    std::cerr << '\n';
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
