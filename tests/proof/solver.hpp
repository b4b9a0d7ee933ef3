#pragma once
/// \file
/// An SMT-LIB 2 solver in a process of its own: z3, or the command in DYADIC_SOLVER. It reads its input and answers at once.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace proof {

class solver {
 public:
  solver() {
    std::signal(SIGPIPE, SIG_IGN);  // writing to a solver that is not there fails instead
    int to[2] = {};
    int from[2] = {};
    if (pipe(to) != 0 || pipe(from) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      setenv("MALLOC_TOP_PAD_", "67108864", 0);  // a query reuses the memory of the query before it
      for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
      execl("/bin/sh", "sh", "-c", ("exec " + command()).c_str(), nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
  }
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;
  ~solver() {
    if (to_ != nullptr) std::fclose(to_);
    if (from_ != nullptr) std::fclose(from_);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }

  static std::string command() {
    const char* named = std::getenv("DYADIC_SOLVER");
    return named != nullptr ? named : "z3 -in -t:120000";
  }
  /// Returns the solver's answer to `script`: "sat", "unsat", or other text.
  std::string answer(const std::string& script) {
    say("(reset)\n(set-option :produce-models true)\n" + script + "(check-sat)\n");
    return line();
  }
  /// Returns the value of an input, a bit-vector, in SMT-LIB's form. Requires: the last answer was "sat".
  std::string value(const std::string& input) {
    say("(get-value (" + input + "))\n");
    return line();
  }
  /// Returns the processor time that the solver has used.
  double seconds() const {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }

 private:
  void say(const std::string& text) {
    if (to_ == nullptr) return;
    std::fputs(text.c_str(), to_);
    std::fflush(to_);
  }
  std::string line() {
    char buffer[4096];
    if (from_ == nullptr || std::fgets(buffer, sizeof(buffer), from_) == nullptr) return "no answer of '" + command() + "'";
    buffer[std::strcspn(buffer, "\r\n")] = 0;
    return buffer;
  }
  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace proof
