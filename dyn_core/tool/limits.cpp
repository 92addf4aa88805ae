#include "limits.hpp"

#include <fstream>

#include <fmt/format.h>

namespace dyn::tool {

CLI::Validator number_between(double low, double high) {
  const std::string range = fmt::format("[{:g} - {:g}]", low, high);
  return {[low, high](const std::string& text) {
            double value = 0.0;
            if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high)
              return std::string();
            return fmt::format("'{}' is no number from {:g} to {:g}", text, low, high);
          },
          range};
}

void require_joints(const Chain& chain, Index most, const char* command) {
  if (chain.joint_count() <= most) return;
  throw Failure(
      fmt::format("{} takes arms of up to {} joints, and from '{}' to '{}' there are {}: choose a "
                  "shorter chain with "
                  "--base and --tip, or hold joints with --lock",
                  command, most, chain.base(), chain.tip(), chain.joint_count()));
}

std::string read_up_to(std::istream& in, std::size_t most) {
  std::string text, block(std::size_t{1} << 16, '\0');
  while (text.size() <= most && in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

std::string text_of_file(const std::string& path, const std::string& option) {
  constexpr std::size_t kMost = std::size_t{32} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text = read_up_to(file, kMost);
  if (file.bad() || (!file.eof() && text.empty())) {
    throw Failure(fmt::format("{}: '{}' cannot be read; check the path", option, path));
  }
  if (text.size() > kMost) {
    throw Failure(fmt::format("{}: '{}' is longer than {} MB; is it the right file?", option, path,
                              kMost >> 20));
  }
  return text;
}

}  // namespace dyn::tool
