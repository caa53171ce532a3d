/// The changes of octets that come again and again, and who gets them.
struct RepeatedChanges {
  /// An object, so that nothing of it is copied for a signal.
  final class Known: Sendable {
    let change: RepeatedChange
    let takers: [SignalBuffer]

    init(_ change: RepeatedChange, _ takers: [SignalBuffer]) {
      self.change = change
      self.takers = takers
    }
  }

  /// More characteristics than an adapter has links. One that does not fit takes the place of the oldest,
  /// which is learned anew when it comes again.
  private static let most = 64

  private var known: [Known] = []

  /// Notes such a signal, which was read and handed to these.
  mutating func learn(_ frame: RawSpan, _ signal: Signal, _ takers: [SignalBuffer]) {
    guard let change = RepeatedChange(frame: frame, signal) else { return }
    if known.count == Self.most { known.removeFirst() }
    known.append(Known(change, takers))
  }

  /// - Returns: what it is, and where its octets lie; nil for anything that is not known.
  func find(_ frame: RawSpan) -> (Known, Range<Int>)? {
    for candidate in known {
      if let octets = candidate.change.value(in: frame) { return (candidate, octets) }
    }
    return nil
  }

  /// Others may get them from now on.
  mutating func forget() { known.removeAll(keepingCapacity: true) }
}
