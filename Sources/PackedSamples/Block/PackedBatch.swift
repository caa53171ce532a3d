/// Several small blocks in one database value, as stored for each commit in schemas 14 to 17. Later schemas
/// have one row per block.
///
/// The bytes are: a version byte and the number of blocks in LEB128 (at least 1). Then, for each block, the
/// database identifiers of its sample type, unit, provenance (source and device), and metadata (0: no
/// metadata), and its length, all in LEB128. Then the blocks, and a CRC-32C of the preceding bytes, least
/// significant byte first.
package struct PackedBatch: Sendable {
  package struct Part: Hashable, Sendable {
    package var type: Int64
    package var unit: Int64
    package var provenance: Int64
    /// The identifier of the metadata; `nil` without metadata.
    package var metadata: Int64?
    /// The bytes of a `PackedBlock`.
    package var block: [UInt8]
  }

  private static let version: UInt8 = 1
  /// Minimum size of a block and its identifiers, in bytes, against which the number of blocks is checked.
  private static let leastPart = 5

  package let parts: [Part]

  /// Reads a batch. Verifies the checksum and the positions of the blocks, but does not decode them.
  package init(_ bytes: [UInt8]) throws(BlockError) {
    let end = try PackedBlock.checked(bytes) { $0 == Self.version }
    var position = 1
    guard let count = LEB128.read(bytes, at: &position) else { throw .cut }
    guard count > 0, count <= UInt64(end / Self.leastPart) else { throw .count(count) }
    var heads: [(numbers: [Int64], length: Int)] = []
    heads.reserveCapacity(Int(count))
    for _ in 0..<count {
      var numbers: [Int64] = []
      for _ in 0..<4 {
        guard let number = LEB128.read(bytes, at: &position).flatMap({ Int64(exactly: $0) }) else {
          throw .cut
        }
        numbers.append(number)
      }
      guard let length = LEB128.read(bytes, at: &position) else { throw .cut }
      guard length <= UInt64(end) else { throw .lengths }
      heads.append((numbers, Int(length)))
    }
    guard position + heads.reduce(0, { $0 + $1.length }) == end else { throw .lengths }
    parts = heads.map { head in
      defer { position += head.length }
      return Part(
        type: head.numbers[0], unit: head.numbers[1], provenance: head.numbers[2],
        metadata: head.numbers[3] == 0 ? nil : head.numbers[3],
        block: Array(bytes[position..<position + head.length]))
    }
  }
}
