// Presets, states, and what every command's --columns takes.
#include "commands/offered_words.h"

#include "config/settings.h"
#include "domain/window.h"
#include "sharding/shard_map.h"

namespace ratectl::commands {

std::vector<std::string> offered_words(std::string_view name) {
    if (name == "PRESET") return sharding::preset_names();
    if (name == "sharding") {
        auto words = sharding::preset_names();
        words.emplace_back(config::kAllShards);
        return words;
    }
    if (name == "state") {
        using enum domain::WindowState;
        std::vector<std::string> words;
        for (const auto state :
             {absent, open, exhausted, closed, orphan_counter, orphan_expiry, leaked, corrupt, negative})
            words.emplace_back(domain::name_of(state));
        return words;
    }
    if (name == "columns") return {"help"};
    if (name == "output") return {"github", "prometheus", "html"};  // of one command each
    return {};
}

std::string_view offered_names(std::string_view name, std::string_view value) {
    if (value != "NAME") return {};
    if (name == "deployment") return "deployments";
    if (name == "policy") return "policies";
    if (name == "shard") return "shards";
    if (name == "class") return "classes";
    return {};
}

}  // namespace ratectl::commands
