#include "queries.hpp"

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

constexpr Index kPiece = 256;  // states that a thread takes at a time

bool overlap(const double* a, Index a_size, const double* b, Index b_size) {
  const std::less<> before;
  return before(a, b + b_size) && before(b, a + a_size);
}

std::span<const Index> shape_of(const py::object& array) {
  const auto* proxy = py::detail::array_proxy(array.ptr());
  return {proxy->dimensions, static_cast<std::size_t>(proxy->nd)};
}

}  // namespace

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

RigidBody payload_from(const Floats& numbers) {
  const std::vector<RigidBody> bodies = bodies_from(numbers);
  if (numbers.dimensions != 1) {
    throw Failure("payload has the shape " + numbers.shape_text() + "; give (4,) or (10,)");
  }
  return bodies.front();
}

/// A query being answered.
struct Queries::Job {
  explicit Job(const Query& asked) : query(asked) {}

  const Query& query;
  std::size_t inputs = 0;
  std::array<BatchRows, kMostArguments> in = {};
  std::array<Index, kMostArguments> in_size = {};  // numbers of a state
  std::array<double*, kMostResults> out = {};
  std::array<Index, kMostResults> out_size = {};
  Index states = 1;
  bool many = false;

  std::mutex failure;
  Index failed = -1;  // the first state that did; -1: unknown
  Status status = Status::kOk;
};

Queries::Queries(const ChainPtr& chain, const Algorithms& algorithms, int threads)
    : chain_(chain),
      asked_(algorithms),
      threads_(threads > 0 ? std::min(threads, 256)
                           : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      batch_(Batch::make(Model(chain), threads_)) {
  settings_.gravity = chain->gravity();
  workers_.push_back(std::make_unique<Worker>(chain_, asked_));
}

// ---- settings --------------------------------------------------------------------------------------
// Who has the interpreter's lock must not wait for a thread that needs it to go on.
std::unique_lock<std::mutex> Queries::lock() const {
  std::unique_lock<std::mutex> hold(mutex_, std::try_to_lock);
  if (!hold.owns_lock()) {
    const py::gil_scoped_release release;
    hold.lock();
  }
  return hold;
}

void Queries::apply(Solver& solver) const {
  solver.set_payload(settings_.payload());
  solver.set_gravity(settings_.gravity);
  for (Index i = 0; i < settings_.armature.size(); ++i) {
    solver.set_armature(i, settings_.armature[i]);
  }
  solver.set_tip_wrench(settings_.wrench);
  solver.set_friction(settings_.friction);
}

void Queries::apply() {
  apply(first().solver);
  if (!batch_) return;
  Model model(chain_);
  model.set_payload(settings_.payload());
  model.set_gravity(settings_.gravity);
  for (Index i = 0; i < settings_.armature.size(); ++i) {
    model.set_armature(i, settings_.armature[i]);
  }
  batch_->set_model(model);
  batch_->set_payloads(settings_.payload_each ? std::span<const RigidBody>(settings_.payloads)
                                              : std::span<const RigidBody>());
}

void Queries::specialise() {
  const auto hold = lock();
  if (!batch_) throw Failure(batch_.error().sentence);
  Result<void> done;
  {
    const py::gil_scoped_release release;
    done = batch_->specialise();
  }
  if (!done) throw Failure(done.error().sentence);
}

// ---- arguments and results -------------------------------------------------------------------------
void Queries::take_arguments(Job& job, std::span<const Floats* const> in) const {
  const Index n = dof();
  job.inputs = in.size();
  for (std::size_t a = 0; a < in.size(); ++a) {
    const Floats& values = *in[a];
    const char* name = job.query.arguments[a];
    const bool in_time = a + 1 == in.size() && job.query.shapes.front()[0] == 'T';
    const int own = in_time ? 2 : 1;
    const bool one = values.dimensions == own, each = values.dimensions == own + 1;
    const auto length = [&](int d) {
      return values.shape[static_cast<std::size_t>(values.dimensions + d)];
    };
    if ((!one && !each) || length(-1) != n) {
      const char* time = in_time ? "T, " : "";
      throw Failure(fmt::format(
          "{}: {} has the shape {}, but the chain has {} coordinates; give ({}{}{}) or (K, {}{})",
          job.query.name, name, values.shape_text(), n, time, n, in_time ? "" : ",", time, n));
    }
    if (each && job.many && values.shape[0] != job.states) {
      throw Failure(fmt::format("{}: {} has {} states, the one before it {}; give as many of each",
                                job.query.name, name, values.shape[0], job.states));
    }
    if (each) {
      job.many = true;
      job.states = values.shape[0];
    }
    job.in_size[a] = in_time ? length(-2) * n : n;
    job.in[a] = {values.data, each ? job.in_size[a] : 0};
  }
}

py::object Queries::make_results(Job& job, const py::object& out) const {
  const std::vector<const char*>& shapes = job.query.shapes;
  std::array<py::object, kMostResults> results;
  for (std::size_t r = 0; r < shapes.size(); ++r) {
    std::array<Index, 4> lengths = {job.states};
    std::size_t dimensions = job.many ? 1 : 0;
    job.out_size[r] = 1;
    for (const char* c = shapes[r]; *c != '\0'; ++c) {
      lengths[dimensions] = *c == 'n'   ? dof()
                            : *c == 'm' ? 2 * dof()
                            : *c == 'T' ? job.query.rollout->steps
                                        : *c - '0';
      job.out_size[r] *= lengths[dimensions++];
    }
    const std::span<const Index> shape(lengths.data(), dimensions);
    if (out.is_none()) {
      results[r] = new_array(shape);
    } else if (is_plain(out.ptr(), true) && std::ranges::equal(shape, shape_of(out))) {
      results[r] = out;
    } else {
      throw Failure(
          fmt::format("{}: out has to be a writable, C-contiguous float64 array of the shape ({})",
                      job.query.name, fmt::join(shape, ", ")));
    }
    job.out[r] = data_of(results[r]);
    for (std::size_t a = 0; !out.is_none() && a < job.inputs; ++a) {
      const Index length = job.in[a].step == 0 ? job.in_size[a] : job.in_size[a] * job.states;
      if (overlap(job.out[r], job.out_size[r] * job.states, job.in[a].data, length)) {
        throw Failure(fmt::format("{}: out shares memory with {}; give another array",
                                  job.query.name, job.query.arguments[a]));
      }
    }
  }
  if (shapes.size() == 1) return std::move(results[0]);
  py::tuple all(shapes.size());
  for (std::size_t r = 0; r < shapes.size(); ++r) all[r] = std::move(results[r]);
  return all;
}

// ---- answers ---------------------------------------------------------------------------------------
py::object Queries::answer(const Query& query, std::span<const Floats* const> in,
                           const py::object& out) {
  Job job(query);
  take_arguments(job, in);
  py::object results = make_results(job, out);
  if (!job.many && query.one) {
    const auto hold = lock();
    if (settings_.payload_each) {
      throw Failure(fmt::format("{}: one state, but {} payloads; give ({}, {}), or one payload",
                                query.name, settings_.payloads.size(), settings_.payloads.size(),
                                dof()));
    }
    job.status = run_state(job, first(), job.failed = 0);
  } else {
    const py::gil_scoped_release release;
    const std::lock_guard hold(mutex_);
    run_many(job);
  }
  if (job.status != Status::kOk) fail(job);
  return results;
}

bool Queries::by_batch(const Query& query) const {
  if ((!query.many && !query.rollout) || !batch_ || !chain_->has_dynamics()) return false;
  if (query.forces && settings_.has_forces()) return false;
  return query.algorithm == nullptr || algorithms().*query.algorithm == "fast";
}

void Queries::run_many(Job& job) {
  const auto payloads = static_cast<Index>(settings_.payloads.size());
  if (settings_.payload_each && payloads != job.states) {
    throw Failure(fmt::format("{}: {} states, but {} payloads; give as many of each",
                              job.query.name, job.states, payloads));
  }
  if (by_batch(job.query)) {
    job.status = run_batch(job);
    if (job.status == Status::kOk || !job.query.one) return;
    job.status = Status::kOk;
  } else if (!job.query.one) {
    if (!batch_) throw Failure(batch_.error().sentence);
    if (!chain_->has_dynamics()) throw Failure(chain_->objection_to_dynamics());
    throw Failure(fmt::format("{}: friction and the tip wrench do not act here; switch them off",
                              job.query.name));
  }
  run_states(job);  // or to find which state failed
}

Status Queries::run_batch(const Job& job) {
  const std::span<const BatchRows> in(job.in.data(), job.inputs);
  if (job.query.rollout) {
    const Status status = batch_->rollout(*job.query.rollout, job.states, in[0], in[1], in[2],
                                          job.out[0], job.out[1]);
    return status == Status::kNotFinite ? Status::kOk : status;
  }
  const std::span<double* const> out(job.out.data(), job.query.shapes.size());
  if (!job.query.at_rest) return batch_->answer(*job.query.many, job.states, in, out);
  const std::vector<double> zeros(static_cast<std::size_t>(dof()), 0.0);
  const BatchRows at_rest[] = {in[0], {zeros.data(), 0}};
  return batch_->answer(*job.query.many, job.states, at_rest, out);
}

// Pieces of work for each thread, until there are no more or a state fails.
void Queries::run_states(Job& job) {
  std::atomic<Index> next{0};
  const auto work = [&](Worker& worker) {
    for (Index k = next.fetch_add(kPiece); k < job.states; k = next.fetch_add(kPiece)) {
      for (Index state = k; state < std::min(k + kPiece, job.states); ++state) {
        const Status status = run_state(job, worker, state);
        if (status == Status::kOk) continue;
        const std::lock_guard hold(job.failure);
        if (job.failed < 0 || state < job.failed) job.failed = state, job.status = status;
        next = job.states;
        return;
      }
    }
  };
  const auto pieces = static_cast<int>(std::min<Index>((job.states + kPiece - 1) / kPiece, 256));
  std::vector<std::jthread> helpers;
  for (std::size_t t = 1; t < static_cast<std::size_t>(std::min(threads_, pieces)); ++t) {
    if (workers_.size() == t) workers_.push_back(std::make_unique<Worker>(chain_, asked_));
    apply(workers_[t]->solver);
    try {
      helpers.emplace_back(work, std::ref(*workers_[t]));
    } catch (const std::system_error&) {
      break;  // the system has no more threads: those there are do the work
    }
  }
  work(first());
  helpers.clear();
  if (settings_.payload_each) apply(first().solver);
}

Status Queries::run_state(const Job& job, Worker& worker, Index state) const {
  std::array<const double*, kMostArguments> in = {};
  std::array<double*, kMostResults> out = {};
  for (std::size_t a = 0; a < job.inputs; ++a) in[a] = job.in[a].data + state * job.in[a].step;
  for (std::size_t r = 0; r < job.query.shapes.size(); ++r) {
    out[r] = job.out[r] + state * job.out_size[r];
  }
  if (settings_.payload_each) {
    worker.solver.set_payload(settings_.payloads[static_cast<std::size_t>(state)]);
  }
  return job.query.one(worker, in.data(), out.data());
}

void Queries::fail(const Job& job) const {
  const std::string of = job.many && job.failed >= 0 ? fmt::format(" of state {}", job.failed) : "";
  if (job.status == Status::kNoInertia) throw Failure(chain_->objection_to_dynamics());
  for (std::size_t a = 0; job.status == Status::kNotFinite && a < job.inputs; ++a) {
    const double* values = job.in[a].data + std::max<Index>(job.failed, 0) * job.in[a].step;
    for (Index i = 0; i < job.in_size[a]; ++i) {
      if (std::isfinite(values[i])) continue;
      throw Failure(fmt::format("{}: {}[{}]{} is {}; give finite numbers", job.query.name,
                                job.query.arguments[a], i, of, values[i]));
    }
  }
  throw Failure(fmt::format(
      "{}{}: {}", job.query.name, of,
      job.status == Status::kNotFinite ? "the result is not finite" : to_string(job.status)));
}

}  // namespace dyn::python
