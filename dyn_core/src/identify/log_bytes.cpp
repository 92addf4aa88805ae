#include "identify/log_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <lz4frame.h>
#include <sys/stat.h>
#include <zstd.h>

namespace dyn {

bool Bytes::skip(std::uint64_t size) {
  std::array<char, 16384> nowhere;
  while (size > 0) {
    const std::size_t part = std::min<std::uint64_t>(size, nowhere.size());
    if (read(nowhere.data(), part) < part) return false;
    size -= part;
  }
  return true;
}

FileBytes::FileBytes(const std::string& path) : file_(std::fopen(path.c_str(), "rbe")) {
  struct stat status {};
  if (file_ && fstat(fileno(file_.get()), &status) == 0) {
    left_ = static_cast<std::uint64_t>(status.st_size);
  }
}

std::size_t FileBytes::read(char* to, std::size_t size) {
  const std::size_t wanted = std::min<std::uint64_t>(size, left_);
  const std::size_t got = wanted > 0 ? std::fread(to, 1, wanted, file_.get()) : 0;
  left_ = got < wanted ? 0 : left_ - got;
  return got;
}

bool FileBytes::skip(std::uint64_t size) {
  constexpr std::uint64_t kWorthSeeking = 65536;
  if (size < kWorthSeeking) return Bytes::skip(size);
  const bool there = size <= left_ && fseeko(file_.get(), static_cast<off_t>(size), SEEK_CUR) == 0;
  left_ = there ? left_ - size : 0;
  return there;
}

std::size_t PartBytes::read(char* to, std::size_t size) {
  const std::size_t got = whole_.read(to, std::min<std::uint64_t>(size, left_));
  left_ -= got;
  return got;
}

bool PartBytes::skip(std::uint64_t size) {
  if (size > left_ || !whole_.skip(size)) return false;
  left_ -= size;
  return true;
}

namespace {

class Unpacked : public Bytes {
 public:
  explicit Unpacked(Bytes& packed) : packed_(packed), buffer_(65536, '\0') {}

  std::size_t read(char* to, std::size_t size) final {
    std::size_t got = 0;
    while (got < size) {
      if (in_.empty()) in_ = {buffer_.data(), packed_.read(buffer_.data(), buffer_.size())};
      const std::size_t before = in_.size();
      const std::size_t more = step(in_, to + got, size - got);
      if (more == 0 && in_.size() == before) break;  // the end, or something broken
      got += more;
    }
    return got;
  }

 private:
  // Takes from the front of `in`; how many bytes it has made of that.
  virtual std::size_t step(std::string_view& in, char* to, std::size_t size) = 0;

  Bytes& packed_;
  std::string buffer_;
  std::string_view in_;
};

class ZstdBytes final : public Unpacked {
 public:
  explicit ZstdBytes(Bytes& packed) : Unpacked(packed), stream_(ZSTD_createDStream()) {}

 private:
  std::size_t step(std::string_view& in, char* to, std::size_t size) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    if (ZSTD_isError(ZSTD_decompressStream(stream_.get(), &out, &from)) != 0) return 0;
    in.remove_prefix(from.pos);
    return out.pos;
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

class Lz4Bytes final : public Unpacked {
 public:
  explicit Lz4Bytes(Bytes& packed) : Unpacked(packed) {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0) return;
    context_.reset(context);
  }

 private:
  std::size_t step(std::string_view& in, char* to, std::size_t size) override {
    std::size_t taken = in.size(), made = size;
    if (!context_ ||
        LZ4F_isError(LZ4F_decompress(context_.get(), to, &made, in.data(), &taken, nullptr)) != 0) {
      return 0;
    }
    in.remove_prefix(taken);
    return made;
  }

  struct Free {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
  };
  std::unique_ptr<LZ4F_dctx, Free> context_;
};

}  // namespace

std::unique_ptr<Bytes> unpacked(Bytes& packed, std::string_view compression) {
  constexpr std::uint64_t kAll = UINT64_MAX;
  if (compression.empty()) return std::make_unique<PartBytes>(packed, kAll);
  if (compression == "zstd") return std::make_unique<ZstdBytes>(packed);
  if (compression == "lz4") return std::make_unique<Lz4Bytes>(packed);
  return nullptr;
}

bool Lines::next(std::string_view& line) {
  const auto cut = [&](std::size_t length, std::size_t end) {
    line = std::string_view(buffer_).substr(begin_, length);
    begin_ += length + end;
    if (line.ends_with('\r')) line.remove_suffix(1);
    ended_ = end > 0;
    return true;
  };
  for (std::size_t looked = begin_;;) {
    const void* found = std::memchr(buffer_.data() + looked, '\n', end_ - looked);
    if (found != nullptr) {
      return cut(
          static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_, 1);
    }
    if (done_) return begin_ < end_ && cut(end_ - begin_, 0);
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    looked = end_;
    too_long_ = end_ == buffer_.size();
    if (too_long_) return false;
    const std::size_t got = bytes_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    done_ = got == 0;
  }
}

}  // namespace dyn
