import Testing

@testable import HeartRateVariability

@Suite struct RollingOrderTests {
  /// Computes quantiles by sorting each window.
  private func plain(_ fraction: Double, _ values: [Double], _ width: Int) -> [Double] {
    values.indices.map { index in
      let half = max(width - 1, 0) / 2
      let window = values[max(index - half, 0)...min(index + half, values.count - 1)].sorted()
      let position = fraction * Double(window.count - 1)
      let lower = Int(position)
      let upper = min(lower + 1, window.count - 1)
      return window[lower] + (window[upper] - window[lower]) * (position - Double(lower))
    }
  }

  @Test(arguments: [0, 1, 2, 3, 11, 91, 500])
  func `quantiles equal those of each sorted window`(width: Int) {
    var noise = Noise(seed: UInt64(width))
    // Use only few different values, so that many are equal, and series with steps up and down.
    let few: [Double] = (0..<200).map { _ in Double(Int.random(in: 0...3, using: &noise)) }
    let zeros: [Double] = (0..<200).map { _ in [0.0, -0.0, 1.0].randomElement(using: &noise) ?? 0 }
    let up: [Double] = (0..<200).map { Double($0) }
    let kinds: [[Double]] = [few, zeros, up, up.reversed(), noise.normals(200).map(abs), [], [5]]
    for values in kinds {
      for fraction in [0, 0.25, 0.5, 1] {
        let found = RollingOrder.map(values, width: width) { $0.quantile(fraction) }
        #expect(found == plain(fraction, values, width))
      }
    }
  }
}
