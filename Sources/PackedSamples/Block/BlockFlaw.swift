/// Why bytes are no block, or samples do not make one.
package enum BlockFlaw: Error, Hashable, Sendable {
  /// The bytes end before a block does.
  case cut
  /// Of a version of hrgate that this one does not know.
  case version(UInt8)
  case checksum
  /// None, or more than a block takes.
  case count(UInt64)
  /// The columns do not fill the block.
  case lengths
  case column(BlockColumn)
  /// A sample starts before the one in front of it.
  case descendingStarts
  /// A sample ends before it starts, or after the last time there is.
  case end
  /// A value is not a number.
  case notANumber
  /// A place in the change log is 0 or less.
  case change
  /// The columns hold unequal numbers of samples.
  case unequalColumns
}

/// The columns of a block, in their order.
package enum BlockColumn: Int, CaseIterable, Hashable, Sendable {
  case starts, durations, values, changes, identities
  /// Of whom the samples are: one text for all. Version 1 has none.
  case monitor
}

extension BlockFlaw: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cut: "the block is cut short"
    case .version(let version): "the block is of version \(version), which this version does not know"
    case .checksum: "the block's checksum is not that of its bytes"
    case .count(let count): "the block says that it holds \(count) samples"
    case .lengths: "the columns do not fill the block"
    case .column(let column): "the column of \(column) is damaged"
    case .descendingStarts: "a sample in the block starts before the one in front of it"
    case .end: "a sample in the block ends before it starts"
    case .notANumber: "a value in the block is not a number"
    case .change: "a sample in the block has no place in the change log"
    case .unequalColumns: "the columns hold unequal numbers of samples"
    }
  }
}
