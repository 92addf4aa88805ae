// Bytes that come one after another: of a file, of a part of another stream, of a compressed one. Memory is
// bounded whatever their headers claim.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace dyn {

class Bytes {
 public:
  virtual ~Bytes() = default;
  /// Up to `size` bytes: fewer only at the end, or in front of what is broken.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// Whether so many were there to be passed over.
  virtual bool skip(std::uint64_t size);
};

class FileBytes final : public Bytes {
 public:
  /// Of a file that is there; nothing to read where it cannot be opened.
  explicit FileBytes(const std::string& path);
  std::size_t read(char* to, std::size_t size) override;
  bool skip(std::uint64_t size) override;
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t left_ = 0;
};

/// The next `size` bytes of another stream.
class PartBytes final : public Bytes {
 public:
  PartBytes(Bytes& whole, std::uint64_t size) : whole_(whole), left_(size) {}
  std::size_t read(char* to, std::size_t size) override;
  bool skip(std::uint64_t size) override;
  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  Bytes& whole_;
  std::uint64_t left_;
};

/// `packed` as it was before its compression, "zstd" or "lz4" (frames); itself for "", null for another.
[[nodiscard]] std::unique_ptr<Bytes> unpacked(Bytes& packed, std::string_view compression);

/// Lines, without their ends.
class Lines {
 public:
  explicit Lines(Bytes& bytes) : bytes_(bytes), buffer_(kLongest, '\0') {}

  /// False at the end, and before a line that is longer than kLongest.
  bool next(std::string_view& line);
  [[nodiscard]] bool too_long() const { return too_long_; }
  /// Whether the line that was read last had an end.
  [[nodiscard]] bool ended() const { return ended_; }

  static constexpr std::size_t kLongest = std::size_t{1} << 20U;

 private:
  Bytes& bytes_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool too_long_ = false, ended_ = true, done_ = false;
};

}  // namespace dyn
