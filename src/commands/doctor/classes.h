// Which classes of findings are wanted, and which are to be repaired: --only, --skip, --fix.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "domain/diagnosis/finding.h"

namespace ratectl::commands::doctor {

class Classes {
public:
    /// All of them.
    Classes() { chosen_.set(); }
    /// Those of `only` (all where it is empty) without those of `skip`. Throws Failure (usage) for a name that is none.
    static Classes chosen(const std::vector<std::string>& only, const std::vector<std::string>& skip);
    /// `all`: what can be repaired and need not be named; else those that are named. Throws Failure (usage) for a name
    /// that is none, or whose class cannot be repaired.
    static Classes to_fix(const std::vector<std::string>& names);
    static Classes none();

    bool has(domain::FindingClass what) const { return chosen_.test(static_cast<std::size_t>(what)); }
    bool any_window() const;
    bool any_server() const;
    bool any() const { return chosen_.any(); }

private:
    std::bitset<static_cast<std::size_t>(domain::FindingClass::masked_keys) + 1> chosen_;
};

}  // namespace ratectl::commands::doctor
