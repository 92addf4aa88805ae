#include "pool.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyn::python {
namespace {

// States that are brought into packets at a time, and that a thread takes at a time.
constexpr Index kChunk = 64, kPiece = 16 * kChunk;
constexpr std::size_t kMost = 4;  // arguments, and results, of a query

/// Rows of numbers, `size` for each state, and packets of eight states. An argument given once is
/// repeated: its step is zero.
void to_packets(const double* rows, Index step, BatchArray& out) {
  for (Index p = 0; p < out.packets(); ++p) {
    double* packet = out.packet(p);
    const Index states = std::min(BatchArray::kPacket, out.states() - p * BatchArray::kPacket);
    for (Index lane = 0; lane < states; ++lane, rows += step) {
      for (Index r = 0; r < out.rows(); ++r) packet[r * BatchArray::kPacket + lane] = rows[r];
    }
  }
}
void from_packets(const BatchArray& in, double* rows) {
  for (Index p = 0; p < in.packets(); ++p) {
    const double* packet = in.packet(p);
    const Index states = std::min(BatchArray::kPacket, in.states() - p * BatchArray::kPacket);
    for (Index lane = 0; lane < states; ++lane, rows += in.rows()) {
      for (Index r = 0; r < in.rows(); ++r) rows[r] = packet[r * BatchArray::kPacket + lane];
    }
  }
}

// One for each row of mass, centre of mass, and inertia about it; masses and inertias of this world.
std::vector<RigidBody> bodies_from(const Floats& numbers) {
  constexpr Index kMass = 4, kAll = 10;
  const Index count =
      numbers.dimensions == 0 ? 0 : numbers.shape[static_cast<std::size_t>(numbers.dimensions - 1)];
  if (numbers.dimensions > 2 || (count != kMass && count != kAll)) {
    throw Failure("payload has the shape " + numbers.shape_text() +
                  "; give mass, centre of mass and, if known, ixx, iyy, izz, ixy, ixz, iyz: (4,), "
                  "(10,), or (K, 4), (K, 10) for K states");
  }
  std::vector<RigidBody> bodies(static_cast<std::size_t>(numbers.size() / count));
  const double* v = numbers.data;
  for (RigidBody& body : bodies) {
    body.mass = v[0];
    body.com = {v[1], v[2], v[3]};
    if (count == kAll) body.inertia << v[4], v[7], v[8], v[7], v[5], v[9], v[8], v[9], v[6];
    for (const InertiaIssue& issue : check(body, std::numeric_limits<double>::infinity())) {
      if (issue.severity == InertiaIssue::Severity::kError) throw Failure("payload: " + issue.text);
    }
    v += count;
  }
  return bodies;
}

template <class Numbers>
bool overlap(const double* a, Numbers a_size, const double* b, Numbers b_size) {
  const std::less<> before;
  return before(a, b + b_size) && before(b, a + a_size);
}

}  // namespace

RigidBody payload_from(const Floats& numbers) {
  const std::vector<RigidBody> bodies = bodies_from(numbers);
  if (numbers.dimensions != 1) {
    throw Failure("payload has the shape " + numbers.shape_text() + "; give (4,) or (10,)");
  }
  return bodies.front();
}

Index Shape::size() const {
  Index product = 1;
  for (std::size_t d = 0; d < dimensions; ++d) product *= lengths[d];
  return product;
}

Worker::Worker(const ChainPtr& chain, const Algorithms& algorithms)
    : model(chain),
      solver(require(Solver::make(chain, algorithms, Inertia::kIfThere))),
      kinematics(chain) {}

/// A query being answered.
struct Pool::Job {
  explicit Job(const Query& asked) : query(asked) {}

  const Query& query;
  std::size_t inputs = 0, outputs = 0;
  std::array<const char*, kMost> input_names = {};
  std::array<const double*, kMost> in = {};
  std::array<Index, kMost> in_size = {}, in_step = {};  // numbers of a state; to the next one's
  std::array<double*, kMost> out = {};
  std::array<Index, kMost> out_size = {};
  Index states = 1;
  bool many = false, kernels = false;
  std::span<const RigidBody> payloads = {};  // one for each state

  std::atomic<Index> next{0};
  std::mutex failure;
  Index failed = -1;  // the first state that did
  Status status = Status::kOk;

  void report(Index state, Status why) {
    const std::lock_guard hold(failure);
    if (failed >= 0 && failed < state) return;
    failed = state;
    status = why;
    next = states;
  }
};

Pool::Pool(const ChainPtr& chain, const Algorithms& algorithms, int threads)
    : chain_(chain),
      asked_(algorithms),
      threads_(threads > 0 ? std::min(threads, 256)
                           : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      gravity_(chain->gravity()) {
  (void)worker(0);
}

const Algorithms& Pool::algorithms() const { return workers_.front()->solver.algorithms(); }

// ---- settings --------------------------------------------------------------------------------------
// Who has the interpreter's lock must not wait for a thread that needs it to go on.
std::unique_lock<std::mutex> Pool::lock() const {
  std::unique_lock<std::mutex> hold(mutex_, std::try_to_lock);
  if (!hold.owns_lock()) {
    const py::gil_scoped_release release;
    hold.lock();
  }
  return hold;
}

template <class Change>
void Pool::change(Change change) {
  const auto hold = lock();
  change();
  ++revision_;
}

Worker& Pool::worker(std::size_t number) {
  while (workers_.size() <= number) workers_.push_back(std::make_unique<Worker>(chain_, asked_));
  Worker& worker = *workers_[number];
  if (worker.settings == revision_) return worker;
  const RigidBody payload = payloads_.empty() || payload_each_ ? RigidBody() : payloads_.front();
  worker.model.set_payload(payload);
  worker.solver.set_payload(payload);
  worker.model.set_gravity(gravity_);
  worker.solver.set_gravity(gravity_);
  for (Index i = 0; i < armature_.size(); ++i) {
    worker.model.set_armature(i, armature_[i]);
    worker.solver.set_armature(i, armature_[i]);
  }
  worker.solver.set_tip_wrench(wrench_);
  worker.solver.set_friction(friction_);
  worker.batch.reset();
  worker.settings = revision_;
  return worker;
}

void Pool::set_payload(const std::optional<Floats>& numbers) {
  std::vector<RigidBody> bodies;
  const bool each = numbers && numbers->dimensions == 2;
  if (numbers) bodies = bodies_from(*numbers);
  change([&] {
    payloads_ = std::move(bodies);
    payload_each_ = each;
  });
}
void Pool::set_gravity(const Vec3d& gravity) {
  change([&] { gravity_ = gravity; });
}
void Pool::set_armature(const VecXd& armature) {
  change([&] { armature_ = armature; });
}
void Pool::set_tip_wrench(const Wrench& wrench) {
  change([&] {
    wrench_ = wrench;
    has_wrench_ = !wrench.force.isZero(0.0) || !wrench.torque.isZero(0.0);
  });
}
void Pool::set_friction(bool enabled) {
  change([&] { friction_ = enabled; });
}

// ---- queries ---------------------------------------------------------------------------------------
bool Pool::by_kernels(const Query& query) const {
  if (!query.many || chain_->has_mimic() || !chain_->has_dynamics()) return false;
  if (query.forces && (friction_ || has_wrench_)) return false;
  return query.algorithm == nullptr || algorithms().*query.algorithm == "fast";
}

void Pool::take_arguments(Job& job, std::span<const Argument> in) const {
  const Index n = dof();
  job.inputs = in.size();
  job.states = -1;
  for (std::size_t a = 0; a < in.size(); ++a) {
    const Floats& values = in[a].values;
    const int own = in[a].in_time ? 2 : 1;
    const bool one = values.dimensions == own, each = values.dimensions == own + 1;
    const auto length = [&](int d) {
      return values.shape[static_cast<std::size_t>(values.dimensions + d)];
    };
    if ((!one && !each) || length(-1) != n) {
      const char* time = in[a].in_time ? "T, " : "";
      throw Failure(fmt::format(
          "{}: {} has the shape {}, but the chain has {} coordinates; give ({}{}{}) or (K, {}{})",
          job.query.name, in[a].name, values.shape_text(), n, time, n, in[a].in_time ? "" : ",",
          time, n));
    }
    if (each && job.many && values.shape[0] != job.states) {
      throw Failure(fmt::format("{}: {} has {} states, the one before it {}; give as many of each",
                                job.query.name, in[a].name, values.shape[0], job.states));
    }
    if (each) {
      job.many = true;
      job.states = values.shape[0];
    }
    job.input_names[a] = in[a].name;
    job.in[a] = values.data;
    job.in_size[a] = in[a].in_time ? length(-2) * n : n;
    job.in_step[a] = each ? job.in_size[a] : 0;
  }
  if (!job.many) job.states = 1;
}

py::object Pool::make_results(Job& job, std::span<const Shape> shapes,
                              const py::object& out) const {
  job.outputs = shapes.size();
  std::array<py::object, kMost> results;
  const bool given = !out.is_none();
  for (std::size_t r = 0; r < shapes.size(); ++r) {
    std::array<Index, 4> lengths = {job.states};
    const std::size_t more = job.many ? 1 : 0;
    std::copy_n(shapes[r].lengths.begin(), shapes[r].dimensions,
                lengths.begin() + static_cast<std::ptrdiff_t>(more));
    const std::span<const Index> shape(lengths.data(), shapes[r].dimensions + more);
    job.out_size[r] = shapes[r].size();
    if (!given) {
      results[r] = new_array(shape);
    } else {
      results[r] = out;
      const bool fits =
          is_plain(results[r].ptr(), true) &&
          std::ranges::equal(
              shape,
              std::span(py::detail::array_proxy(results[r].ptr())->dimensions,
                        static_cast<std::size_t>(py::detail::array_proxy(results[r].ptr())->nd)));
      if (!fits) {
        throw Failure(fmt::format(
            "{}: out has to be a writable, C-contiguous float64 array of the shape ({})",
            job.query.name, fmt::join(shape, ", ")));
      }
    }
    job.out[r] = data_of(results[r]);
    for (std::size_t a = 0; given && a < job.inputs; ++a) {
      const Index length = job.in_step[a] == 0 ? job.in_size[a] : job.in_size[a] * job.states;
      if (overlap(job.out[r], job.out_size[r] * job.states, job.in[a], length)) {
        throw Failure(fmt::format("{}: out shares memory with {}; give another array",
                                  job.query.name, job.input_names[a]));
      }
    }
  }
  if (shapes.size() == 1) return std::move(results[0]);
  py::tuple all(shapes.size());
  for (std::size_t r = 0; r < shapes.size(); ++r) all[r] = std::move(results[r]);
  return all;
}

py::object Pool::answer(const Query& query, std::span<const Argument> in,
                        std::span<const Shape> shapes, const py::object& out) {
  Job job(query);
  take_arguments(job, in);
  py::object results = make_results(job, shapes, out);
  if (!job.many && query.one) {
    run_one(job);
    return results;
  }
  {
    const py::gil_scoped_release release;
    const std::lock_guard hold(mutex_);
    run_many(job);
  }
  if (job.failed >= 0) fail(job, job.status, job.failed);
  return results;
}

void Pool::run_one(const Job& job) {
  const auto hold = lock();
  if (payload_each_) {
    throw Failure(fmt::format("{}: one state, but {} payloads; give ({}, {}), or one payload",
                              job.query.name, payloads_.size(), payloads_.size(), dof()));
  }
  const Status status = job.query.one(worker(0), job.in.data(), job.out.data());
  if (status != Status::kOk) fail(job, status, 0);
}

void Pool::run_many(Job& job) {
  job.kernels = by_kernels(job.query);
  if (!job.kernels && !job.query.one) {
    (void)require(Batch::make(worker(0).model));
    throw Failure(fmt::format("{}: friction and the tip wrench do not act here; switch them off",
                              job.query.name));
  }
  if (payload_each_ && static_cast<Index>(payloads_.size()) != job.states) {
    throw Failure(fmt::format("{}: {} states, but {} payloads; give as many of each",
                              job.query.name, job.states, payloads_.size()));
  }
  if (payload_each_) job.payloads = payloads_;
  const auto wanted = std::min<Index>(threads_, (job.states + kPiece - 1) / kPiece);
  const auto threads = static_cast<std::size_t>(std::max<Index>(wanted, 1));
  std::vector<std::vector<BatchArray>> scratch(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    Worker& own = worker(t);
    if (!job.kernels) continue;
    if (!own.batch) own.batch.emplace(require(Batch::make(own.model)));
    const Index states = std::min(job.states, kChunk);
    for (std::size_t a = 0; a < job.inputs; ++a) scratch[t].emplace_back(job.in_size[a], states);
    for (std::size_t r = 0; r < job.outputs; ++r) scratch[t].emplace_back(job.out_size[r], states);
  }
  std::vector<std::thread> helpers;
  for (std::size_t t = 1; t < threads; ++t) {
    try {
      helpers.emplace_back([&, t] { run_chunks(job, *workers_[t], scratch[t]); });
    } catch (const std::system_error&) {
      break;  // the system has no more threads: those there are do the work
    }
  }
  run_chunks(job, *workers_[0], scratch[0]);
  for (std::thread& helper : helpers) helper.join();
  // Payloads of single states are none of what comes next.
  if (payload_each_) ++revision_;
}

void Pool::run_chunks(Job& job, Worker& worker, std::vector<BatchArray>& scratch) {
  for (Index begin = job.next.fetch_add(kPiece); begin < job.states;
       begin = job.next.fetch_add(kPiece)) {
    const Index end = std::min(begin + kPiece, job.states);
    for (Index first = begin; first < end; first += kChunk) {
      const Index states = std::min(kChunk, end - first);
      if (job.kernels && states < scratch.front().states()) {
        for (BatchArray& array : scratch) array = BatchArray(array.rows(), states);
      }
      run_chunk(job, worker, first, scratch);
    }
  }
}

void Pool::run_chunk(Job& job, Worker& worker, Index first, std::span<BatchArray> arrays) {
  const Index end = std::min(first + kChunk, job.states);
  Status status = Status::kUnsupported;
  if (job.kernels) {
    if (!job.payloads.empty()) {
      worker.batch->set_payloads(job.payloads.subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(end - first)));
    }
    for (std::size_t a = 0; a < job.inputs; ++a) {
      to_packets(job.in[a] + first * job.in_step[a], job.in_step[a], arrays[a]);
    }
    status = job.query.many(*worker.batch, arrays.first(job.inputs), arrays.subspan(job.inputs));
    for (std::size_t r = 0; r < job.outputs; ++r) {
      from_packets(arrays[job.inputs + r], job.out[r] + first * job.out_size[r]);
    }
    if (status == Status::kOk || (!job.query.one && status == Status::kNotFinite)) return;
  }
  // Without kernels; or to find which state it was.
  for (Index state = first; job.query.one && state < end; ++state) {
    const Status one = run_state(job, worker, state);
    if (one != Status::kOk) return job.report(state, one);
  }
  if (job.kernels) job.report(first, status);
}

Status Pool::run_state(const Job& job, Worker& worker, Index state) const {
  std::array<const double*, kMost> in = {};
  std::array<double*, kMost> out = {};
  for (std::size_t a = 0; a < job.inputs; ++a) in[a] = job.in[a] + state * job.in_step[a];
  for (std::size_t r = 0; r < job.outputs; ++r) out[r] = job.out[r] + state * job.out_size[r];
  if (!job.payloads.empty()) {
    worker.solver.set_payload(job.payloads[static_cast<std::size_t>(state)]);
  }
  return job.query.one(worker, in.data(), out.data());
}

void Pool::fail(const Job& job, Status status, Index state) const {
  const std::string of = job.many ? fmt::format(" of state {}", state) : "";
  if (status == Status::kNoInertia) throw Failure(chain_->objection_to_dynamics());
  for (std::size_t a = 0; status == Status::kNotFinite && a < job.inputs; ++a) {
    const double* values = job.in[a] + state * job.in_step[a];
    for (Index i = 0; i < job.in_size[a]; ++i) {
      if (std::isfinite(values[i])) continue;
      throw Failure(fmt::format("{}: {}[{}]{} is {}; give finite numbers", job.query.name,
                                job.input_names[a], i, of, values[i]));
    }
  }
  throw Failure(
      fmt::format("{}{}: {}", job.query.name, of,
                  status == Status::kNotFinite ? "the result is not finite" : to_string(status)));
}

}  // namespace dyn::python
