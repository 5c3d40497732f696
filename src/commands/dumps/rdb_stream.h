// Dump files in the place of servers: a deployment whose shards are files, and the sweep over them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/deployment_context.h"
#include "store/store.h"

namespace ratectl::commands {

/// One dump, and whose it is.
struct RdbFile {
    std::string path;       // `-`: standard input
    std::size_t shard = 0;  // index into the places
    std::string shard_name;
    std::optional<std::uint64_t> db;  // null: the first one that has windows
};

/// `NAME=FILE` or FILE: the shard that is called NAME, or as the file is. With a configuration NAME is one of its
/// shards (its only one needs no name) and its URL says which db; without any the files are the shards. Throws Failure
/// (usage).
std::vector<RdbFile> place_rdb_files(const std::vector<std::string>& given, const store::Directory& directory);

/// What commands need to work on files as they do on servers. Nothing is connected; the context's store() must not be
/// asked for.
class RdbDeployment {
public:
    /// What `--rdb` was given, in order. Throws Failure (usage, configuration).
    RdbDeployment(const std::vector<std::string>& given, Context& context);

    /// As the one it was made from, but for the settings: no configuration is needed, and without one the shards are
    /// the files.
    Context& context() { return *context_; }
    const std::vector<RdbFile>& files() const { return files_; }

    /// The files one after the other, each as a point-in-time picture: a page's read_at is the moment at which its file
    /// was written, its node names the file (Endpoint::Kind::file) and has no role. Says on standard error of which
    /// moment each picture is. A file that is damaged, cut off or cannot be read is a failure; what it gave before that
    /// stays. Standard input can be swept once. Throws Failure (usage) where the moment is not known. Dies before
    /// the deployment does.
    std::unique_ptr<store::ScanStream> scan(store::ScanQuestion question);

private:
    std::optional<support::Instant> first_moment() const;

    config::Settings settings_;
    std::shared_ptr<store::Directory> directory_;
    std::vector<RdbFile> files_;
    std::optional<DeploymentContext> context_;
};

}  // namespace ratectl::commands
