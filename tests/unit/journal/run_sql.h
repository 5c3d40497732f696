// SQL on a file, past the journal.
#pragma once

#include <sqlite3.h>

#include <string>

#include "support/catch.h"

namespace ratectl::test {

inline void run_sql(const std::string& path, const std::string& sql) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(handle);
    REQUIRE(code == SQLITE_OK);
}

}  // namespace ratectl::test
