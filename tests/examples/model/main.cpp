// Reads a .tflite file, runs it on every backend of the machine, and reports which engines compute the same outputs. See
// report.cpp.
#include <iostream>
#include <stdexcept>

#include "report.hpp"

int main(int count, char** arguments) try {
  return model::report({arguments + 1, arguments + count}, std::cout);
} catch (const std::exception& e) {
  std::cerr << "model: " << e.what() << '\n';
  return 1;
}
