extension Range<Int> {
  /// The first number for which something holds that, once it does, holds for all that follow; the upper
  /// bound where it holds for none. Found by halving.
  @inline(__always) func firstByHalving(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
