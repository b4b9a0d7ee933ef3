#pragma once
// Changes the environment of the test.

#include <cstdlib>

namespace support {

/// Sets a variable of the environment; a null value removes it. Windows has no empty values, so an empty value removes it, too.
inline void set_environment(const char* name, const char* value) {
#if defined(_WIN32)
  _putenv_s(name, value == nullptr ? "" : value);
#else
  if (value == nullptr)
    unsetenv(name);
  else
    setenv(name, value, 1);
#endif
}

}  // namespace support
