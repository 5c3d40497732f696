// Keys as text, in and out: raw, escaped, hexadecimal or base64.
#include <array>

#include "output/printable.h"
#include "output/row_sink.h"
#include "support/base64.h"
#include "support/suggest.h"

namespace ratectl::output {

using support::ExitCode;
using support::failure;

support::Result<KeyFormat> parse_key_format(std::string_view text) {
    static const std::array<std::string, 4> names{"raw", "escaped", "hex", "base64"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (text == names[i]) return static_cast<KeyFormat>(i);
    }
    std::string hint = support::did_you_mean(text, names);
    if (hint.empty()) hint = "key formats are raw, escaped, hex and base64";
    return failure(ExitCode::usage, "no key format is called '" + std::string(text) + "'", std::move(hint));
}

support::Result<std::string> decode_key(KeyFormat format, std::string_view text) {
    std::optional<std::string> bytes;
    std::string_view name;
    switch (format) {
        case KeyFormat::raw: return std::string(text);
        case KeyFormat::escaped: bytes = unprintable(text), name = "escaped"; break;
        case KeyFormat::hex: bytes = support::from_hex(text), name = "hex"; break;
        case KeyFormat::base64: bytes = support::from_base64(text), name = "base64"; break;
    }
    if (bytes) return *std::move(bytes);
    return failure(ExitCode::usage, "what was given as a key is not a key in --key-format " + std::string(name),
                   "keys are read in the same format in which they are printed");
}

std::string encode_key(KeyFormat format, std::string_view bytes) {
    switch (format) {
        case KeyFormat::raw: break;
        case KeyFormat::escaped: return printable(bytes);
        case KeyFormat::hex: return support::to_hex(bytes);
        case KeyFormat::base64: return support::to_base64(bytes);
    }
    return std::string(bytes);
}

}  // namespace ratectl::output
