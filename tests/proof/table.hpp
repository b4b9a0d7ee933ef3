#pragma once
/// \file
/// The row of each claim: its name, its number of queries, and the seconds of processor time.

#include <cstdio>
#include <ctime>
#include <string>
#include <utility>

#include "solver.hpp"

namespace proof {

class table {
 public:
  /// Selects the claims whose names contain `only`, or one of its parts between bars. "--list" prints the names of all claims.
  explicit table(std::string only) : only_{std::move(only)} {}

  /// Prints the number of proved claims. Returns 0 if there is a claim and all are proved.
  int status() const {
    if (lists()) return 0;
    std::printf("%d proved, %d failed\n", proved_, failed_);
    return failed_ == 0 && proved_ > 0 ? 0 : 1;
  }

 protected:
  /// Begins a claim. Returns true if it is selected.
  bool begin(const std::string& name) {
    if (lists()) std::printf("%s\n", name.c_str());
    name_ = name;
    failure_.clear();
    begun_ = seconds();
    queries_ = 0;
    for (std::size_t from = 0, bar = 0; bar != std::string::npos; from = bar + 1) {
      bar = only_.find('|', from);
      if (name.find(only_.substr(from, bar - from)) != std::string::npos) return true;
    }
    return false;
  }
  std::string ask(const std::string& script) {
    ++queries_;
    return solver_.answer(script);
  }
  solver& asked() { return solver_; }
  /// Records the first reason for a failure.
  void fail(const std::string& why) {
    if (failure_.empty()) failure_ = why;
  }
  bool has_failed() const { return !failure_.empty(); }
  void end() {
    std::printf("| %s | %d | %.1f |\n", name_.c_str(), queries_, seconds() - begun_);
    if (has_failed()) std::printf("FAILED: %s\n", failure_.c_str());
    std::fflush(stdout);
    ++(has_failed() ? failed_ : proved_);
  }

 private:
  bool lists() const { return only_ == "--list"; }
  /// Returns the processor time of the solver and of this program.
  double seconds() const { return solver_.seconds() + static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

  std::string only_;
  solver solver_;
  std::string name_;
  std::string failure_;
  double begun_ = 0;
  int queries_ = 0;
  int proved_ = 0;
  int failed_ = 0;
};

}  // namespace proof
