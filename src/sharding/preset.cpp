// The table of presets as one list.

#include "sharding/preset.h"

#include <algorithm>
#include <vector>

#include "sharding/preset_rows.h"

namespace ratectl::sharding {

std::span<const Preset> presets() {
    static const std::vector<Preset> all = [] {
        std::vector<Preset> rows;
        for (const auto& part : {redis_presets(), other_presets()}) rows.insert(rows.end(), part.begin(), part.end());
        return rows;
    }();
    return all;
}

const Preset* find_preset(std::string_view name) {
    const auto all = presets();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Preset& preset) { return preset.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace ratectl::sharding
