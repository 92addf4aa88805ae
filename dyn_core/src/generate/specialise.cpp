// Batch::specialise(): code for one robot, made while the program runs.
#include <dlfcn.h>
#include <fmt/format.h>

#include "compiled.hpp"
#include "fast/batch_impl.hpp"
#include "lanes_generator.hpp"
#include "straight_line.hpp"

namespace dyn {
namespace {

// One instruction set, with a pointer to each function that a program can look up.
std::string source_of(const GeneratedCode& code, std::string_view target) {
  std::string source = generate::definitions(target) + code.text;
  for (const char* function : generate::kFunctions) {
    if (code.text.find(fmt::format("lanes_of_{}(", function)) == std::string::npos) continue;
    source += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) const auto dyn_{} = &{}::{}::{};\n",
        function, code.name, target, function);
  }
  return source;
}

template <class Function>
void find(void* library, const std::string& name, Function& function) {
  const void* const place = dlsym(library, ("dyn_" + name).c_str());
  function = place == nullptr ? nullptr : *static_cast<const Function*>(place);
}

}  // namespace

Result<void> Batch::specialise() {
  Impl& batch = *impl_;
  if (batch.own) return {};
  // Neither a version nor a name of a file in it: the same robot is the same text.
  const auto code = generate_lanes(batch.model, "", "");
  if (!code) return tl::unexpected(code.error());
  const auto library = generate::compiled(source_of(*code, target()));
  if (!library) return tl::unexpected(library.error());
  GeneratedLanes own;
  own.name = "specialised";
  own.joints = static_cast<int>(batch.n);
  own.target = batch.kernels->name;
  find(library->get(), "mass_matrix", own.mass_matrix);
  find(library->get(), "inverse_dynamics", own.inverse_dynamics);
  find(library->get(), "bias_torque", own.bias_torque);
  find(library->get(), "forward_dynamics", own.forward_dynamics);
  if (!batch.agrees(own)) {
    return fail(
        "the code compiled for this robot does not give what the library gives: name "
        "another compiler by CXX and remove the folder of compiled code");
  }
  batch.own = own;
  batch.library = *library;
  return {};
}

}  // namespace dyn
