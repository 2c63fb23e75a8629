// A lane type that counts: the step's own templates, run on it, tell how many operations they take
// and how many bytes they move between registers and a world's arrays.
//
// Include this before any other header of step code: qualified calls bind where they are written.
//
// Counted per lane: + - * / sqrt as 1, fma as 2. Not counted: comparisons, selections, changes of
// sign, and plain numbers of the model. Bytes are those of lane values copied from and to the
// memory ranges that are watched; a value that stays in a local variable moves nothing. Work that
// the collision of boxes does world by world, or in packs of its own, is not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/math/lane.h"

namespace stepbench::bench::micro {

struct Counts {
  double flop = 0, bytes = 0;
  static Counts& now() {
    static Counts counts;
    return counts;
  }
};

// Memory whose traffic counts.
struct Watched {
  struct Range {
    std::uintptr_t begin, end;
  };
  static std::vector<Range>& ranges() {
    static std::vector<Range> all;
    return all;
  }
  static void note(const void* p, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    for (const Range& r : ranges()) {
      if (at >= r.begin && at < r.end) {
        Counts::now().bytes += double(bytes);
        return;
      }
    }
  }
};

}  // namespace stepbench::bench::micro

namespace stepbench::math::inline SB_ISA {

// Counts what it does with an L.
template <class L>
struct Counting {
  using Real = RealOf<L>;
  using Mask = MaskOf<L>;
  using Counts = bench::micro::Counts;
  L x;

  Counting() = default;
  Counting(Real r) : x(r) {}
  explicit Counting(L l) requires(!std::is_same_v<L, Real>) : x(l) {}
  Counting(const Counting& o) : x(o.x) { moved(o); }
  Counting& operator=(const Counting& o) {
    x = o.x;
    moved(o);
    return *this;
  }

  static Counting made(L l, int flop) {
    Counts::now().flop += flop * kWidth<L>;
    Counting c;
    c.x = l;
    return c;
  }

  friend Counting operator+(const Counting& a, const Counting& b) { return op(a, b, a.x + b.x); }
  friend Counting operator-(const Counting& a, const Counting& b) { return op(a, b, a.x - b.x); }
  friend Counting operator*(const Counting& a, const Counting& b) { return op(a, b, a.x * b.x); }
  friend Counting operator/(const Counting& a, const Counting& b) { return op(a, b, a.x / b.x); }
  friend Counting operator-(const Counting& a) { return made(-read(a), 0); }
  friend Counting& operator+=(Counting& a, const Counting& b) { return a = a + b; }
  friend Counting& operator-=(Counting& a, const Counting& b) { return a = a - b; }
  friend Counting& operator*=(Counting& a, const Counting& b) { return a = a * b; }
  friend Mask operator<(const Counting& a, const Counting& b) { return read(a) < read(b); }
  friend Mask operator<=(const Counting& a, const Counting& b) { return read(a) <= read(b); }
  friend Mask operator>(const Counting& a, const Counting& b) { return read(a) > read(b); }
  friend Mask operator>=(const Counting& a, const Counting& b) { return read(a) >= read(b); }
  friend Mask operator==(const Counting& a, const Counting& b) { return read(a) == read(b); }
  friend Mask operator!=(const Counting& a, const Counting& b) { return read(a) != read(b); }

  // The value, as read from where it lies.
  static const L& read(const Counting& a) {
    bench::micro::Watched::note(&a, sizeof(L));
    return a.x;
  }

 private:
  static Counting op(const Counting& a, const Counting& b, L result) {
    read(a), read(b);
    return made(result, 1);
  }
  void moved(const Counting& from) {
    bench::micro::Watched::note(&from, sizeof(L));
    bench::micro::Watched::note(this, sizeof(L));
  }
};

template <class L>
struct LaneTraits<Counting<L>> {
  using Real = RealOf<L>;
  using Mask = MaskOf<L>;
  static constexpr int W = kWidth<L>;
};

template <class L>
struct BitsOf<Counting<L>> {
  using type = typename BitsOf<L>::type;
  static Counting<L> lane(type a) { return Counting<L>::made(BitsOf<L>::lane(a), 0); }
};

template <class T>
inline constexpr bool kCounting = false;
template <class L>
inline constexpr bool kCounting<Counting<L>> = true;

// fma and select take plain numbers in any place but all.
template <class A, class B, class C>
concept SomeCounting = kCounting<A> || kCounting<B> || kCounting<C>;
template <class A, class B, class C>
using CountingOf = std::conditional_t<kCounting<A>, A, std::conditional_t<kCounting<B>, B, C>>;

template <class A, class B, class C>
requires SomeCounting<A, B, C> CountingOf<A, B, C> fma(const A& a, const B& b, const C& c) {
  using T = CountingOf<A, B, C>;
  return T::made(fma(T::read(a), T::read(b), T::read(c)), 2);
}
template <class L>
Counting<L> sqrt(const Counting<L>& a) {
  return Counting<L>::made(sqrt(Counting<L>::read(a)), 1);
}
template <class M, class A, class B>
requires SomeCounting<A, B, B> CountingOf<A, B, B> select(const M& m, const A& a, const B& b) {
  using T = CountingOf<A, B, B>;
  return T::made(select(m, T::read(a), T::read(b)), 0);
}
template <class L>
RealOf<L> get(const Counting<L>& a, int i) {
  return get(Counting<L>::read(a), i);
}
template <class L>
void set(Counting<L>& a, int i, RealOf<L> x) {
  set(a.x, i, x);
}
template <class L>
typename BitsOf<L>::type to_bits(const Counting<L>& a) {
  return to_bits(Counting<L>::read(a));
}
template <class L>
Counting<L> abs(Counting<L> a) {
  return Counting<L>::made(abs(Counting<L>::read(a)), 0);
}

}  // namespace stepbench::math::inline SB_ISA
