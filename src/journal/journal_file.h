// The journal's file before it is used: made where it is missing, refused where it is not a plain file of ours; its
// tables.
#pragma once

#include <string>

#include "journal/database.h"

namespace ratectl::journal {

/// The file's path without symbolic links in its folder; missing folders are made (0700), a missing file too (0600,
/// empty). A file that others can read is closed to them. Throws Failure (local_io): a symbolic link, a pipe, a folder,
/// another user's file, one with a second name, a folder in which others may replace files.
std::string prepare_file(const std::string& path);

/// Makes the tables where there are none yet, all of them or nothing. Throws Failure (local_io): the file is no
/// journal, or a ratectl with other tables wrote it.
void prepare_schema(Database& database);

}  // namespace ratectl::journal
