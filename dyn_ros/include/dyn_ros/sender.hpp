// Copyright 2026 The dyn developers
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// Sender: a thread of its own that passes on what another one fills in.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

namespace dyn_ros {

/// A ring of batches, filled by one thread and sent by this class's in their order. None is
/// lost: who is faster waits. Filling and sending allocate what the batches do.
template <class Batch>
class Sender {
 public:
  /// `send` must not throw.
  explicit Sender(std::function<void(Batch&)> send)
      : send_(std::move(send)), thread_([this] { run(); }) {}
  ~Sender() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  /// The batch to fill.
  [[nodiscard]] Batch& next() {
    wait_for([this] { return filled_ - sent_ < ring_.size(); });
    return ring_[filled_ % ring_.size()];
  }
  /// The batch that next() gave is complete.
  void push() {
    {
      const std::lock_guard lock(mutex_);
      ++filled_;
    }
    changed_.notify_all();
  }
  /// All batches, after those on their way have been sent.
  [[nodiscard]] std::span<Batch> all() {
    wait_for([this] { return filled_ == sent_; });
    return ring_;
  }

 private:
  template <class Condition>
  void wait_for(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
  }
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stopping_ || filled_ != sent_; });
      if (stopping_) return;
      Batch& batch = ring_[sent_ % ring_.size()];
      lock.unlock();
      send_(batch);
      lock.lock();
      ++sent_;
      changed_.notify_all();
    }
  }

  std::function<void(Batch&)> send_;
  std::array<Batch, 16> ring_;
  std::size_t filled_ = 0, sent_ = 0;
  bool stopping_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;  // after everything it uses
};

}  // namespace dyn_ros
