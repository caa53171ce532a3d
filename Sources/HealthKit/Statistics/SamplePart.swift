/// A sample, or the part of it that lies in one interval. Times in microseconds.
struct SamplePart: Sendable {
  /// Of the whole sample.
  var value: Double
  var start: Int64
  var end: Int64
  /// The bounds of the part.
  var from: Int64
  var to: Int64
  /// The source, by its place in the order; 0 counts most.
  var source: Int
  /// Whether the user entered it by hand.
  var isEntered: Bool

  var duration: Int64 { to - from }

  /// What this part has of a sum.
  var share: Double { share(of: duration) }

  /// What a time of it has of a sum. All of a sample is exactly its value.
  func share(of time: Int64) -> Double {
    end == start ? value : value * (Double(time) / Double(end - start))
  }
}
