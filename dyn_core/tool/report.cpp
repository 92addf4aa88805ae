// dyn report: one page about an arm, to read, to print and to pass on.
#include "report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "html.hpp"
#include "progress.hpp"
#include "report_pictures.hpp"

namespace dyn::tool {
namespace {

struct Quantity {
  std::string_view name, title;
};

constexpr std::array kQuantities = {
    Quantity{"mass_matrix", "Inertia matrix M(q)"},
    Quantity{"inverse_dynamics", "Inverse dynamics: torques from a motion"},
    Quantity{"forward_dynamics", "Forward dynamics: accelerations from torques"},
    Quantity{"coriolis", "Coriolis matrix C(q, q̇)"}};

std::string operations(const PrintedCount& count) {
  const auto shown = [](double x) {
    const double whole = std::floor(x);
    return human_count(std::llround(whole)) + (x > whole ? ".5" : "");
  };
  return shown(count.multiplications) + " × " + shown(count.additions) + " +";
}

struct TimeCells {
  std::string text = "–", bar;
  bool is_default = false;
};

TimeCells time_cells(const ReportData& data, std::string_view quantity,
                     std::string_view algorithm) {
  double fastest = 0.0, slowest = 0.0;
  const AlgorithmTime* own = nullptr;
  for (const AlgorithmTime& time : data.times) {
    if (time.quantity != quantity) continue;
    if (fastest == 0.0 || time.microseconds < fastest) fastest = time.microseconds;
    slowest = std::max(slowest, time.microseconds);
    if (time.algorithm == algorithm) own = &time;
  }
  if (own == nullptr) return {};
  const bool best = own->microseconds == fastest;
  return {best ? fmt::format("1 ({} µs)", human(fastest))
               : fmt::format("{:.2f}", own->microseconds / fastest),
          bar(own->microseconds / slowest, best ? "#009e73" : "#999", false), own->is_default};
}

// An order O(…) where the paper has no formula.
std::string formula_table(const ReportData& data) {
  HtmlTable table({"Algorithm", "Multiplications M, additions A"});
  for (const Quantity& quantity : kQuantities) {
    table.group(std::string(quantity.title));
    for (const AlgorithmCount& row : data.general) {
      if (row.quantity != quantity.name) continue;
      table.row({html_escaped(row.algorithm),
                 "<span class=\"wrap\">" + html_escaped(row.formula) + "</span>"});
    }
  }
  return table.html();
}

void add_algorithm(HtmlTable& table, const ReportData& data, std::string_view quantity,
                   std::string_view algorithm, const std::vector<std::string>& counts) {
  const TimeCells time = time_cells(data, quantity, algorithm);
  const std::string name = html_escaped(algorithm);
  std::vector<std::string> cells = {time.is_default ? "<b>" + name + "</b>" : name};
  cells.insert(cells.end(), counts.begin(), counts.end());
  cells.insert(cells.end(), {time.text, time.bar});
  table.row(cells);
}

// First what can be counted, then what is only timed.
void add_algorithms(HtmlTable& table, const ReportData& data, std::string_view quantity) {
  std::vector<std::string_view> counted;
  for (std::size_t i = 0; i < data.general.size(); ++i) {
    const AlgorithmCount& row = data.general[i];
    if (row.quantity != quantity) continue;
    counted.push_back(row.algorithm);
    add_algorithm(table, data, quantity, row.algorithm,
                  {operations(row.measured), operations(data.customised[i].measured),
                   row.paper ? operations(*row.paper) : "–"});
  }
  for (const AlgorithmTime& time : data.times) {
    if (time.quantity != quantity || std::ranges::count(counted, time.algorithm) > 0) continue;
    add_algorithm(table, data, quantity, time.algorithm, {"–", "–", "–"});
  }
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The command that makes this page again, with the chain spelled out.
std::string command_of(const Chain& chain, const RobotOptions& robot, const std::string& path) {
  std::string out = "dyn report " + shell_quoted(robot.robot);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {} {}", option, shell_quoted(value));
  };
  add("--base", chain.base());
  add("--tip", chain.tip());
  if (robot.gravity != RobotOptions().gravity) add("--gravity", robot.gravity);
  for (const std::string& item : robot.lock) add("--lock", item);
  for (const std::string& item : robot.armature) add("--armature", item);
  add("--payload", robot.payload);
  add("--estimate-inertia", robot.estimate_inertia);
  for (const std::string& folder : robot.mesh_path) add("--mesh-path", folder);
  if (robot.allow_nonphysical) out += " --allow-nonphysical";
  add("-o", path);
  return out;
}

struct ReportOptions {
  RobotOptions robot;
  std::string output = "report.html";
};

void run_report(const ReportOptions& options) {
  const ChainPtr chain = options.robot.load(Inertia::kIfThere);
  const InterruptGuard interrupt;
  OutputFile file("--output", options.output);
  write_report(chain, options.robot, file);
  if (!file.is_stdout()) fmt::print("{}\n", options.output);
}

}  // namespace

std::string algorithms_section(const ReportData& data) {
  HtmlTable table({"Algorithm", ">General", ">This arm", ">Paper", ">Time", ""});
  for (const Quantity& quantity : kQuantities) {
    table.group(std::string(quantity.title));
    add_algorithms(table, data, quantity.name);
  }
  return fmt::format(
             "<section>\n<h2>Algorithms: operations and time</h2>\n<p>Multiplications (×) and "
             "additions (+) of one call for {} joints, counted on the code that runs: in general, "
             "and customised to this arm, where zeros, ones and constants cost nothing. Paper: the "
             "published formula evaluated for this arm; – where there is none. Stages that "
             "a paper’s own count leaves out are left out here too. Time: ratio to the "
             "fastest of the same quantity, measured on this computer while the page was made, "
             "every stage included. <b>Bold</b>: used unless another one is asked for.</p>\n",
             data.chain->joint_count()) +
         table.html() + "<h3>The papers’ formulas for n joints</h3>\n" + formula_table(data) +
         "</section>\n";
}

std::string report_page(const ReportData& data, const std::string& command) {
  const Chain& chain = *data.chain;
  const std::string name = html_escaped(chain.name());
  const Vec3d& g = chain.gravity();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}: dynamics of "
      "the arm</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p class=\"facts\">{2} "
      "→ "
      "{3} · {4} joint{5} · {6} kg · at most {7} m from the first joint to the tip · gravity "
      "({8}, {9}, {10}) m/s²</p>\n",
      name, page_style(), html_escaped(chain.base()), html_escaped(chain.tip()),
      chain.joint_count(), chain.joint_count() == 1 ? "" : "s", human(chain.total_mass()),
      human(chain.reach()), human(g.x()), human(g.y()), human(g.z()));
  out += summary_section(data) + arm_section(data) + geometry_section(data);
  if (chain.has_dynamics()) {
    out += inertia_section(data) + motion_section(data) + loads_section(data);
  }
  out += workspace_section(data);
  if (chain.has_dynamics()) out += algorithms_section(data);
  out += warnings_section(data);
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return out + fmt::format("<footer>Made on {:%d %B %Y} with dyn " DYN_VERSION
                           " by<br/><code>{}</code></footer>\n</body>\n</html>\n",
                           fmt::localtime(now), html_escaped(command));
}

void write_report(const ChainPtr& chain, const RobotOptions& robot, OutputFile& file) {
  Progress progress("report");
  const ReportData data = gather_report(chain, [&](double share) {
    if (InterruptGuard::requested()) throw Interrupted();
    progress.show(share);
  });
  file.write(report_page(data, command_of(*chain, robot, file.path())));
  file.finish();
}

void add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "One HTML page about the arm: pictures, inertia, torques, workspace, algorithms");
  auto options = std::make_shared<ReportOptions>();
  options->robot.add_to(*command);
  command->add_option("-o,--output", options->output, "Where the page goes; - is stdout")
      ->capture_default_str();
  command->footer(
      "The page needs no network and prints on A4.\n"
      "Example: dyn report arm7.urdf --tip tool0 -o arm7.html");
  command->callback([options] { run_report(*options); });
}

}  // namespace dyn::tool
