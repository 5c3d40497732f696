// Decides which shard each dump file on the command line is of.
#include <algorithm>

#include <fmt/format.h>

#include "commands/dumps/rdb_stream.h"
#include "support/suggest.h"

namespace ratectl::commands {
namespace {

struct Named {
    std::string name;  // empty: none was given
    std::string path;
};

/// A path with a slash before its first `=` is one, whatever follows.
Named split(const std::string& given) {
    const std::size_t sign = given.find('=');
    if (sign == std::string::npos || given.substr(0, sign).find('/') != std::string::npos) return {"", given};
    if (sign == 0) support::throw_usage(fmt::format("--rdb '{}' begins with '='", given), "NAME=FILE, or a FILE alone");
    return {given.substr(0, sign), given.substr(sign + 1)};
}

/// `/backup/alpha.rdb.gz` -> `alpha`.
std::string base_name(const std::string& path) {
    if (path == "-") return "stdin";
    std::string name = path.substr(path.rfind('/') + 1);
    for (const std::string_view ending : {".gz", ".rdb"}) {
        if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
    }
    return name;
}

/// `alpha` fits alpha, alpha-2026-11-21 and alpha.6379.
bool fits(const std::string& shard, const std::string& name) {
    if (!name.starts_with(shard)) return false;
    if (name.size() == shard.size()) return true;
    const char next = name[shard.size()];
    return next == '-' || next == '.' || next == '_';
}

std::size_t named_shard(const Named& named, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), named.name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string hint = support::did_you_mean(named.name, names);
    if (hint.empty()) hint = fmt::format("the deployment's shards: {}", fmt::join(names, " "));
    support::throw_usage(fmt::format("--rdb: no shard is called '{}'", named.name), std::move(hint));
}

std::size_t fitting_shard(const std::string& path, const std::vector<std::string>& names, bool only_file) {
    if (names.size() == 1 && only_file) return 0;
    const std::string base = base_name(path);
    std::size_t best = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (fits(names[i], base) && (best == names.size() || names[i].size() > names[best].size())) best = i;
    }
    if (best < names.size()) return best;
    support::throw_usage(fmt::format("--rdb: of which shard is {} a dump?", path),
                         fmt::format("--rdb NAME=FILE, where NAME is one of: {}", fmt::join(names, " ")));
}

void refuse_twice(const std::vector<RdbFile>& files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (files[i].path == "-" && files[k].path == "-")
                support::throw_usage("--rdb: standard input can be read once", "name files for the others");
            if (files[i].shard_name != files[k].shard_name) continue;
            support::throw_usage(fmt::format("--rdb: two dumps of shard '{}': {} and {}", files[i].shard_name,
                                             files[k].path, files[i].path),
                                 "--rdb NAME=FILE gives each its name; two pictures of one shard are two runs");
        }
    }
}

}  // namespace

std::vector<RdbFile> place_rdb_files(const std::vector<std::string>& given, const store::Directory& directory) {
    const auto names = directory.names();
    std::vector<RdbFile> files;
    for (const std::string& text : given) {
        const Named named = split(text);
        if (named.path.empty())
            support::throw_usage(fmt::format("--rdb '{}' names no file", text), "NAME=FILE, or a FILE alone");
        RdbFile file{.path = named.path, .shard = files.size(), .shard_name = named.name, .db = std::nullopt};
        if (!names.empty()) {
            file.shard =
                named.name.empty() ? fitting_shard(named.path, names, given.size() == 1) : named_shard(named, names);
            file.shard_name = names[file.shard];
            file.db = static_cast<std::uint64_t>(directory.places()[file.shard].primary.db);
        } else if (named.name.empty()) {
            file.shard_name = base_name(named.path);
        }
        files.push_back(std::move(file));
    }
    refuse_twice(files);
    return files;
}

RdbDeployment::RdbDeployment(const std::vector<std::string>& given, Context& context)
    : settings_(context.settings_without_servers()),
      directory_(directory_of(settings_)),
      files_(place_rdb_files(given, *directory_)) {
    if (directory_->places().empty()) {
        std::vector<domain::Shard> shards;
        for (const RdbFile& file : files_) {
            domain::Endpoint endpoint;
            endpoint.kind = domain::Endpoint::Kind::file;
            endpoint.path = file.path;
            shards.push_back({file.shard_name, std::move(endpoint), {}, false});
        }
        directory_ = store::configured_directory({std::move(shards)});
    }
    context_.emplace(context, settings_, *directory_);
    if (!settings_.now) context_->show_times_from(first_moment());
}

}  // namespace ratectl::commands
