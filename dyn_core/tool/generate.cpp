// dyn generate: straight-line C++ for one robot.
#include <filesystem>

#include "common.hpp"
#include "dyn_core/generate/code_generator.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

struct GenerateOptions {
  RobotOptions robot;
  std::string output = "-";
  int most_operations = kMostOperations;
  bool lanes = false;
};

void run_generate(const GenerateOptions& options) {
  const ChainPtr chain = options.robot.load();
  const Model model(chain);
  if (options.lanes && options.output == "-") {
    throw Failure("--lanes: the file includes itself and needs a name: give -o FILE");
  }
  const GeneratedCode code = require(
      options.lanes ? generate_lanes(model, DYN_VERSION,
                                     std::filesystem::path(options.output).filename().string(),
                                     options.most_operations)
                    : generate_code(model, DYN_VERSION, options.most_operations));
  for (const std::string& sentence : code.left_out) say("left out: {}", sentence);
  OutputFile file("--output", options.output);
  file.write(code.text);
  file.finish();
  if (file.is_stdout()) return;
  say("{} written; its functions are in namespace {}", options.output, code.name);
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "generate", "Straight-line C++ for one robot: mass matrix, inverse and forward dynamics");
  auto options = std::make_shared<GenerateOptions>();
  options->robot.add_to(*command);
  command->add_option("-o,--output", options->output, "The header file to write; - is stdout")
      ->capture_default_str();
  command->add_flag("--lanes", options->lanes,
                    "For packets of eight states, side by side in the lanes of the processor");
  command
      ->add_option(
          "--most-operations", options->most_operations,
          "Leave out functions of more operations: they would outgrow the instruction cache")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->footer(
      "Gravity, payload and armature become constants. The code needs no library; self_test() in "
      "it says whether it is right.\nExample: dyn generate arm.urdf -o arm_dynamics.hpp\n"
      "Example: dyn generate --lanes arm.urdf -o arm_lanes.hpp");
  command->callback([options] { run_generate(*options); });
}

}  // namespace dyn::tool
