// The journal's file before SQLite opens it: made where it is missing, refused where it is not a plain file of ours.
#pragma once

#include <string>

namespace ratectl::journal {

/// The file's path without symbolic links in its folder; missing folders are made (0700), a missing file too (0600,
/// empty). A file that others can read is closed to them. Throws Failure (local_io): a symbolic link, a pipe, a folder,
/// another user's file, one with a second name, a folder in which others may replace files.
std::string prepare_file(const std::string& path);

}  // namespace ratectl::journal
