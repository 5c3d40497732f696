// The program's main(): hands the process's arguments and surroundings to app::run.
#include "app/run.h"

int main(int argc, char** argv) { return ratectl::app::run(argc, argv); }
