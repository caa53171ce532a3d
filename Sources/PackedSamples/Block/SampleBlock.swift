/// Samples with the same type, unit, provenance (source and device), and metadata, as one array per property.
/// They are sorted by start.
package struct SampleBlock: Sendable {
  /// Maximum number of samples. A block is decoded and encoded as a whole, so this limits the cost of
  /// changing one sample and of reading a short period.
  package static let capacity = 4096

  /// The start times in microseconds since 1970.
  package private(set) var starts: [Int64] = []
  /// The durations in microseconds; 0 for a sample at a single time.
  package private(set) var durations: [Int64] = []
  package private(set) var values: [Double] = []
  /// The positions of the samples in the store's change log.
  package private(set) var changes: [Int64] = []
  package private(set) var identities: [PackedIdentity] = []
  /// The address of the monitor from which UUIDs are computed; `nil` if the block does not contain it.
  package var monitor: String?

  package var count: Int { starts.count }

  package init(reservingCapacity count: Int = 0) {
    starts.reserveCapacity(count)
    durations.reserveCapacity(count)
    values.reserveCapacity(count)
    changes.reserveCapacity(count)
    identities.reserveCapacity(count)
  }

  /// Appends a sample. It is checked later, by ``encoded()``.
  package mutating func append(
    start: Int64, duration: Int64, value: Double, change: Int64, identity: PackedIdentity
  ) {
    starts.append(start)
    durations.append(duration)
    values.append(value)
    changes.append(change)
    identities.append(identity)
  }

  /// Decodes all columns of a block.
  package init(decoding bytes: [UInt8]) throws(BlockError) {
    let block = try PackedBlock(bytes)
    starts = try block.starts()
    durations = try block.durations(from: starts) ?? Array(repeating: 0, count: starts.count)
    values = try block.values()
    changes = try block.changes()
    identities = try block.identities()
    monitor = try block.monitor()
  }

  /// Encodes the block.
  ///
  /// - Throws: `BlockError` if the number, order, or content of the samples is invalid.
  package func encoded() throws(BlockError) -> [UInt8] {
    try check()
    var columns: [[UInt8]] = []
    for column in BlockColumn.allCases {
      var bytes: [UInt8] = []
      switch column {
      case .starts: SteppedColumn.append(starts, to: &bytes)
      case .durations:
        if durations.contains(where: { $0 != 0 }) { SteppedColumn.append(durations, to: &bytes) }
      case .values: ValueColumn.append(values, to: &bytes)
      case .changes: SteppedColumn.append(changes, to: &bytes)
      case .identities: IdentityColumn.append(identities, to: &bytes)
      case .monitor:
        guard let monitor else { continue }
        bytes = Array(monitor.utf8)
      }
      columns.append(bytes)
    }
    return PackedBlock.bytes(of: columns, count: count)
  }

  /// Returns whether both blocks are equal. Values are compared bit by bit, so 0 and −0 differ.
  package func isIdentical(to other: SampleBlock) -> Bool {
    starts == other.starts && durations == other.durations && changes == other.changes
      && identities == other.identities && monitor == other.monitor
      && values.elementsEqual(other.values) { $0.bitPattern == $1.bitPattern }
  }

  private func check() throws(BlockError) {
    guard count > 0, count <= Self.capacity else { throw .count(UInt64(count)) }
    guard durations.count == count, values.count == count, changes.count == count, identities.count == count
    else { throw .unequalColumns }
    try BlockRules.check(starts: starts)
    try BlockRules.check(durations: durations, from: starts)
    try BlockRules.check(values: values)
    try BlockRules.check(changes: changes)
  }
}
