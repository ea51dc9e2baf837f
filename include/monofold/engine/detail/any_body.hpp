#pragma once
/// engine/detail/any_body: a loop's body without its type.

#include <cstdint>

namespace monofold::detail {

/// body(i) for a range of i, whatever the type of the body: what hands the ranges out, with oneTBB
/// some kilobytes of code for each type, is instantiated for this one.
class any_body {
 public:
  template <class Body>
  explicit any_body(const Body& body)
      : body_(&body), call_([](const void* of, std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i != end; ++i) (*static_cast<const Body*>(of))(i);
        }) {}
  void operator()(std::int64_t begin, std::int64_t end) const { call_(body_, begin, end); }

 private:
  const void* body_;
  void (*call_)(const void*, std::int64_t, std::int64_t);
};

}  // namespace monofold::detail
