import Glibc

/// Densities of overlapping segments in a Hann window.
struct SegmentAveraging {
  private let parameters: Welch
  private let window: [Double]
  private let transform: FourierTransform
  /// Of a squared magnitude to a density over positive frequencies alone.
  private let scale: Double

  init(_ parameters: Welch) {
    self.parameters = parameters
    let length = parameters.segmentLength
    // The periodic form, whose next value would be the first again.
    window = (0..<length).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(length)) }
    transform = FourierTransform(count: length)
    scale = 2 / (parameters.rate * window.reduce(0) { $0 + $1 * $1 })
  }

  /// Adds the densities of all segments.
  ///
  /// - Returns: How many they were.
  func add(_ samples: [Double], to sum: inout [Double]) -> Int {
    let length = parameters.segmentLength
    let times = (0..<length).map(Double.init)
    var segments = 0
    for start in stride(from: 0, through: samples.count - length, by: length / 2) {
      let part = Array(samples[start..<start + length])
      let flat = parameters.detrending.detrended(part, at: times)
      let squares = transform.squaredMagnitudes(of: zip(flat, window).map { $0 * $1 })
      for index in sum.indices {
        // Zero and the highest have no negative counterpart.
        let isSingle = index == 0 || index == length / 2
        sum[index] += squares[index] * (isSingle ? scale / 2 : scale)
      }
      segments += 1
    }
    return segments
  }
}
