// The policies that identified keys would belong to, as tables to paste into the configuration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/starter.h"
#include "domain/identify/origin.h"

namespace ratectl::commands::identify {

/// Each policy once, under a name of its own.
class PolicyTables {
public:
    /// `deployment`: whose policies they would be.
    explicit PolicyTables(std::string deployment) : deployment_(std::move(deployment)) {}

    /// The table of such keys; null where it would be a guess, or where no scheme of this program is the limiter's.
    const std::string* table_of(const domain::Origin& origin);
    /// All of them; what is not certain says so in a comment.
    std::string text() const;
    bool empty() const { return tables_.empty(); }

private:
    struct Table {
        std::string text;
        domain::Sureness sureness = domain::Sureness::likely;
        bool guessed = false;
    };
    std::string name_for(const std::string& system);

    std::string deployment_;
    std::map<std::string, bool, std::less<>> schemes_;  // whether there is one of that name
    std::map<std::tuple<std::string, std::string, support::Seconds>, std::size_t> known_;  // and its period
    std::map<std::string, std::size_t> names_;
    std::vector<Table> tables_;
};

}  // namespace ratectl::commands::identify
