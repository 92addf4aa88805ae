// The command-line tool `dyn`.
#include <cctype>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "common.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace {

// `--q -1,2` would read as an option that begins with -1: join it to `--q=-1,2`.
std::vector<std::string> joined_arguments(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  std::vector<std::string> joined;
  for (const std::string& argument : given) {
    const bool negative =
        argument.size() > 1 && argument[0] == '-' &&
        (argument[1] == '.' || std::isdigit(static_cast<unsigned char>(argument[1])) != 0);
    const bool after_option = !joined.empty() && joined.back().starts_with("--") &&
                              joined.back().find('=') == std::string::npos;
    if (negative && after_option) {
      joined.back() += "=" + argument;
    } else {
      joined.push_back(argument);
    }
  }
  return {joined.rbegin(), joined.rend()};  // the order CLI11 takes
}

bool has_command(CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&](CLI::App* command) { return command->check_name(name); }).empty();
}

// CLI11 ends help and version by an error of its own, too.
int end_of_parsing(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, complaint;
  const int code = app.exit(error, out, complaint);
  fmt::print("{}", out.str());
  if (code == 0) return 0;
  dyn::tool::put_on_stderr("dyn: " + complaint.str());
  return 2;
}

int run(int argc, char** argv) {
  CLI::App app{"Dynamics of serial robot arms: every quantity, every algorithm, from a URDF file.",
               "dyn"};
  app.set_version_flag("--version", "dyn " DYN_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(
      "Example: dyn eval arm.urdf --q 0,0.5,0,-1,0,0.5,0\nHelp on a command: dyn COMMAND "
      "--help");
  dyn::tool::add_info(app);
  dyn::tool::add_eval(app);
  dyn::tool::add_count(app);
  dyn::tool::add_simulate(app);
  dyn::tool::add_track(app);
  dyn::tool::add_excite(app);
  dyn::tool::add_time(app);
  dyn::tool::add_check(app);
  dyn::tool::add_identify(app);
  dyn::tool::add_compare(app);
  dyn::tool::add_bench(app);
  dyn::tool::add_generate(app);
  dyn::tool::add_report(app);
  dyn::tool::add_paper(app);
  dyn::tool::add_demo(app);
  dyn::tool::add_view(app);
  dyn::tool::add_list(app);
  if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1])) {
    dyn::tool::say("there is no command '{}'; dyn --help lists them", argv[1]);
    return 2;
  }
  try {
    app.parse(joined_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    return end_of_parsing(app, error);
  }
  return 0;
}

constexpr std::string_view kNoMemory =
    "dyn: this takes more memory than there is; choose a shorter chain with --base and --tip, or "
    "lock "
    "joints\n";

// Of a std::bad_alloc in a destructor, too, which cannot pass it on.
void end_with_sentence() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    (void)!write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size());
    std::_Exit(1);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  dyn::tool::occupy_closed_streams();
  std::set_terminate(end_with_sentence);
  int status = 1;
  std::error_code unwritten;
  try {
    status = run(argc, argv);
  } catch (const dyn::tool::Interrupted& stop) {
    dyn::tool::say("{}", stop.what());
    status = 130;
  } catch (const std::bad_alloc&) {
    dyn::tool::put_on_stderr(kNoMemory);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) dyn::tool::say("{}", error.what());
    unwritten = error.code();
  } catch (const std::exception& error) {
    dyn::tool::say("{}", error.what());
  }
  return dyn::tool::status_after_writing(status, unwritten);
}
