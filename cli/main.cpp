#include <string>
#include <vector>

#include "cli/program.h"

int main(int argc, char** argv) {
  return stepbench::cli::run_program(std::vector<std::string>(argv, argv + argc));
}
