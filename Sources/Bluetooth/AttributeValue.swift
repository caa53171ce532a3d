/// The value of an attribute: up to 512 bytes (Core Specification, Vol 3, Part F, §3.2.9).
///
/// Most values fit in one ATT PDU of the default size (20 bytes). These are stored inline, so that millions
/// of values do not need allocations.
public struct AttributeValue: Hashable, Sendable {
  @usableFromInline static let inlineCapacity = 22

  @usableFromInline
  enum Storage: Sendable {
    case inline(InlineArray<22, UInt8>, count: UInt8)
    case heap([UInt8])
  }

  @usableFromInline let storage: Storage

  /// Creates a value with a copy of the bytes.
  @inlinable
  public init(_ bytes: RawSpan) {
    guard bytes.byteCount <= Self.inlineCapacity else {
      storage = .heap(bytes.copiedBytes())
      return
    }
    var inline = InlineArray<22, UInt8>(repeating: 0)
    bytes.withUnsafeBytes { source in
      withUnsafeMutableBytes(of: &inline) { $0.copyMemory(from: source) }
    }
    storage = .inline(inline, count: UInt8(bytes.byteCount))
  }

  /// Creates a value with a copy of the bytes.
  public init(_ bytes: [UInt8]) { self.init(bytes.span.bytes) }

  /// The length in bytes, 0 to 512.
  @inlinable
  public var count: Int {
    switch storage {
    case .inline(_, let count): Int(count)
    case .heap(let bytes): bytes.count
    }
  }

  /// Calls `body` with the bytes, without copying them.
  /// - Throws: The errors of `body`.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch storage {
    case .inline(let inline, let count): try body(inline.span.bytes.extracting(first: Int(count)))
    case .heap(let bytes): try body(bytes.span.bytes)
    }
  }

  /// A copy of the bytes as an array.
  public var bytes: [UInt8] { withBytes { $0.copiedBytes() } }

  // Compare only the first `count` bytes, because the inline storage may contain others.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.withBytes { left in
      rhs.withBytes { right in
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
      }
    }
  }

  public func hash(into hasher: inout Hasher) {
    withBytes { bytes in bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }
}

extension AttributeValue: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}

extension AttributeValue: CustomStringConvertible {
  /// The value as lower-case hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}
