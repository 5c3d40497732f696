// Reads --only, --skip and --fix: class names from the command line, with a near one suggested for a slip.
#include "commands/doctor/classes.h"

#include <algorithm>

#include "support/error.h"
#include "support/suggest.h"

namespace ratectl::commands::doctor {
namespace {

using domain::FindingClass;
using domain::FindingKind;
using support::ExitCode;
using support::Failure;

FindingClass class_named(const std::string& name, const std::string& flag) {
    if (const auto found = domain::finding_class_from(name)) return *found;
    std::vector<std::string> known;
    for (const FindingKind& kind : domain::finding_kinds()) known.emplace_back(kind.name);
    auto hint = support::did_you_mean(name, known);
    if (hint.empty()) hint = "`ratectl doctor --classes` lists them";
    throw Failure(ExitCode::usage, flag + ": no class is called '" + name + "'", std::move(hint));
}

std::size_t number(FindingClass what) { return static_cast<std::size_t>(what); }

}  // namespace

Classes Classes::none() {
    Classes classes;
    classes.chosen_.reset();
    return classes;
}

Classes Classes::chosen(const std::vector<std::string>& only, const std::vector<std::string>& skip) {
    Classes classes;
    if (!only.empty()) classes.chosen_.reset();
    for (const auto& name : only) classes.chosen_.set(number(class_named(name, "--only")));
    for (const auto& name : skip) classes.chosen_.reset(number(class_named(name, "--skip")));
    if (!classes.any()) throw Failure(ExitCode::usage, "--only and --skip leave no class to look for", {});
    return classes;
}

Classes Classes::to_fix(const std::vector<std::string>& names) {
    Classes classes = none();
    for (const auto& name : names) {
        if (name == "all") {
            for (const FindingKind& kind : domain::finding_kinds()) {
                const auto repair = kind.repair;
                if (repair == domain::Repair::set_expiries || repair == domain::Repair::remove)
                    classes.chosen_.set(number(kind.what));
            }
            continue;
        }
        const auto what = class_named(name, "--fix");
        const FindingKind& kind = domain::kind_of(what);
        if (kind.repair == domain::Repair::none) {
            throw Failure(ExitCode::usage, "--fix: '" + name + "' cannot be repaired without guessing",
                          std::string(kind.advice));
        }
        classes.chosen_.set(number(what));
    }
    return classes;
}

bool Classes::any_window() const {
    const auto kinds = domain::finding_kinds();
    return std::any_of(kinds.begin(), kinds.end(), [this](const auto& k) { return k.is_window() && has(k.what); });
}

bool Classes::any_server() const {
    const auto kinds = domain::finding_kinds();
    return std::any_of(kinds.begin(), kinds.end(), [this](const auto& k) { return !k.is_window() && has(k.what); });
}

}  // namespace ratectl::commands::doctor
