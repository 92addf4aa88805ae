#include "dyn_core/base/number.hpp"

#include <charconv>

#ifndef __cpp_lib_to_chars  // libc++ has from_chars for integers only
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

#include <locale.h>
#endif

namespace dyn {

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
#ifdef __cpp_lib_to_chars
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
#else
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  // What strtod takes and from_chars does not: white space, a second sign, hexadecimals.
  if (text.empty() || text.find_first_of(" \t\n\v\f\r+") == 0 ||
      text.find_first_of("xX") < text.size())
    return {};
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double value = strtod_l(copy.c_str(), &end, plain);
  if (errno == ERANGE && (std::isinf(value) || value == 0.0)) return {};
  if (end != copy.c_str() + copy.size()) return {};
  return value;
#endif
}

}  // namespace dyn
