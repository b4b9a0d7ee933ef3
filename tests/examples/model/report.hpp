#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace model {

/// Reads a network, runs it on every backend, and prints what it is. Returns 0, or 2 if the arguments are wrong. Throws
/// `refused`.
int report(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace model
