// What a dump file may hold: anything, since anyone may have made it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "commands/dumps/rdb_picture.h"
#include "fuzz/broken.h"
#include "fuzz/input_targets.h"
#include "input/rdb/bytes.h"
#include "schemes/book.h"
#include "support/window_look.h"

namespace ratectl::fuzz {

struct ReadDump {
    std::vector<std::string> keys;
    std::vector<std::string> values;
    std::string complaint;

    bool operator==(const ReadDump&) const = default;
};

inline ReadDump read_dump(std::string_view bytes, std::size_t piece, bool values) {
    ReadDump read;
    DripSource source(bytes, piece);
    try {
        input::RdbReader reader(source);
        while (const auto* key = reader.next_key()) {
            promise(key->key.size() <= input::RdbReader::kLongestKey, "a key beyond what is kept");
            read.keys.emplace_back(key->key);
            if (!values) continue;
            const auto value = reader.read_value();
            promise(value.bytes.size() <= input::RdbReader::kLongestValue, "a value beyond what is kept");
            promise(!value.type.empty(), "a value without a type");
            read.values.emplace_back(value.bytes);
        }
    } catch (const support::Failure& failure) {
        promise(failure.error().code == support::ExitCode::local_io, "a bad dump is no local_io");
        read.complaint = failure.error().message;
        promise(!read.complaint.empty(), "a bad dump without words");
    }
    return read;
}

inline std::vector<domain::WindowLook> windows_of(std::string_view bytes, domain::LookDepth depth, std::size_t page) {
    store::ScanQuestion question;
    question.depth = depth;
    question.orphan_counters = [](std::string_view) { return true; };
    std::vector<domain::WindowLook> all;
    std::vector<domain::WindowLook> looks(page);
    std::optional<commands::RdbPicture> picture;
    try {
        picture.emplace(std::make_unique<DripSource>(bytes, 7),
                        commands::PictureOptions{schemes::scheme_of({"window", ":exp"}), std::nullopt, "secret"},
                        question);
        while (const std::size_t count = picture->fill(looks))
            all.insert(all.end(), looks.begin(), looks.begin() + static_cast<std::ptrdiff_t>(count));
    } catch (const support::Failure&) {
        if (picture)
            all.insert(all.end(), looks.begin(), looks.begin() + static_cast<std::ptrdiff_t>(picture->filled()));
    }
    for (const auto& look : all) {
        promise(depth == domain::LookDepth::full || counter_part(look).value || expiry_part(look).value,
                "a window of nothing");
        domain::judge(look, support::from_epoch(1000), 20);
    }
    return all;
}

/// After the header the bytes are a dump as they are; without one they are what stands behind the header.
inline void rdb(std::string_view bytes) {
    std::string whole(bytes);
    if (!bytes.starts_with("REDIS") && !bytes.starts_with("VALKEY")) whole = "REDIS0011" + whole;
    const ReadDump read = read_dump(whole, 65536, true);
    promise(read_dump(whole, 1, true) == read, "read byte by byte, a dump gives something else");
    const ReadDump passed = read_dump(whole, 65536, false);
    promise(read.complaint.find("unpacked") != std::string::npos || passed.keys == read.keys,
            "values passed over lead to other keys than values read");
    promise(windows_of(whole, domain::LookDepth::light, 1) == windows_of(whole, domain::LookDepth::light, 100),
            "windows depend on the size of a page");
    windows_of(whole, domain::LookDepth::full, 3);
}

/// Its first byte says how much is wanted.
inline void lzf(std::string_view bytes) {
    if (bytes.empty()) return;
    const auto wanted = std::size_t{static_cast<unsigned char>(bytes.front())} * 8;
    std::string text;
    std::string less;
    if (!input::lzf_unpack(bytes.substr(1), wanted, text)) return;
    promise(text.size() == wanted, "not as much as was wanted");
    promise(input::lzf_unpack(bytes.substr(1), wanted / 2, less), "the beginning of it cannot be unpacked");
    promise(text.starts_with(less), "the beginning of it is something else");
}

}  // namespace ratectl::fuzz
