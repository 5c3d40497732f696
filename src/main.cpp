// The adapter between the process and the program.
#include "app/run.h"

int main(int argc, char** argv) { return ratectl::app::run(argc, argv); }
