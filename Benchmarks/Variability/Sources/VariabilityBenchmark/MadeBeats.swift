import Foundation

/// Simulated beats with drift, breathing, and noise. They are the same in each run.
enum MadeBeats {
  static func ticks(_ count: Int) -> [UInt16] {
    var state: UInt64 = 7
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Double(state >> 11) + 0.5) / 9_007_199_254_740_992
    }
    func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()) }
    var drift = 0.0
    return (0..<count).map { number in
      drift = 0.98 * drift + 12 * normal()
      return UInt16(min(max(870 + drift + 20 * sin(Double(number) * 1.3) + 12 * normal(), 450), 1800))
    }
  }
}
