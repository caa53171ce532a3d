/// RR intervals in ticks of 1/1024 s, oldest first.
///
/// A frame with the default MTU has at most nine intervals. Up to nine are stored inline, so decoding such a
/// frame does not need an allocation.
public struct RRTicks: Sendable {
  @usableFromInline static let inlineCapacity = 9

  @usableFromInline var inline: InlineArray<9, UInt16>
  /// The number of valid elements in `inline`. If the intervals do not fit, all of them are in `overflow`.
  @usableFromInline var inlineCount: UInt8
  @usableFromInline var overflow: [UInt16]?

  @inlinable
  init(decoding bytes: RawSpan, from start: Int) {
    let count = Swift.max(0, (bytes.byteCount - start) / 2)
    inline = InlineArray(repeating: 0)
    inlineCount = 0
    overflow = nil
    guard count <= Self.inlineCapacity else {
      overflow = (0..<count).map { bytes.rrTick(start + 2 * $0) }
      return
    }
    for index in 0..<count { inline[index] = bytes.rrTick(start + 2 * index) }
    inlineCount = UInt8(count)
  }

  /// Creates an empty collection.
  @inlinable
  public init() {
    inline = InlineArray(repeating: 0)
    inlineCount = 0
    overflow = nil
  }

  /// Calls `body` with the intervals, without copying them.
  @inlinable
  public func withSpan<Result>(_ body: (Span<UInt16>) -> Result) -> Result {
    if let overflow { return body(overflow.span) }
    return body(inline.span.extracting(first: Int(inlineCount)))
  }

  public init(_ ticks: some Collection<UInt16>) {
    inline = InlineArray(repeating: 0)
    inlineCount = 0
    overflow = nil
    guard ticks.count <= Self.inlineCapacity else {
      overflow = Array(ticks)
      return
    }
    for tick in ticks {
      inline[Int(inlineCount)] = tick
      inlineCount += 1
    }
  }
}

extension RawSpan {
  @inlinable @inline(__always)
  func rrTick(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
}

extension RRTicks: RandomAccessCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { overflow?.count ?? Int(inlineCount) }
  @inlinable public subscript(position: Int) -> UInt16 {
    precondition(position >= 0 && position < endIndex)
    return overflow?[position] ?? inline[position]
  }
}

extension RRTicks: Hashable {
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.elementsEqual(rhs) }

  public func hash(into hasher: inout Hasher) {
    for tick in self { hasher.combine(tick) }
  }
}

extension RRTicks: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: UInt16...) { self.init(elements) }
}
