/// A block as bytes, of which each column can be read by itself.
///
/// A byte for the version, the number of samples (1…4,096) and the length of each column in LEB128, the
/// columns, and the CRC-32C of all that, least significant byte first. The columns of version 1: starts
/// (`SteppedColumn`), durations (the same; no bytes if every sample is an instant), values (`ValueColumn`),
/// places in the change log (`SteppedColumn`), identities (`IdentityColumn`). Version 2 has one more, the
/// monitor's address in UTF-8: what identities follow from is under the checksum then.
///
/// Whatever the bytes are, nothing traps, and a column takes no more memory than a full block's.
package struct PackedBlock: Sendable {
  /// By version.
  private static let columns: [UInt8: ArraySlice<BlockColumn>] = [
    1: BlockColumn.allCases.dropLast(), 2: BlockColumn.allCases[...],
  ]
  private static let checksumSize = 4

  package let count: Int
  private let bytes: [UInt8]
  /// By column.
  private let ranges: [Range<Int>]

  /// Checks the checksum, but not what the columns hold.
  package init(_ bytes: [UInt8]) throws(BlockFlaw) {
    let end = try Self.checked(bytes) { Self.columns[$0] != nil }
    let columns = Self.columns[bytes[0]] ?? []
    var position = 1
    guard let count = LEB128.read(bytes, at: &position) else { throw .cut }
    guard count > 0, count <= UInt64(SampleBlock.capacity) else { throw .count(count) }
    var lengths: [Int] = []
    for _ in columns {
      guard let length = LEB128.read(bytes, at: &position) else { throw .cut }
      guard length <= UInt64(end) else { throw .lengths }
      lengths.append(Int(length))
    }
    guard position + lengths.reduce(0, +) == end else { throw .lengths }
    ranges = lengths.map { length in
      defer { position += length }
      return position..<position + length
    }
    self.count = Int(count)
    self.bytes = bytes
  }

  /// In ascending order.
  package func starts() throws(BlockFlaw) -> [Int64] {
    let starts = try read(.starts, SteppedColumn.read)
    try BlockRules.check(starts: starts)
    return starts
  }

  /// - Parameter starts: the column of the same block.
  /// - Returns: nil if every sample is an instant.
  package func durations(from starts: [Int64]) throws(BlockFlaw) -> [Int64]? {
    guard !ranges[BlockColumn.durations.rawValue].isEmpty else { return nil }
    let durations = try read(.durations, SteppedColumn.read)
    try BlockRules.check(durations: durations, from: starts)
    return durations
  }

  package func values() throws(BlockFlaw) -> [Double] {
    let values = try read(.values, ValueColumn.read)
    try BlockRules.check(values: values)
    return values
  }

  package func changes() throws(BlockFlaw) -> [Int64] {
    let changes = try read(.changes, SteppedColumn.read)
    try BlockRules.check(changes: changes)
    return changes
  }

  package func identities() throws(BlockFlaw) -> [PackedIdentity] {
    try read(.identities, IdentityColumn.read)
  }

  /// Of whom the samples are; nil where the block does not say it.
  package func monitor() throws(BlockFlaw) -> String? {
    guard ranges.count > BlockColumn.monitor.rawValue else { return nil }
    guard let text = String(validating: bytes[ranges[BlockColumn.monitor.rawValue]], as: UTF8.self) else {
      throw .column(.monitor)
    }
    return text
  }

  private func read<Value>(
    _ column: BlockColumn, _ body: (Int, inout ColumnReader) -> [Value]?
  ) throws(BlockFlaw) -> [Value] {
    var reader = ColumnReader(bytes[ranges[column.rawValue]])
    guard let values = body(count, &reader), reader.isAtEnd else { throw .column(column) }
    return values
  }

  // MARK: - Writing

  /// - Parameter columns: all, or all but the monitor.
  static func bytes(of columns: [[UInt8]], count: Int) -> [UInt8] {
    var bytes: [UInt8] = [columns.count == BlockColumn.allCases.count ? 2 : 1]
    LEB128.append(UInt64(count), to: &bytes)
    for column in columns { LEB128.append(UInt64(column.count), to: &bytes) }
    for column in columns { bytes += column }
    return sealed(bytes)
  }

  /// - Parameter isKnown: of a version, the first byte.
  /// - Returns: where the bytes end before their checksum.
  static func checked(_ bytes: [UInt8], isKnown: (UInt8) -> Bool) throws(BlockFlaw) -> Int {
    guard let version = bytes.first else { throw .cut }
    // Before the checksum, which another version may have elsewhere.
    guard isKnown(version) else { throw .version(version) }
    let end = bytes.count - checksumSize
    guard end > 1 else { throw .cut }
    guard CRC32C.checksum(bytes[..<end]) == checksum(bytes[end...]) else { throw .checksum }
    return end
  }

  /// A block's bytes with their checksum.
  package static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let checksum = CRC32C.checksum(bytes[...])
    return bytes + (0..<checksumSize).map { UInt8(truncatingIfNeeded: checksum >> UInt32(8 * $0)) }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
