/// An encoded block: a compressed group of samples. Each of its columns can be decoded separately.
///
/// The bytes are a version byte, the number of samples (1 to 4,096) and the length of each column in LEB128,
/// the columns, and a CRC-32C of the preceding bytes, least significant byte first.
///
/// The columns of version 1 are starts (`SteppedColumn`), durations (`SteppedColumn`; no bytes if every
/// sample is an instant), values (`ValueColumn`), positions in the store's change log (`SteppedColumn`), and
/// UUIDs (`IdentityColumn`). Version 2 adds the monitor's address in UTF-8, so that the checksum covers
/// everything from which UUIDs are computed.
///
/// Invalid bytes cause an error, never a crash. Decoding a column never needs more memory than the maximum
/// number of samples requires.
package struct PackedBlock: Sendable {
  /// The columns of each version.
  private static let columns: [UInt8: ArraySlice<BlockColumn>] = [
    1: BlockColumn.allCases.dropLast(), 2: BlockColumn.allCases[...],
  ]
  private static let checksumSize = 4

  package let count: Int
  private let bytes: [UInt8]
  /// The range of bytes of each column.
  private let ranges: [Range<Int>]

  /// Reads a block. Verifies the checksum, but does not decode the columns.
  package init(_ bytes: [UInt8]) throws(BlockError) {
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

  /// Returns the start times in ascending order.
  package func starts() throws(BlockError) -> [Int64] {
    let starts = try read(.starts, SteppedColumn.read)
    try BlockRules.check(starts: starts)
    return starts
  }

  /// - Parameter starts: The start times of the same block.
  /// - Returns: The durations; `nil` if all are 0.
  package func durations(from starts: [Int64]) throws(BlockError) -> [Int64]? {
    guard !ranges[BlockColumn.durations.rawValue].isEmpty else { return nil }
    let durations = try read(.durations, SteppedColumn.read)
    try BlockRules.check(durations: durations, from: starts)
    return durations
  }

  package func values() throws(BlockError) -> [Double] {
    let values = try read(.values, ValueColumn.read)
    try BlockRules.check(values: values)
    return values
  }

  package func changes() throws(BlockError) -> [Int64] {
    let changes = try read(.changes, SteppedColumn.read)
    try BlockRules.check(changes: changes)
    return changes
  }

  package func identities() throws(BlockError) -> [PackedIdentity] {
    try read(.identities, IdentityColumn.read)
  }

  /// Returns the address of the monitor that sent the samples; `nil` if the block does not contain it.
  package func monitor() throws(BlockError) -> String? {
    guard ranges.count > BlockColumn.monitor.rawValue else { return nil }
    guard let text = String(validating: bytes[ranges[BlockColumn.monitor.rawValue]], as: UTF8.self) else {
      throw .column(.monitor)
    }
    return text
  }

  private func read<Value>(
    _ column: BlockColumn, _ body: (Int, inout ColumnReader) -> [Value]?
  ) throws(BlockError) -> [Value] {
    var reader = ColumnReader(bytes[ranges[column.rawValue]])
    guard let values = body(count, &reader), reader.isAtEnd else { throw .column(column) }
    return values
  }

  // MARK: - Writing

  /// - Parameter columns: All columns, or all except the monitor.
  static func bytes(of columns: [[UInt8]], count: Int) -> [UInt8] {
    var bytes: [UInt8] = [columns.count == BlockColumn.allCases.count ? 2 : 1]
    LEB128.append(UInt64(count), to: &bytes)
    for column in columns { LEB128.append(UInt64(column.count), to: &bytes) }
    for column in columns { bytes += column }
    return sealed(bytes)
  }

  /// Checks the version and the checksum.
  ///
  /// - Parameter isKnown: Returns whether a version is supported.
  /// - Returns: The position of the checksum.
  static func checked(_ bytes: [UInt8], isKnown: (UInt8) -> Bool) throws(BlockError) -> Int {
    guard let version = bytes.first else { throw .cut }
    // Check the version first, because another version may have its checksum elsewhere.
    guard isKnown(version) else { throw .version(version) }
    let end = bytes.count - checksumSize
    guard end > 1 else { throw .cut }
    guard CRC32C.checksum(bytes[..<end]) == checksum(bytes[end...]) else { throw .checksum }
    return end
  }

  /// Returns the bytes with their checksum appended.
  package static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let checksum = CRC32C.checksum(bytes[...])
    return bytes + (0..<checksumSize).map { UInt8(truncatingIfNeeded: checksum >> UInt32(8 * $0)) }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
