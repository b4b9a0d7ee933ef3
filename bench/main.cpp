// dyadic_bench: tables of what the library does with real data and how fast.

#include "groups.hpp"

int main(int argc, char** argv) {
  return bench::print_tables(argc, argv,
                             {{"limits", bench::limits_of_machine},
                              {"digits", bench::digits},
                              {"rescale", bench::rescale},
                              {"linear", bench::linear},
                              {"conv", bench::conv}});
}
