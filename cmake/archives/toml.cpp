// toml++ as an archive: its header holds all of it, and Debian packages the shared library only.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
