/// The reason why bytes are not a valid block (a compressed group of samples), or why samples cannot be
/// stored in one.
package enum BlockError: Error, Hashable, Sendable {
  /// The bytes end before the end of the block.
  case cut
  /// The block has a version that this program does not support.
  case version(UInt8)
  case checksum
  /// The number of samples is zero or exceeds the maximum of a block.
  case count(UInt64)
  /// The lengths of the columns do not add up to the length of the block.
  case lengths
  case column(BlockColumn)
  /// A sample starts before the previous one.
  case descendingStarts
  /// A sample ends before it starts, or after the last representable time.
  case end
  /// A value is NaN.
  case notANumber
  /// A change number (the position of a sample in the store's change log) is 0 or negative.
  case change
  /// The columns contain different numbers of samples.
  case unequalColumns
}

/// The columns of a block, in the order in which they are stored.
package enum BlockColumn: Int, CaseIterable, Hashable, Sendable {
  case starts, durations, values, changes, identities
  /// The address of the monitor that sent all of the samples. Version 1 does not have this column.
  case monitor
}

extension BlockError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cut: "the block is truncated"
    case .version(let version): "the block has version \(version), which this version does not support"
    case .checksum: "the block's checksum is wrong"
    case .count(let count): "the block claims \(count) samples"
    case .lengths: "the columns do not match the size of the block"
    case .column(let column): "the column of \(column) is damaged"
    case .descendingStarts: "a sample in the block starts before the previous one"
    case .end: "a sample in the block ends before it starts"
    case .notANumber: "a value in the block is not a number"
    case .change: "a sample in the block has no position in the change log"
    case .unequalColumns: "the columns have different numbers of samples"
    }
  }
}
